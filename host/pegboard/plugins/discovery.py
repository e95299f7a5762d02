"""Which plugins are installed, read from metadata without importing any of them."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

GROUP = "pegboard"
ADAPTERS = "pegboard.adapters"
"""The group of adapters: each has the name of a foreign group, whose entries it makes plugins."""

Entry = tuple[str, str, str]
"""Name, module and attribute of an entry point."""

_VALUE = re.compile(r"(?P<module>[\w.]+)\s*(?::\s*(?P<attribute>[\w.]+))?\s*(?:\[.*\])?")
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")


@attrs.frozen
class Found:
    """A plugin that some distribution offers.

    Attributes:
        name: the entry point's name.
        module: what to import.
        attribute: what to take from the module, dotted; empty for the module itself.
        distribution: the distribution's name.
        version: its version.
        location: the folder that holds its metadata.
        hidden: rivals that offer the same name, as `distribution version`.
        metadata: the folder of its metadata, where its RECORD is.
        adapter: what makes it a plugin, where it stands in a foreign group; its name is the group.
    """

    name: str
    module: str
    attribute: str
    distribution: str
    version: str
    location: Path
    _files: tuple[Path, ...] | None = attrs.field(default=None, repr=False, eq=False)
    hidden: tuple[str, ...] = ()
    metadata: Path | None = None
    adapter: "Found | None" = None

    def __str__(self) -> str:
        told = f"{self.distribution} {self.version}"
        return told if self.adapter is None else f"{told} by way of {self.adapter}"

    @property
    def ways(self) -> "tuple[Found, ...]":
        """Itself, and its adapter if it has one: whose code makes the plugin."""
        return (self,) if self.adapter is None else (self, self.adapter)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it installed; unless they are known, read as its metadata is now."""
        if self._files is not None:
            return self._files
        return () if self.metadata is None else files_of(self.metadata)

    def to_json(self) -> dict[str, Any]:
        """The same as JSON, without its rivals."""
        told = attrs.asdict(self, recurse=False)
        del told["hidden"]
        files, adapter = told.pop("_files"), told.pop("adapter")
        texts = {key: None if value is None else str(value) for key, value in told.items()}
        return {
            **texts,
            "files": None if files is None else list(map(str, files)),
            "adapter": None if adapter is None else adapter.to_json(),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "Found":
        """What `to_json` gave.

        Raises:
            TypeError: it is something else.
        """
        files, metadata, adapter = told["files"], told["metadata"], told["adapter"]
        read = {
            "location": Path(told["location"]),
            "metadata": None if metadata is None else Path(metadata),
            "files": None if files is None else tuple(map(Path, files)),
            "adapter": None if adapter is None else cls.from_json(adapter),
        }
        return cls(**{**told, **read})


@attrs.frozen
class Problem:
    """Something that discovery could not read; it costs only what stands in it.

    Attributes:
        distribution: its name, or that of its folder.
        path: the folder or file.
        reason: what is wrong.
    """

    distribution: str
    path: str
    reason: str


@attrs.frozen
class Discovery:
    """What is installed.

    Attributes:
        found: plugins by name.
        problems: what could not be read.
        offers: the same with every rival, in no order.
    """

    found: dict[str, Found]
    problems: tuple[Problem, ...]
    offers: tuple[Found, ...] = ()


def chosen(
    offers: Iterable[Found], problems: Iterable[Problem], *, prefer: Sequence[str]
) -> Discovery:
    """What is installed, with one plugin for each name.

    Args:
        offers: all that distributions offer.
        problems: what could not be read.
        prefer: distributions, first choice first, where two offer one name.
    """
    every = tuple(offers)
    return Discovery(_choose(every, prefer), tuple(problems), every)


def discover(*, prefer: Sequence[str] = (), path: Sequence[str] | None = None) -> Discovery:
    """Read the metadata of every installed distribution, each by itself.

    Args:
        prefer: distributions, first choice first, where two offer one name.
        path: folders to look in; `sys.path` where None.
    """
    reading = _Reading()
    for distribution in _distributions(sys.path if path is None else path):
        reading.each(distribution, reading.read)
    for distribution, text in reading.others if reading.adapters else ():
        reading.each(distribution, partial(reading.adapt, text=text))
    return chosen(reading.offers, dict.fromkeys(reading.problems), prefer=prefer)


def normalised(name: str) -> str:
    """A distribution's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _distributions(path: Iterable[str]) -> Iterable[Any]:
    import importlib_metadata  # late: it replaces finders of the standard library

    importlib_metadata.MetadataPathFinder.invalidate_caches()
    return importlib_metadata.distributions(path=list(path))


def files_of(metadata: Path) -> tuple[Path, ...]:
    """The files of an installed distribution, by the folder of its metadata."""
    import importlib_metadata  # late: as above

    return _files(importlib_metadata.Distribution.at(metadata)) if metadata.is_dir() else ()


def _files(distribution: Any) -> tuple[Path, ...]:
    return tuple(_absolute(each.locate()) for each in distribution.files or ())


def _folder(distribution: Any) -> Path:
    return _absolute(getattr(distribution, "_path", "unknown"))


def _absolute(path: object) -> Path:
    """A path as modules have it, also where `sys.path` has a relative one."""
    return Path(os.path.abspath(str(path)))  # noqa: PTH100 - links stay as they are


@attrs.define(eq=False)
class _Reading:
    """What was read of distributions so far.

    Attributes:
        offers: their plugins.
        adapters: their adapters.
        problems: what could not be read.
        others: those of them that have entry points, with the text of these.
    """

    offers: list[Found] = attrs.field(factory=list)
    adapters: list[Found] = attrs.field(factory=list)
    problems: list[Problem] = attrs.field(factory=list)
    others: list[tuple[Any, str]] = attrs.field(factory=list)
    _seen: dict[str, str] = attrs.field(factory=dict)

    def each(self, distribution: Any, read: Callable[[Any], None]) -> None:
        """Read one distribution; what is wrong with it stops no other."""
        try:
            read(distribution)
        except Exception as error:  # noqa: BLE001 - metadata is written by anybody
            where = _folder(distribution)
            reason = f"{type(error).__name__}: {error}"
            self.problems.append(Problem(where.name, str(where), reason))

    def read(self, distribution: Any) -> None:
        """Take the plugins and adapters of a distribution, unless it is there already."""
        folder = _folder(distribution)
        text = distribution.read_text("entry_points.txt")
        offers_plugins = text is not None and GROUP in text
        if folder.suffix == ".dist-info" and not (folder / "METADATA").is_file():
            self.problems.append(Problem(folder.name, str(folder), "its METADATA is missing"))
            return
        name, version = _identity(distribution, folder, is_exact=offers_plugins)
        earlier = self._seen.setdefault(normalised(name), str(folder))
        if earlier != str(folder):
            if offers_plugins:
                reason = f"another {name} comes first: {earlier}"
                self.problems.append(Problem(name, str(folder), reason))
            return
        if text:
            self.others.append((distribution, text))
        if offers_plugins:
            self.offers += _offers(distribution, read_entry_points(text), name, version)
            self.adapters += _offers(distribution, self._adapters(text, folder), name, version)

    def _adapters(self, text: str, folder: Path) -> Iterator[Entry]:
        for entry in read_entry_points(text, ADAPTERS):
            if entry[0] in (GROUP, ADAPTERS):
                reason = f"group {entry[0]!r} needs no adapter"
                self.problems.append(Problem(folder.name, str(folder), reason))
            else:
                yield entry

    def adapt(self, distribution: Any, *, text: str) -> None:
        """Take what a distribution has in the groups for which there is an adapter."""
        for adapter in self.adapters:
            entries = list(self._foreign(distribution, text, adapter.name))
            if entries:
                identity = _identity(distribution, _folder(distribution), is_exact=True)
                offers = _offers(distribution, entries, *identity)
                self.offers += (attrs.evolve(each, adapter=adapter) for each in offers)

    def _foreign(self, distribution: Any, text: str, group: str) -> Iterator[Entry]:
        """The entries of a foreign group; its names need not be such as plugins have."""
        for line, number in _lines(text, group) if group in text else ():
            try:
                yield _entry(line, number)
            except ValueError as error:
                where = _folder(distribution)
                self.problems.append(Problem(where.name, str(where), f"group {group!r}: {error}"))


def _identity(distribution: Any, folder: Path, *, is_exact: bool) -> tuple[str, str]:
    """Name and version; from the folder's name where nothing but the name matters."""
    if not is_exact and folder.suffix == ".dist-info" and "-" in folder.stem:
        name, _, version = folder.stem.rpartition("-")
        return name, version
    name, version = distribution.metadata["Name"], distribution.metadata["Version"]
    if not name or not version:
        raise ValueError("its METADATA has no Name or no Version")
    return str(name), str(version)


def _offers(distribution: Any, entries: Iterable[Entry], name: str, version: str) -> list[Found]:
    folder = _folder(distribution)
    files = None if folder.is_dir() else _files(distribution)
    return [
        Found(key, module, attribute, name, version, folder.parent, files, metadata=folder)
        for key, module, attribute in entries
    ]


def read_entry_points(text: str, group: str = GROUP) -> list[Entry]:
    """Name, module and attribute of each entry of a group in the text of an `entry_points.txt`.

    Raises:
        ValueError: a line of the group isn't of the form `name = module` or
            `name = module:attribute`, or a name occurs twice.
    """
    found: dict[str, Entry] = {}
    for line, number in _lines(text, group):
        entry = _entry(line, number)
        if entry[0] in found:
            raise ValueError(f"{entry[0]!r} occurs twice in entry_points.txt")
        found[entry[0]] = entry
    return list(found.values())


def _lines(text: str, group: str) -> Iterator[tuple[str, int]]:
    """The lines of a group, with their numbers."""
    section = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section is None:
            raise ValueError(f"line {number} of entry_points.txt stands before any [group]")
        elif section == group:
            yield line, number
        elif "=" not in line:
            raise ValueError(f"line {number} of entry_points.txt isn't of the form name = module")


def _entry(line: str, number: int) -> Entry:
    name, _, value = (part.strip() for part in line.partition("="))
    parsed = _VALUE.fullmatch(value)
    if parsed is None:
        raise ValueError(
            f"line {number} of entry_points.txt isn't of the form name = module:object"
        )
    if not _NAME.fullmatch(name):
        raise ValueError(f"line {number} of entry_points.txt has no name that a plugin can have")
    return name, parsed["module"], parsed["attribute"] or ""


def _choose(offers: Iterable[Found], prefer: Sequence[str]) -> dict[str, Found]:
    wanted = [normalised(each) for each in prefer]

    def place(found: Found) -> tuple[bool, list[tuple[int, str]]]:
        names = [normalised(each.distribution) for each in found.ways]
        places = [(wanted.index(n) if n in wanted else len(wanted), n) for n in names]
        return found.adapter is not None, places

    rivals: dict[str, list[Found]] = {}
    for found in sorted(offers, key=place):
        rivals.setdefault(found.name, []).append(found)
    return {
        name: attrs.evolve(first, hidden=tuple(map(str, others)))
        for name, (first, *others) in sorted(rivals.items())
    }
