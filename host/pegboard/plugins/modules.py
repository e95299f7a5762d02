"""Which modules a plugin owns, and taking them out of `sys.modules`."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

import attrs

from pegboard.plugins.discovery import Found
from pegboard.plugins.forgetting import forget_bytecode, forget_modules
from pegboard.plugins.unasked import file_of, is_module, module_of, text, vars_of

_CODE = {".py", ".pyc", ".pyd", ".so"}
_SKIPPED = {"__pycache__", "node_modules"}


@attrs.frozen
class Ground:
    """The files that a plugin's modules come from.

    Attributes:
        files: files of its distribution.
        folders: folders of which everything is its own: an editable install's, a module's package.
        names: names of modules given as the plugin.
        foreign: folders below those that aren't its own: an environment inside a project.
        is_exact: whether a module of such a name from another file is somebody else's.
    """

    files: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    foreign: tuple[str, ...] = ()
    is_exact: bool = False

    def owns(self, name: str, module: ModuleType) -> bool:
        """Whether the plugin brought this module."""
        return self.owns_file(name, file_of(module))

    def owns_file(self, name: str, file: str) -> bool:
        """Whether a module of this name that comes from a file is the plugin's."""
        is_below = file.startswith(self.folders) and not file.startswith(self.foreign)
        if file in self.files or is_below:
            return True
        is_free = not (file and self.is_exact)
        return self.owns_name(name) and (is_free or self._leads_here(file))

    def may_share(self, other: "Ground") -> bool:
        """Whether a module could be of both; surely not, if this says so."""
        is_vague = self.folders or other.folders or not self.files or not other.files
        is_apart = self.files.isdisjoint(other.files) and self.names.isdisjoint(other.names)
        return bool(is_vague) or not is_apart

    def owns_name(self, name: str) -> bool:
        """Whether a module of this name is the plugin's, unless it comes from elsewhere."""
        return name in self.names or any(name.startswith(f"{each}.") for each in self.names)

    def _leads_here(self, file: str) -> bool:
        return os.path.realpath(file) in map(os.path.realpath, self.files)


def ground_of(found: Found) -> Ground:
    """The ground of an installed plugin, and of its adapter if it has one."""
    own = own_ground_of(found)
    if found.adapter is None:
        return own
    shared = own_ground_of(found.adapter)
    return attrs.evolve(
        own,
        files=own.files | shared.files,
        folders=own.folders + shared.folders,
        foreign=own.foreign + shared.foreign,
    )


def own_ground_of(found: Found) -> Ground:
    """The ground of a distribution, by its RECORD; an editable install's folder."""
    files = frozenset(str(each) for each in found.files if each.suffix in _CODE)
    folders = editable_folders(found)
    foreign = foreign_folders(folders)
    is_exact = bool(files_of_module(found))
    return Ground(files, folders, frozenset({found.module}), foreign, is_exact=is_exact)


def code_files(found: Found) -> Iterator[Path]:
    """The files with an installed plugin's own code, wherever they are; reads no other."""
    yield from (each for each in found.files if each.suffix in _CODE)
    for folder in editable_folders(found):
        for path, _, files in own_folders(folder):
            yield from (Path(path, each) for each in files if each.endswith(".py"))


def files_of_module(found: Found) -> frozenset[Path]:
    """Which of an installed plugin's files is its module; empty where that can't be told."""
    path = found.location.joinpath(*found.module.split("."))
    return frozenset({path.with_name(f"{path.name}.py"), path / "__init__.py"} & {*found.files})


def foreign_folders(folders: tuple[str, ...]) -> tuple[str, ...]:
    """What lies below folders of a plugin and isn't its own: the environment of the interpreter."""
    return tuple(each for each in _environment() if each.startswith(folders)) if folders else ()


def own_folders(folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """The same as `os.walk`, but for what isn't a plugin's own code: environments, caches."""
    foreign = foreign_folders((folder,))
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if _is_own(Path(path, each), foreign))
        yield path, folders, files


def _is_own(folder: Path, foreign: tuple[str, ...]) -> bool:
    is_hidden = folder.name.startswith(".") or folder.name in _SKIPPED
    is_foreign = f"{folder}/".startswith(foreign) or (folder / "pyvenv.cfg").is_file()
    return not (is_hidden or is_foreign)


def ground_of_module(module: ModuleType) -> Ground:
    """The ground of a module that was given as the plugin: itself, and its package if it is one."""
    return Ground(names=frozenset({module.__name__}))


