"""Which distributions an environment has, and which of them somebody has named."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import attrs

from pegboard.plugins.discovery import normalised

READ = (
    "import importlib.metadata as m, json;"
    "print(json.dumps([[n, d.version, d.read_text('direct_url.json')]"
    " for d in m.distributions() if (n := d.metadata['Name'])]))"
)
"""What an interpreter runs to say so."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_REQUIREMENT = re.compile(rf"({_NAME.pattern})\s*(?:$|[\[<>=!~;@(\s])")


@attrs.frozen
class Distribution:
    """One that is installed.

    Attributes:
        name: its name.
        version: its version.
        origin: the address that it came from, if it was no name.
    """

    name: str
    version: str
    origin: str | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


Installed = Mapping[str, Distribution]
"""By normalised name."""


def read(printed: str) -> Installed:
    """What an interpreter has said; of two of one name, the first is the one that is imported."""
    found: dict[str, Distribution] = {}
    for name, version, direct in json.loads(printed):
        found.setdefault(normalised(name), Distribution(name, str(version), _origin(direct)))
    return found


def is_name(text: str) -> bool:
    """Whether this can be the name of a distribution."""
    return _NAME.fullmatch(text) is not None


def named(texts: Iterable[str], now: Installed) -> frozenset[str]:
    """The normalised names of what an installer was told to install, as far as that is known.

    Args:
        texts: requirements, wheels, folders and addresses.
        now: what is installed.
    """
    return frozenset(name for text in texts for name in _named(text, now))


def _named(text: str, now: Installed) -> Iterator[str]:
    required = _REQUIREMENT.match(text)
    if text.endswith(".whl") and "@" not in text:
        yield normalised(Path(text).name.partition("-")[0])
    elif required is not None:
        yield normalised(required[1])
    address = text.removeprefix("git+").partition("#")[0]
    path = str(Path(text.partition("[")[0]).resolve())
    for name, each in now.items():
        if each.origin is not None and (address.startswith(each.origin) or path == each.origin):
            yield name


def changed(before: Installed, after: Installed) -> tuple[Sequence[str], Sequence[str]]:
    """What has come, and what has gone."""
    came = [str(each) for name, each in after.items() if str(each) != str(before.get(name))]
    gone = [str(each) for name, each in before.items() if name not in after]
    return sorted(came), sorted(gone)


def _origin(direct: str | None) -> str | None:
    """The address in a `direct_url.json`; a path, where it is one of this machine."""
    try:
        url = str(json.loads(direct or "")["url"])
    except (KeyError, TypeError, ValueError):
        return None
    return unquote(url.removeprefix("file://")) if url.startswith("file://") else url
