"""Selectors: how a mask or a rule names tools."""

import re
from collections.abc import Callable
from fnmatch import translate
from string import ascii_letters, digits
from typing import Any, TypeAlias

import attrs

from pegboard.names import is_tool_name

_CHARACTERS = f"{ascii_letters}{digits}_-.@:"
_PART = re.compile(r"\[!?\]?[^\]]*\]|.", re.DOTALL)


def _tags(values: Any) -> frozenset[str]:
    return frozenset({values} if isinstance(values, str) else values)


@attrs.frozen
class Select:
    """Tools by what they are; all fields that are given must match.

    Attributes:
        plugin: the name of the plugin that brought it.
        distribution: the distribution of that plugin.
        tags: tags that it must have, all of them.
        read_only: what it says of itself; unsaid counts as MCP's default (not read-only).
        destructive: likewise (destructive).
        idempotent: likewise (not idempotent).
        open_world: likewise (open world).
    """

    plugin: str | None = None
    distribution: str | None = None
    tags: frozenset[str] = attrs.field(default=frozenset(), converter=_tags)
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def __str__(self) -> str:
        said = attrs.asdict(self, filter=lambda _, value: value not in (None, frozenset()))
        shown = (f"{key}={sorted(v) if key == 'tags' else v!r}" for key, v in said.items())
        return f"Select({', '.join(shown)})"


Selector: TypeAlias = str | Select
"""An exact name, a pattern of `fnmatch`, or a `Select`."""


def is_exact(selector: Selector) -> bool:
    """Whether the selector is one exact name."""
    return isinstance(selector, str) and not any(each in selector for each in "*?[")


def can_match(selector: str, *, is_name: Callable[[str], bool] = is_tool_name) -> bool:
    """Whether an exact name or a pattern matches any name that there can be.

    Args:
        selector: the name or pattern.
        is_name: whether a text can be a name; that of a tool, unless others are meant.
    """
    shortest = ""
    for part in _PART.findall(selector):
        if part == "*":
            continue
        matches = re.compile(translate(part)).match
        fitting = [each for each in _CHARACTERS if matches(each)]
        if not fitting:
            return False
        shortest += fitting[0]
    starts = ("", "a") if selector.startswith("*") else ("",)
    ends = ("", "a") if selector.endswith("*") else ("",)
    return any(is_name(f"{start}{shortest}{end}") for start in starts for end in ends)
