"""Extension modules of plugins: which of them a process can't have anew."""

import importlib
from collections.abc import Mapping
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import BuiltinFunctionType, ModuleType

from pegboard.errors import PluginLoadError
from pegboard.plugins.aside import set_aside
from pegboard.plugins.loadthread import shown
from pegboard.plugins.modules import Ground, Holding, owned, vars_of
from pegboard.plugins.sources import Source

_SUFFIXES = (".so", ".pyd")


def extensions_of(ground: Ground) -> dict[str, ModuleType]:
    """The extension modules that are imported from a ground."""
    if not ground.folders and not any(each.endswith(_SUFFIXES) for each in ground.files):
        return {}
    return {
        name: module
        for name, module in owned(ground).items()
        if isinstance(vars_of(module).get("__loader__"), ExtensionFileLoader)
    }


def note_extensions(holding: Holding) -> None:
    """Remember the files of a plugin's extension modules as they are now."""
    holding.extensions = _files_of(holding.ground)


def check_extensions(holding: Holding) -> None:
    """Refuse to exchange extension modules whose files have changed.

    A process runs what it has once loaded from a path, whatever is there by now.

    Raises:
        PluginLoadError: `restart needed`, naming them.
    """
    now = _files_of(holding.ground)
    changed = sorted(name for name in now if now[name] != holding.extensions.get(name))
    if changed:
        names = ", ".join(map(repr, changed))
        raise PluginLoadError(
            f"restart needed: extension modules have changed ({names}), and this process goes on "
            "with those that it has loaded"
        )


def _files_of(ground: Ground) -> Mapping[str, tuple[int, int, int]]:
    return {name: _state(module) for name, module in extensions_of(ground).items()}


def _state(module: ModuleType) -> tuple[int, int, int]:
    try:
        status = Path(str(vars_of(module).get("__file__"))).stat()
    except OSError:
        return (0, 0, 0)
    return status.st_mtime_ns, status.st_size, status.st_ino


def why_not_twice(source: Source) -> str | None:
    """Why a process that has imported a plugin can't import it again, or None; tries it."""
    before = extensions_of(source.ground)
    if not before:
        return None
    names = ", ".join(map(repr, sorted(before)))
    set_aside([source.ground], others=())
    try:
        source.get()
        for name in before:
            importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001 - whatever a plugin raises is told
        return f"restart needed: {names} can't be imported twice in one process ({shown(error)})"
    after = extensions_of(source.ground)
    if any(_is_same(before[name], after.get(name)) for name in before):
        return f"restart needed: {names} can't be imported twice in one process"
    return None


def _is_same(one: ModuleType, other: ModuleType | None) -> bool:
    """Whether a second import gave the very functions of the first, whatever is on disk."""
    if other is None or one is other:
        return True
    functions = {id(each) for each in vars(one).values() if isinstance(each, BuiltinFunctionType)}
    return not functions.isdisjoint(map(id, vars(other).values()))
