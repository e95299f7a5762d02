"""Which modules a plugin owns, and taking them out of `sys.modules`."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeGuard
from urllib.parse import unquote, urlsplit

import attrs

from pegboard.plugins.discovery import Found
from pegboard.plugins.forgetting import forget_bytecode, forget_modules, forget_types

_CODE = {".py", ".pyc", ".pyd", ".so"}


@attrs.frozen
class Ground:
    """The files that a plugin's modules come from.

    Attributes:
        files: files of its distribution.
        folders: folders of which everything is its own: an editable install's, a module's package.
        names: names of modules given as the plugin.
        foreign: folders below those that aren't its own: an environment inside a project.
    """

    files: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    foreign: tuple[str, ...] = ()

    def owns(self, name: str, module: ModuleType) -> bool:
        """Whether the plugin brought this module."""
        if name in self.names or any(name.startswith(f"{each}.") for each in self.names):
            return True
        file = vars_of(module).get("__file__")
        if isinstance(file, str):
            is_below = file.startswith(self.folders) and not file.startswith(self.foreign)
            return file in self.files or is_below
        return False


def ground_of(found: Found) -> Ground:
    """The ground of an installed plugin, by its RECORD; an editable install's folder."""
    files = frozenset(str(each) for each in found.files if each.suffix in _CODE)
    folders = _editable_folders(found)
    foreign = tuple(each for each in _environment() if each.startswith(folders))
    return Ground(files, folders, frozenset({found.module}), foreign)


def ground_of_module(module: ModuleType) -> Ground:
    """The ground of a module that was given as the plugin: itself, and its package if it is one."""
    return Ground(names=frozenset({module.__name__}))


def owned(ground: Ground) -> dict[str, ModuleType]:
    """The modules in `sys.modules` that come from this ground."""
    if ground == Ground():
        return {}
    return {name: module for name, module in _modules() if ground.owns(name, module)}


def _modules() -> list[tuple[str, ModuleType]]:
    known: dict[str, object] = dict(sys.modules)  # anything may stand there
    return [(name, each) for name, each in known.items() if _is_module(each)]


def _is_module(value: object) -> TypeGuard[ModuleType]:
    """Whether it is a module, by its type: asking the object itself may run its code."""
    return issubclass(type(value), ModuleType)


def vars_of(module: ModuleType) -> dict[str, Any]:
    """What stands in a module, without asking its `__getattr__`."""
    names: dict[str, Any] = object.__getattribute__(module, "__dict__")
    return names


@attrs.define(eq=False)
class Holding:
    """The modules of one load of a plugin.

    Attributes:
        ground: where they come from.
        others: the grounds of other plugins.
        is_handed_over: whether a successor has their names by now.
        extensions: the state of each extension module's file when it was loaded, by name.
        taken: those that were taken out of `sys.modules`, until somebody asks what is left of them.
        earlier: the names of those that somebody else had imported before the load.
    """

    ground: Ground
    others: tuple[Ground, ...] = ()
    is_handed_over: bool = False
    extensions: Mapping[str, tuple[int, int, int]] = attrs.field(factory=dict)
    taken: Mapping[str, ModuleType] = attrs.field(factory=dict)
    earlier: frozenset[str] = attrs.field(init=False)

    @earlier.default
    def _imported_by_others(self) -> frozenset[str]:
        return frozenset(owned(self.ground))

    def release(self) -> None:
        """Take them out of `sys.modules`, unless a successor's stand there."""
        if not self.is_handed_over:
            self.taken = purge(self.ground, others=self.others)
        forget_types()


def purge(ground: Ground, *, others: Iterable[Ground]) -> Mapping[str, ModuleType]:
    """Take a plugin's modules out of `sys.modules`, but for those that another plugin uses.

    Returns:
        those that were taken out.
    """
    own = owned(ground)
    kept = {name for other in others for name in _used_by(other, own)}
    gone = {name: module for name, module in own.items() if name not in kept}
    for name, module in gone.items():
        sys.modules.pop(name, None)
        _detach(name, module)
    forget_modules(gone)
    forget_bytecode(gone.values())
    return gone


def _detach(name: str, module: ModuleType) -> None:
    parent, _, child = name.rpartition(".")
    holder = sys.modules.get(parent)
    if _is_module(holder) and vars_of(holder).get(child) is module:
        del vars_of(holder)[child]


def _used_by(other: Ground, own: dict[str, ModuleType]) -> Iterable[str]:
    for name, module in owned(other).items():
        if name in own:
            yield name
            continue
        for value in list(vars_of(module).values()):
            source = vars_of(value).get("__name__") if _is_module(value) else _module_of(value)
            if source in own:
                yield source


def _module_of(value: object) -> str:
    if not isinstance(value, (FunctionType, type)):
        value = type(value)
    source = value.__dict__.get("__module__") if isinstance(value, type) else value.__module__
    return source if type(source) is str else ""


def _editable_folders(found: Found) -> tuple[str, ...]:
    for file in found.files:
        if file.name == "direct_url.json" and file.is_file():
            told = json.loads(file.read_text(encoding="utf-8"))
            if told.get("dir_info", {}).get("editable"):
                folder = Path(unquote(urlsplit(told["url"]).path)).resolve()
                return (f"{folder}/",)
    return ()


def _environment() -> Iterable[str]:
    """The folders of the running interpreter and of everything that is installed for it."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    return (f"{folder}/" for prefix in prefixes for folder in {prefix, str(Path(prefix).resolve())})
