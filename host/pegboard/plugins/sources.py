"""Where a plugin comes from: an entry point, a file, a module or an object."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import attrs

from pegboard.errors import PluginLoadError
from pegboard.plugins.adapting import adapted
from pegboard.plugins.discovery import Found, normalised
from pegboard.plugins.editable import follow
from pegboard.plugins.forgetting import forget_bytecode
from pegboard.plugins.holding import has_loaded
from pegboard.plugins.modules import (
    Ground,
    files_of_module,
    ground_of,
    ground_of_module,
    own_ground_of,
)
from pegboard.plugins.unasked import file_of, is_module
from pegboard.registry import Pins
from pegboard.reports import PluginInfo

DISTRIBUTION = "pegboard"
"""What built-in plugins come with."""
ATTACHING = "pegboard-mcp"
"""What attaches MCP servers as plugins."""


@attrs.frozen
class Source:
    """Where a plugin comes from.

    Attributes:
        name: its name, unless another is given.
        get: gives the plugin's object; runs its code.
        ground: where its modules come from.
        found: the entry point that names it, or None.
        location: the file it comes from, where it is no entry point.
        named: how that file was named; its links may lead to another one later.
        distribution: what it comes with, where it is no entry point.
        hidden: rivals that offer the same name, where it is no entry point.
        given: the object itself, where it is one.
        check: refuses it before any of its code runs; None where there is no lock file.
        pins: says which of its tools are what was accepted; None where there is no lock file.
    """

    name: str
    get: Callable[[], object]
    ground: Ground
    found: Found | None = None
    location: str | None = None
    named: str | None = None
    distribution: str | None = None
    hidden: tuple[str, ...] = ()
    given: object = None
    check: Callable[[], None] | None = None
    pins: Pins | None = None

    @property
    def adapter(self) -> Found | None:
        """What makes it a plugin, where it is one of another host."""
        return None if self.found is None else self.found.adapter

    @property
    def own_ground(self) -> Ground:
        """Where its modules come from, without those of its adapter."""
        return own_ground_of(self.found) if self.found and self.adapter else self.ground

    def is_same(self, other: "Source") -> bool:
        """Whether loading this runs the code that loading the other one runs."""
        if self.ground != Ground():
            return self.ground == other.ground
        return self.given is not None and self.given is other.given

    @property
    def is_built_in(self) -> bool:
        """Whether it comes with the host."""
        return self.found is None and self.distribution == DISTRIBUTION

    @property
    def is_configured(self) -> bool:
        """Whether it is there because the configuration says so: built in, or an MCP server."""
        return self.found is None and self.distribution in (DISTRIBUTION, ATTACHING)

    @property
    def key(self) -> str:
        """The name of the lock of its distribution, or of its own; no plugin can have it."""
        found = self.found
        whose = "" if found is None else normalised(found.distribution)
        return f"distribution {whose}" if whose else f"source {self.location or self.name}"

    def info(self, name: str, *, generation: int) -> PluginInfo:
        """What can be said of the plugin before its code runs."""
        found = self.found
        if found is None:
            return PluginInfo(
                name,
                self.distribution,
                generation=generation,
                location=self.location,
                hidden=self.hidden,
            )
        return attrs.evolve(info_of(found), name=name, generation=generation)


def info_of(found: Found) -> PluginInfo:
    """What metadata says of an installed plugin."""
    return PluginInfo(
        found.name,
        found.distribution,
        found.version,
        location=str(found.location),
        hidden=found.hidden,
    )


def is_path(what: object) -> bool:
    """Whether this is the path of a file rather than the name of a plugin."""
    return isinstance(what, Path) or (
        isinstance(what, str) and (what.endswith(".py") or "/" in what)
    )


def installed(found: Found) -> Source:
    """A plugin that an entry point names."""
    ground = ground_of(found)

    def get() -> object:
        forget_bytecode(ground.files)  # whoever wrote it, in this process or another
        adapter = found.adapter
        return _imported(found) if adapter is None else adapted(found, adapter, _imported)

    return Source(found.name, get, ground, found)


def built_in(name: str, make: Callable[[], object], hidden: tuple[str, ...]) -> Source:
    """A plugin that comes with the host."""
    return Source(name, make, Ground(), distribution=DISTRIBUTION, hidden=hidden)


def attached(name: str, is_eager: Callable[[], bool]) -> Source:
    """A plugin that attaches the MCP server of this name in the configuration.

    Args:
        name: the server.
        is_eager: whether it is to be asked for its tools at once, not when one is called.
    """

    def get() -> object:
        try:
            module = importlib.import_module("pegboard_mcp")
        except ModuleNotFoundError as error:
            raise PluginLoadError(
                f"[mcp.{name}] of the configuration needs the package {ATTACHING}, which isn't "
                f"installed: pip install {ATTACHING}"
            ) from error
        plugin: object = module.McpServer.configured(eager=is_eager())
        return plugin

    return Source(name, get, Ground(), distribution=ATTACHING)


def from_file(path: Path) -> Source:
    """A plugin that is one `.py` file.

    Raises:
        PluginLoadError: there is no such file.
    """
    if not os.path.isfile(path):  # noqa: PTH113 - no where that can't be known
        raise PluginLoadError(f"there is no file {str(path)!r}")
    file, name, named = path.resolve(), path.stem, str(path.absolute())
    ground = Ground(files=frozenset({str(file)}), names=frozenset({name}), is_exact=True)
    return Source(name, lambda: _executed(file, name), ground, location=str(file), named=named)


def given(what: object) -> Source:
    """A plugin that is a module, or any object with hook implementations."""
    if isinstance(what, ModuleType):
        return Source(what.__name__, lambda: what, ground_of_module(what))
    kind = what if isinstance(what, type) else type(what)
    return Source(kind.__name__, lambda: what, Ground(), given=what)


def by_name(module: str) -> Source:
    """A plugin that is a module, imported by its name."""
    ground = Ground(names=frozenset({module}))
    return Source(module, lambda: importlib.import_module(module), ground)


def _imported(found: Found) -> object:
    follow(found)
    plugin: object = importlib.import_module(found.module)
    _check_origin(plugin, found)
    for part in found.attribute.split(".") if found.attribute else ():
        plugin = getattr(plugin, part)
    return plugin


def _check_origin(module: object, found: Found) -> None:
    """Refuse a module that another folder or program has brought under the plugin's name.

    Raises:
        ImportError: says where it came from.
    """
    own = [os.path.realpath(each) for each in files_of_module(found)]
    file = file_of(module) if is_module(module) else ""
    if own and file and os.path.realpath(file) not in own:
        raise ImportError(
            f"module {found.module!r} comes from {file}, which is not of {found.distribution}; "
            "have one of them renamed, or the folder of the other leave sys.path"
        )


def _executed(file: Path, name: str) -> ModuleType:
    known = sys.modules.get(name)
    if known is not None and has_loaded(name, str(file)):
        return known
    if known is not None:
        raise ImportError(f"a module {name!r} is imported already; rename the file")
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} can't be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