def owned(ground: Ground) -> dict[str, ModuleType]:
    """The modules in `sys.modules` that come from this ground."""
    if ground == Ground():
        return {}
    candidates = _candidates(ground)
    return {name: each for name, each in candidates if is_module(each) and ground.owns(name, each)}


def _candidates(ground: Ground) -> Iterator[tuple[str, object]]:
    """Those modules that may come from there, told by a glance: there are thousands of others."""
    names = tuple(f"{each}." for each in ground.names)
    for name, each in _modules().items():
        if type(each) is ModuleType:
            file = each.__dict__.get("__file__")
            is_file = type(file) is str and file in ground.files
            is_below = type(file) is str and file.startswith(ground.folders)
            if not (is_file or is_below or name in ground.names or name.startswith(names)):
                continue
        yield name, each


def _owned_by_any(grounds: Sequence[Ground]) -> Iterator[tuple[str, ModuleType]]:
    """The modules that come from any of these grounds, in one walk over all modules."""
    files = frozenset[str]().union(*(each.files for each in grounds))
    names = frozenset[str]().union(*(each.names for each in grounds))
    folders = tuple(folder for each in grounds for folder in each.folders)
    for name, module in _candidates(Ground(files, folders, names)):
        if is_module(module):
            is_file = file_of(module) in files
            if is_file or any(each.owns(name, module) for each in grounds):
                yield name, module


def standing_in(ground: Ground) -> dict[str, object]:
    """What a plugin has put into `sys.modules` in the place of its modules, and is none."""
    known = _modules().items() if ground.names else ()
    return {name: each for name, each in known if not is_module(each) and ground.owns_name(name)}


def _modules() -> dict[str, object]:
    known: dict[str, object] = dict(sys.modules)  # anything may stand there
    return {name: known[name] for name in known if type(name) is str}


def purge(ground: Ground, *, others: Iterable[Ground]) -> Mapping[str, ModuleType]:
    """Take a plugin's modules out of `sys.modules`, but for those that another plugin uses.

    Returns:
        those that were taken out.
    """
    own, grounds = owned(ground), tuple(others)
    kept = _used_by(grounds, own) if own else set()
    gone = {name: module for name, module in own.items() if name not in kept}
    for name, module in gone.items():
        sys.modules.pop(name, None)
        _detach(name, module)
    for name in standing_in(ground):
        if not any(each.owns_name(name) for each in grounds):
            sys.modules.pop(name, None)
    forget_modules(gone)
    forget_bytecode(filter(None, map(file_of, gone.values())))
    return gone


def _detach(name: str, module: ModuleType) -> None:
    parent, _, child = name.rpartition(".")
    holder = sys.modules.get(parent)
    if is_module(holder) and vars_of(holder).get(child) is module:
        del vars_of(holder)[child]


def _used_by(others: Sequence[Ground], own: dict[str, ModuleType]) -> set[str]:
    """Which of a plugin's modules others have imported, with all that those use in turn."""
    used: set[str] = set()
    found = list(_owned_by_any(others))
    while found:
        name, module = found.pop()
        sources = {name, *_sources_of(module)} if name not in used else set()
        for source in sources & own.keys() - used:
            found += [(each, own[each]) for each in _with_parents(source) if each in own]
        used |= {name} & own.keys()
    return used


def _sources_of(module: ModuleType) -> Iterable[str]:
    """The modules that a module has imported, or things of theirs."""
    for value in list(vars_of(module).values()):
        yield text(vars_of(value).get("__name__")) if is_module(value) else module_of(value)


def _with_parents(name: str) -> Iterable[str]:
    """A module and the packages above it, which come with it."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def editable_folders(found: Found) -> tuple[str, ...]:
    """The folder of an editable install, with its slash; nothing for any other."""
    told = found.metadata and found.metadata / "direct_url.json"
    if told is not None and told.is_file():
        said = json.loads(told.read_text(encoding="utf-8"))
        if said.get("dir_info", {}).get("editable"):
            folder = os.path.realpath(unquote(urlsplit(said["url"]).path))
            return (f"{folder}/",)
    return ()


def _environment() -> Iterable[str]:
    """The folders of the running interpreter and of everything that is installed for it."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    return (f"{folder}/" for prefix in prefixes for folder in {prefix, str(Path(prefix).resolve())})
