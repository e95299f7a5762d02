"""Restrictions: allow/deny masks over inherited tools."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

import attrs

from pegboard.config import Place
from pegboard.errors import RestrictionError, UnknownNameError
from pegboard.registry.entry import Entry
from pegboard.selection import Select, Selector, is_exact
from pegboard.tools import ToolAnnotations


@attrs.frozen(eq=False)
class Restriction:
    """One mask: what it denies is hidden, and so is what it doesn't admit.

    Attributes:
        allow: selectors of what it admits, or None where it only denies.
        deny: selectors of what it hides, whatever is allowed.
        origin: who restricts, for people: `board 'coder'`, `the host`.
        places: where each selector stands in a configuration file.
    """

    allow: tuple[Selector, ...] | None
    deny: tuple[Selector, ...]
    origin: str
    places: tuple[tuple[str, Place], ...] = ()

    def admits(self, entry: Entry) -> bool:
        """Whether the tool stays visible under this mask."""
        if _first_match(self.deny, entry) is not None:
            return False
        return self.allow is None or _first_match(self.allow, entry) is not None

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
    if isinstance(selector, Select):
        return _is_selected(selector, entry)
    if is_exact(selector):
        return selector == entry.name
    return fnmatchcase(entry.name, selector)


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


def check_known(names: Iterable[str], *, inherited: Iterable[str], own: Iterable[str]) -> None:
    """Refuse exact names that a mask can't reach.

    Raises:
        RestrictionError: a tool that only the board itself owns.
        UnknownNameError: a name that isn't there; lists near names.
    """
    reachable, owned = set(inherited), set(own)
    for name in names:
        if name in reachable:
            continue
        if name in owned:
            raise RestrictionError(
                f"tool {name!r} belongs to the board itself, and a restriction reaches inherited "
                "tools only; close its registration instead"
            )
        raise UnknownNameError("tool", name, reachable)


def _first_match(selectors: Sequence[Selector], entry: Entry) -> Selector | None:
    for selector in selectors:
        if matches(selector, entry):
            return selector
    return None


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
