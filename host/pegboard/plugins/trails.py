"""Where links lead a path, and which they are; of a path that leads nowhere too."""

import os
from pathlib import Path

import attrs

_MOST_LINKS = 40
"""As many as systems follow."""


@attrs.frozen
class Trail:
    """How a path is followed.

    Attributes:
        path: all of it, as it was named.
        end: where it leads; where it can't be followed further, the rest as it was named.
        links: what it goes through on the way, each in a place that is no link.
    """

    path: str
    end: str
    links: tuple[str, ...]


def trail_of(path: str | Path) -> Trail:
    """How a path is followed; never raises, whatever is or isn't there."""
    whole = _whole(path)
    at, *names = whole.parts or ("",)
    links: list[str] = []
    pending = names[::-1]
    while pending:
        name = pending.pop()
        here = os.path.dirname(at) if name == ".." else os.path.join(at, name)  # noqa: PTH118, PTH120
        said = _target(here) if name != ".." and len(links) < _MOST_LINKS else None
        if said is None:
            at = here
            continue
        links.append(here)
        at = said.anchor or at
        pending += [each for each in said.parts if each != said.anchor][::-1]
    return Trail(str(whole), at, tuple(dict.fromkeys(links)))


def _whole(path: str | Path) -> Path:
    try:
        return Path(path).absolute()
    except OSError:  # the working folder is gone
        return Path(path)


def _target(path: str) -> Path | None:
    """What a link says; None where there is none, or nobody may know."""
    try:
        return Path(os.readlink(path))  # noqa: PTH115 - hundreds of times at each change
    except (OSError, ValueError):
        return None
