"""Whether installed files are those that a RECORD lists."""

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, SOURCE_SUFFIXES, PathFinder
from pathlib import Path, PurePosixPath

import attrs

from pegboard.plugins.trust.bytecode import foreign_bytecode
from pegboard.plugins.trust.record import RecordLine

_HASHES = ("sha256", "sha384", "sha512")
_SIGNATURES = ("RECORD", "RECORD.jws", "RECORD.p7s")
_SUFFIXES = (*SOURCE_SUFFIXES, *BYTECODE_SUFFIXES, *EXTENSION_SUFFIXES, ".so", ".pyd")


@attrs.frozen
class FileProblem:
    """An installed file that isn't what it should be.

    Attributes:
        path: the file, as RECORD names it.
        reason: what is wrong, in words that follow the path.
    """

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"


def file_problems(metadata: Path, lines: Iterable[RecordLine]) -> Iterator[FileProblem]:
    """Every file that isn't as RECORD says, and every one that Python would import beside them.

    Args:
        metadata: the folder that holds RECORD.
        lines: what stands in it.
    """
    listed = tuple(lines)
    for line in listed:
        yield from _of_line(metadata, line)
    known = frozenset(line.path for line in listed)
    yield from _unlisted(metadata.parent, known)


def module_problem(root: Path, module: str, lines: Iterable[RecordLine]) -> FileProblem | None:
    """What is wrong with the file that importing a module would run, if it isn't listed.

    Nothing is imported.

    Args:
        root: the folder to which the lines are relative.
        module: its dotted name.
        lines: the files of the distribution.
    """
    origin = _origin(module)
    if origin is None:
        return FileProblem(module, "is the module of the entry point, and can't be found")
    listed = {os.path.realpath(root / line.path) for line in lines}
    if os.path.realpath(origin) not in listed:
        return FileProblem(origin, f"would be imported as {module!r}, and isn't in RECORD")
    return None


def _origin(module: str) -> str | None:
    """The file that Python would import as this module, found without importing its parents."""
    names = module.split(".")
    path = None
    for end in range(1, len(names)):
        spec = PathFinder.find_spec(".".join(names[:end]), path)
        if spec is None or spec.submodule_search_locations is None:
            return None
        path = list(spec.submodule_search_locations)
    spec = PathFinder.find_spec(module, path)
    return None if spec is None else spec.origin


def _of_line(metadata: Path, line: RecordLine) -> Iterator[FileProblem]:
    if line.is_cached:
        return
    file = metadata.parent / line.path
    is_itself = file.parent == metadata and file.name in _SIGNATURES
    try:
        reason = "is missing" if not file.exists() else None
        if reason is None and not file.is_file():
            reason = "is no file"
        if reason is None:
            text = file.read_bytes()
            reason = None if is_itself and not line.hash else _mismatch(text, line.hash)
            yield from _bytecode(file, text, metadata.parent) if reason is None else ()
    except OSError as error:
        reason = f"can't be read: {error.strerror}"
    if reason is not None:
        yield FileProblem(line.path, reason)


def _mismatch(text: bytes, expected: str) -> str | None:
    kind, _, value = expected.partition("=")
    if not expected:
        return "has no hash in RECORD"
    if kind not in _HASHES:
        return f"has a hash in RECORD that proves nothing: {kind}"
    found = base64.urlsafe_b64encode(hashlib.new(kind, text).digest()).rstrip(b"=").decode()
    return None if found == value.rstrip("=") else "differs from RECORD"


def _bytecode(file: Path, text: bytes, root: Path) -> Iterator[FileProblem]:
    if file.suffix in SOURCE_SUFFIXES:
        for kept in foreign_bytecode(file, text):
            shown = os.path.relpath(kept, root).replace(os.sep, "/")
            yield FileProblem(shown, "isn't what its source compiles to, and would be run")


def _unlisted(root: Path, known: frozenset[str]) -> Iterator[FileProblem]:
    """Files that can be imported and aren't listed: in a package, or in the place of a module."""
    modules = [PurePosixPath(each) for each in sorted(known) if _is_importable(each)]
    packages = {each.parent for each in modules if each.name.startswith("__init__.")}
    outer = [each for each in sorted(packages) if not packages.intersection(each.parents)]
    for package in outer:
        yield from _added(root, package, known)
    for module in modules:
        if not packages.intersection(module.parents):
            yield from _preferred(root, module, known)


def _is_importable(path: str) -> bool:
    is_inside = "__pycache__" not in path and not path.startswith(("..", "/"))
    return is_inside and path.endswith(_SUFFIXES)


def _added(root: Path, package: PurePosixPath, known: frozenset[str]) -> Iterator[FileProblem]:
    for folder, inner, files in os.walk(root / package):
        inner[:] = sorted(each for each in inner if each != "__pycache__")
        paths = (Path(folder, each).relative_to(root).as_posix() for each in sorted(files))
        for path in paths:
            if path not in known and path.endswith(_SUFFIXES):
                yield FileProblem(path, "can be imported, and isn't in RECORD")
        for link in (Path(folder, each) for each in inner if Path(folder, each).is_symlink()):
            yield FileProblem(link.relative_to(root).as_posix(), "leads out of the package")


def _preferred(root: Path, module: PurePosixPath, known: frozenset[str]) -> Iterator[FileProblem]:
    """What Python would rather import than a module that stands in no package of its own."""
    stem = module.name.partition(".")[0]
    names = [f"{stem}{suffix}" for suffix in _SUFFIXES]
    names += [f"{stem}/__init__{suffix}" for suffix in _SUFFIXES]
    for path in ((module.parent / name).as_posix() for name in dict.fromkeys(names)):
        if path not in known and (root / path).exists():
            yield FileProblem(path, f"would be imported in the place of {module.name}")
