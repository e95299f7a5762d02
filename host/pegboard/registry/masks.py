"""Restrictions: allow/deny masks over inherited tools."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate

import attrs

from pegboard.config import Place
from pegboard.errors import RestrictionError
from pegboard.registry.entry import Entry
from pegboard.selection import Select, Selector, is_exact
from pegboard.tools import ToolAnnotations


class Selectors:
    """Selectors, compiled: exact names to a set, patterns to one expression."""

    __slots__ = ("_names", "_pattern", "_selects")

    def __init__(self, selectors: Iterable[Selector]) -> None:
        taken = tuple(selectors)
        texts = [each for each in taken if isinstance(each, str)]
        self._names = frozenset(each for each in texts if is_exact(each))
        self._pattern = _expression([each for each in texts if not is_exact(each)])
        self._selects = tuple(each for each in taken if isinstance(each, Select))

    def match(self, entry: Entry) -> bool:
        """Whether any of them names this tool."""
        if entry.name in self._names:
            return True
        if self._pattern is not None and self._pattern.match(entry.name):
            return True
        return any(_is_selected(each, entry) for each in self._selects)


def _expression(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(map(translate, patterns))) if patterns else None


@attrs.define(eq=False)
class Restriction:
    """One mask: what it denies is hidden, and so is what it doesn't admit; its places may move.

    Attributes:
        allow: selectors of what it admits, or None where it only denies.
        deny: selectors of what it hides, whatever is allowed.
        origin: who restricts, for people: `board 'coder'`, `the host`.
        places: where each selector stands in a configuration file.
    """

    allow: tuple[Selector, ...] | None = attrs.field(on_setattr=attrs.setters.frozen)
    deny: tuple[Selector, ...] = attrs.field(on_setattr=attrs.setters.frozen)
    origin: str
    places: tuple[tuple[str, Place], ...] = ()
    _allowed: Selectors | None = attrs.field(init=False)
    _denied: Selectors | None = attrs.field(init=False)

    @_allowed.default
    def _compiled_allow(self) -> Selectors | None:
        return None if self.allow is None else Selectors(self.allow)

    @_denied.default
    def _compiled_deny(self) -> Selectors | None:
        return Selectors(self.deny) if self.deny else None

    def admits(self, entry: Entry) -> bool:
        """Whether the tool stays visible under this mask."""
        if self._denied is not None and self._denied.match(entry):
            return False
        return self._allowed is None or self._allowed.match(entry)

    def objection(self, entry: Entry) -> str | None:
        """Why the tool is hidden, in words with file and line, or None."""
        denied = _first_match(self.deny, entry)
        if denied is not None:
            return f"denied by {str(denied)!r} of {self.origin}{self._place_of('deny', denied)}"
        if self.allow is None or _first_match(self.allow, entry) is not None:
            return None
        return f"not in the allow list of {self.origin}{self._place_of('allow', None)}"

    def _place_of(self, side: str, selector: Selector | None) -> str:
        wanted = side if selector is None else f"{side}:{selector}"
        for key, place in self.places:
            if key == wanted:
                return f" ({place})"
        return ""


def matches(selector: Selector, entry: Entry) -> bool:
    """Whether the selector names this tool: exactly, by its pattern, or by what the tool is."""
    return Selectors([selector]).match(entry)


def check_restriction(allow: Sequence[object] | None, deny: Sequence[object]) -> None:
    """Refuse a mask that says nothing, or that holds something that isn't a selector.

    Raises:
        RestrictionError: says which.
    """
    if allow is None and not deny:
        raise RestrictionError("a restriction needs allow, deny, or both")
    for selector in (*(allow or ()), *deny):
        if not isinstance(selector, (str, Select)):
            kind = type(selector).__name__
            raise RestrictionError(
                f"a selector is a name, a pattern or a Select, and {kind} is neither"
            )


def exact_names(selectors: Iterable[Selector] | None) -> list[str]:
    """The exact names among the selectors."""
    return [each for each in selectors or () if isinstance(each, str) and is_exact(each)]


def _first_match(selectors: Sequence[Selector], entry: Entry) -> Selector | None:
    return next((each for each in selectors if matches(each, entry)), None)


def _is_selected(select: Select, entry: Entry) -> bool:
    owner = entry.owner
    if select.plugin is not None and select.plugin != owner.plugin:
        return False
    if select.distribution is not None and select.distribution != owner.distribution:
        return False
    if not select.tags <= entry.tool.tags:
        return False
    meaning = (entry.tool.annotations or ToolAnnotations()).meaning()
    fields = ("read_only", "destructive", "idempotent", "open_world")
    asked = ((getattr(select, each), getattr(meaning, each)) for each in fields)
    return all(wanted is None or wanted == given for wanted, given in asked)
