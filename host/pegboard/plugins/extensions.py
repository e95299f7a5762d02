"""Extension modules of plugins: which of them a process can't have anew."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from types import BuiltinFunctionType, ModuleType

from pegboard.errors import PluginLoadError
from pegboard.plugins.aside import set_aside
from pegboard.plugins.holding import File, Holding
from pegboard.plugins.loadthread import shown
from pegboard.plugins.modules import Ground, owned
from pegboard.plugins.sources import Source
from pegboard.plugins.unasked import file_of, is_extension

_SUFFIXES = (".so", ".pyd")
_GOES_ON = "and this process goes on with what it has loaded"


class Lasting:
    """The files from which this process has loaded extension modules, for as long as it lives.

    Whatever takes their places later, the process has the code that it has loaded. So this stays
    in `sys.meta_path`, once there is one, and has whoever imports them again told.
    """

    def __init__(self) -> None:
        self._files: dict[str, dict[str, File]] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """How an extension module is loaded that this process has loaded before.

        Raises:
            ImportError: `restart needed`; its file is another by now.
        """
        files = self._files.get(fullname)
        spec = None if files is None or target else PathFinder.find_spec(fullname, path)
        if files is None or spec is None or spec.origin not in files:
            return None
        file = files[spec.origin]
        if not file.is_on_disk:
            raise ImportError(
                f"restart needed: extension module {fullname!r} has changed, {_GOES_ON}"
            )
        return spec_from_file_location(fullname, file.path, loader=_Again(fullname, file.path))

    def note(self, name: str, file: File) -> None:
        """Know of one that is loaded; the first file at a path is the one that lasts."""
        self._files.setdefault(name, {}).setdefault(file.path, file)


class _Again(ExtensionFileLoader):
    """Loads what this process has loaded before, or says that it can't."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module, which may be the one that there was."""
        with _told(self.name):
            return super().create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Fill it, where it is not what there was."""
        with _told(self.name):
            super().exec_module(module)


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        text = f"extension module {name!r} can't be imported twice in one process"
        raise ImportError(f"restart needed: {text} ({shown(error)})") from error


def _lasting() -> Lasting:
    """What this process knows of its extension modules."""
    for finder in list(sys.meta_path):
        if issubclass(type(finder), Lasting):
            return finder  # type: ignore[return-value]
    made = Lasting()
    sys.meta_path = [made, *sys.meta_path]
    return made


def extensions_of(ground: Ground) -> dict[str, ModuleType]:
    """The extension modules that are imported from a ground."""
    is_plain = ground.files and not any(each.endswith(_SUFFIXES) for each in ground.files)
    if is_plain and not ground.folders:
        return {}
    return {name: module for name, module in owned(ground).items() if is_extension(module)}


def note_extensions(holding: Holding) -> None:
    """Have the process know of the extension modules that a plugin has imported until now."""
    found = {} if holding.is_handed_over else extensions_of(holding.ground)
    for name, module in found.items():
        unknown = File(file_of(module), (0, 0, 0))
        _lasting().note(name, holding.files.get(name, unknown))


def check_extensions(holding: Holding) -> None:
    """Refuse to exchange extension modules whose files have changed.

    A process runs what it has once loaded from a path, whatever is there by now.

    Raises:
        PluginLoadError: `restart needed`, naming them.
    """
    known = holding.files
    found = extensions_of(holding.ground)
    changed = sorted(name for name in found if name not in known or not known[name].is_on_disk)
    if changed:
        names = ", ".join(map(repr, changed))
        text = f"restart needed: extension modules have changed ({names}), {_GOES_ON}"
        raise PluginLoadError(text)


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
