"""What discovery depends on, as states of files and folders: while they are the same, it is."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

import attrs

from pegboard.cache import is_settled, state_of
from pegboard.plugins.discovery import Found
from pegboard.plugins.marks import sources_of
from pegboard.plugins.modules import editable_folders, own_folders

_METADATA = (".dist-info", ".egg-info")
_TOLD = "entry_points.txt"
_OF_PLUGINS = ("METADATA", "RECORD", "direct_url.json")
_MOST_SOURCES = 5_000


@attrs.frozen
class Environment:
    """The states of what was looked at, by path, taken before anything was read.

    Attributes:
        states: text for each path; see `state_of`.
        is_settled: whether whatever changes later shows.
    """

    states: Mapping[str, str]
    is_settled: bool

    @classmethod
    def now(cls) -> "Environment":
        """The folders that the interpreter imports from, and the metadata in them."""
        return cls.of(_paths())

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Environment":
        """The states of some paths as they are now."""
        began = time.time()
        states = {path: state_of(path) for path in paths}
        return cls(states, is_settled(states.values(), now=began))

    def with_plugins(self, offers: Iterable[Found]) -> "Environment":
        """The same with what tells of the plugins that were found there, and of their sources."""
        paths = chain.from_iterable(map(_of_plugin, offers))
        more = Environment.of(path for path in paths if path not in self.states)
        has_all = len(more.states) <= _MOST_SOURCES
        settled = self.is_settled and more.is_settled and has_all
        return Environment({**self.states, **more.states}, settled)

    @property
    def is_current(self) -> bool:
        """Whether everything is still in the same state."""
        return all(state_of(path) == state for path, state in self.states.items())


def _paths() -> Iterator[str]:
    for folder in dict.fromkeys(each or os.getcwd() for each in sys.path):  # noqa: PTH109 - text
        yield folder
        yield from _metadata_in(folder)


def _metadata_in(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            names = [each.path for each in entries if each.name.endswith(_METADATA)]
    except OSError:
        return
    for path in names:
        yield path
        yield f"{path}/{_TOLD}"


def _of_plugin(found: Found) -> Iterator[str]:
    if found.metadata is not None:
        yield from (f"{found.metadata}/{name}" for name in _OF_PLUGINS)
    sources = (path for path, _ in sources_of(found))
    folders = (path for each in editable_folders(found) for path, _, _ in own_folders(each))
    yield from islice(chain(folders, sources), _MOST_SOURCES + 1)
    if found.adapter is not None:
        yield from _of_plugin(found.adapter)
