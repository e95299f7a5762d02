"""What a new plugin may be called; nothing is repaired, but something near is suggested."""

import re
import unicodedata
from collections.abc import Iterable

import attrs

from pegboard import Host
from pegboard.cli.mistakes import UsageError
from pegboard.plugins.discovery import discover, normalised

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_LONGEST = 40
_LEAD = "pegboard-"


@attrs.frozen
class Names:
    """What everything of a new plugin is called.

    Attributes:
        plugin: the plugin itself.
    """

    plugin: str

    @property
    def distribution(self) -> str:
        """What pip installs."""
        return f"{_LEAD}{self.plugin}"

    @property
    def module(self) -> str:
        """What Python imports."""
        return self.distribution.replace("-", "_")

    @property
    def prefix(self) -> str:
        """How the names of its tools begin."""
        return self.plugin.replace("-", "_")


def names_of(given: str) -> Names:
    """The names of a new plugin.

    Raises:
        UsageError: it can't have this name, or an installed one has it.
    """
    if not _NAME.fullmatch(given) or len(given) > _LONGEST or given.startswith(_LEAD):
        raise UsageError(_refusal(given))
    names = Names(given)
    holder = _holder(names)
    if holder is not None:
        raise UsageError(f"the name {given!r} is taken by {holder}; choose another")
    return names


def _refusal(given: str) -> str:
    near = _near(given)
    hint = f"; did you mean {near!r}?" if near else ""
    if normalised(given).startswith(_LEAD):
        return f"{given!a} names a distribution, and NAME is what comes after {_LEAD!r} in it{hint}"
    return (
        f"{given!a} can't be the name of a new plugin: use lower-case letters, digits and single - "
        f"inside, a letter first, and at most {_LONGEST} characters{hint}"
    )


def _near(given: str) -> str:
    """A name that can be had, as near as possible to one that can't; empty if there is none."""
    plain = unicodedata.normalize("NFKD", given).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-").removeprefix(_LEAD)
    near = re.sub(r"^[0-9-]+", "", words)[:_LONGEST].rstrip("-")
    return near if _NAME.fullmatch(near) else ""


def _holder(names: Names) -> str | None:
    """Who has the plugin's name, or its distribution's."""
    for found in discover().found.values():
        if _is_one_of(names.plugin, [found.name]):
            return f"a plugin of {found.distribution} {found.version}"
        if _is_one_of(names.distribution, [found.distribution]):
            return f"the distribution {found.distribution} {found.version}"
    built_in = Host(discover=False).plugins
    return "a built-in plugin" if _is_one_of(names.plugin, built_in) else None


def _is_one_of(name: str, others: Iterable[str]) -> bool:
    return any(normalised(each) == name for each in others)
