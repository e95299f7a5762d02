"""Plugins of other hosts: an adapter makes a plugin of what stands in a foreign group."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType

import attrs

from pegboard.errors import PluginLoadError
from pegboard.hooks import hookimpl
from pegboard.plugins.discovery import Found
from pegboard.plugins.loadthread import located
from pegboard.plugins.modules import code_files, own_ground_of, owned


@attrs.frozen(eq=False)
class ForeignEntry:
    """An entry point of a foreign group, as an adapter gets it; nothing of it is imported yet.

    Attributes:
        name: its name, which is the plugin's.
        group: the foreign group.
        distribution: what pip installed it from.
        version: the version of that.
    """

    name: str
    group: str
    distribution: str
    version: str
    _found: Found = attrs.field(repr=False)
    _load: Callable[[Found], object] = attrs.field(repr=False)

    def load(self) -> object:
        """The module or object that it refers to; imports it.

        Raises:
            PluginLoadError: that failed, in whatever way.
        """
        try:
            return self._load(self._found)
        except BaseException as error:
            what = f"importing {self._found.module!r}"
            raise PluginLoadError(f"{what} raised {located(error)}") from error

    def mentions(self, text: str) -> bool:
        """Whether any code of its distribution holds some text; so too where that can't be read.

        An adapter can tell from that whether there is anything for it, and import nothing else.
        """
        files = tuple(code_files(self._found))
        return not files or any(_holds(file, text.encode()) for file in files)

    def modules(self) -> Mapping[str, ModuleType]:
        """The modules of its distribution that are imported now."""
        return owned(own_ground_of(self._found))


def _holds(file: Path, text: bytes) -> bool:
    try:
        return text in file.read_bytes()
    except OSError:
        return False


class Nothing:
    """A plugin of which its adapter says that it has nothing to offer."""

    @hookimpl
    def pegboard_tools(self) -> Iterable[object]:
        """No tools."""
        return ()


def adapted(found: Found, adapter: Found, load: Callable[[Found], object]) -> object:
    """The plugin that an adapter makes of an entry point.

    Args:
        found: the entry point.
        adapter: its adapter.
        load: imports what an entry point refers to.

    Raises:
        PluginLoadError: the adapter can't be imported; or the entry point can't, if it asks for it.
    """
    reference = f"{adapter.module}:{adapter.attribute}".rstrip(":")
    whose = f"its adapter {reference!r} of {adapter.distribution} {adapter.version}"
    try:
        adapt = load(adapter)
    except BaseException as error:
        raise PluginLoadError(f"{whose} can't be imported: {located(error)}") from error
    if not callable(adapt):
        raise PluginLoadError(f"{whose} can't be called; name a function of the module")
    entry = ForeignEntry(found.name, adapter.name, found.distribution, found.version, found, load)
    made: object = adapt(entry)
    return Nothing() if made is None else made
