"""Time zones out of the tzdata package, so that they are the same on every machine."""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib.resources import files
from zoneinfo import ZoneInfo


class UnknownZoneError(ValueError):
    """A name that no time zone has; the message lists near ones."""


def zone_names() -> tuple[str, ...]:
    """The IANA name of every time zone, in order."""
    text = files("tzdata").joinpath("zones").read_text(encoding="utf-8")
    return tuple(sorted(text.split()))


def load_zone(name: str) -> ZoneInfo:
    """The time zone of a name.

    Raises:
        UnknownZoneError: there is none of exactly that name.
    """
    known = zone_names()
    if name not in known:
        raise UnknownZoneError(_unknown(name, known))
    source = files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with source.open("rb") as stream:
        return ZoneInfo.from_file(stream, key=name)


def near_zones(name: str, known: Iterable[str], *, most: int = 3) -> tuple[str, ...]:
    """The zones that somebody who wrote `name` may have meant, nearest first."""
    folded = {_folded(zone): zone for zone in known}
    wanted = _folded(name)[:64]
    places = [zone for key, zone in folded.items() if wanted in key.split("/")]
    close = get_close_matches(wanted, folded, n=most, cutoff=0.6)
    return tuple(dict.fromkeys([*places, *map(folded.__getitem__, close)]))[:most]


def _folded(name: str) -> str:
    return "_".join(name.casefold().replace("-", "_").split())


def _unknown(name: str, known: Iterable[str]) -> str:
    near = " or ".join(map(repr, near_zones(name, known)))
    suggestion = f"did you mean {near}? " if near else ""
    return (
        f"there is no time zone {_shown(name)}; {suggestion}give an IANA name of the form "
        "Area/City, such as 'Europe/Oslo' or 'America/New_York', or 'UTC'"
    )


def _shown(name: str) -> str:
    return ascii(name if len(name) <= 64 else f"{name[:63]}...")
