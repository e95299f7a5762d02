"""The catalogue on disk: what is installed, and what each plugin shows, without any import."""

import os
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import attrs
import orjson

from pegboard.cache import cache_folder, keep_newest, read_own, write_whole
from pegboard.plugins.catalogue.environment import Environment
from pegboard.plugins.catalogue.record import Record
from pegboard.plugins.discovery import Discovery, Found, Problem, chosen
from pegboard.version import VERSION

_FORMAT = 2
_MOST_FILES = 50


@attrs.frozen
class Kept:
    """What a catalogue holds.

    Attributes:
        environment: what its discovery depends on; None where that could change unseen.
        offers: all that distributions offer.
        problems: what could not be read.
        records: what plugins show, by name.
    """

    environment: Environment | None = None
    offers: tuple[Found, ...] = ()
    problems: tuple[Problem, ...] = ()
    records: Mapping[str, Record] = attrs.field(factory=dict)

    def discovery(self, *, prefer: Sequence[str]) -> Discovery | None:
        """What is installed, if nothing has changed since; else None."""
        if self.environment is None or not self.environment.is_current:
            return None
        return chosen(self.offers, self.problems, prefer=prefer)

    def text(self) -> str:
        """The same as it stands in the file."""
        states = None if self.environment is None else self.environment.states
        told = {
            "key": _key(),
            "states": states,
            "offers": [each.to_json() for each in self.offers],
            "problems": [attrs.asdict(each) for each in self.problems],
            "records": {name: each.to_json() for name, each in self.records.items()},
        }
        return orjson.dumps(told).decode()


def read_catalogue() -> Kept:
    """The catalogue of this environment; an empty one where there is none that can be believed."""
    path = catalogue_path()
    text = None if path is None else read_own(path)
    if text is None:
        return Kept()
    try:
        return _kept(orjson.loads(text))
    except (AttributeError, KeyError, TypeError, ValueError):
        return Kept()


def write_catalogue(kept: Kept) -> bool:
    """Put a catalogue in the place of this environment's; whether that could be done."""
    path = catalogue_path()
    if path is None:
        return False
    try:
        text = kept.text()
    except (TypeError, ValueError):
        return False
    is_written = write_whole(path, text)
    if is_written:
        keep_newest(os.path.dirname(path), _MOST_FILES)  # noqa: PTH120 - text, as paths are here
    return is_written


def _kept(told: Any) -> Kept:
    if told["key"] != _key():
        return Kept()
    states = told["states"]
    return Kept(
        None if states is None else Environment(states, is_settled=True),
        tuple(Found.from_json(each) for each in told["offers"]),
        tuple(Problem(**each) for each in told["problems"]),
        {name: Record.from_json(each) for name, each in told["records"].items()},
    )


def _key() -> list[str]:
    """What catalogues differ in: the interpreter, where it imports from, who wrote it."""
    folders = (each or os.getcwd() for each in sys.path)  # noqa: PTH109 - text
    return [str(_FORMAT), VERSION, sys.version, sys.prefix, *folders]


def catalogue_path() -> str | None:
    """The catalogue of this environment; None where there can be none."""
    folder = cache_folder()
    if folder is None:
        return None
    name = blake2b("\0".join(_key()).encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return f"{folder}/catalogue/{name}.json"
