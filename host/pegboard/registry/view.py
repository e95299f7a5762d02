"""The tools that one board sees, as snapshots that are made on change and never changed."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, takewhile
from operator import attrgetter
from types import MappingProxyType

import attrs

from pegboard.registry.entry import Entry
from pegboard.tools import Tool, ToolDefinition

_definition = attrgetter("definition")


@attrs.frozen
class Step:
    """How a view came out of an earlier one.

    Attributes:
        before: the number of the earlier view.
        names: every name whose tool came, went or was replaced.
    """

    before: int
    names: frozenset[str]


@attrs.define(eq=False)
class View:
    """The tools that one board sees, in order; what it shows never changes.

    Attributes:
        entries: by the names that models see.
        number: no other view of the host has it.
        step: how it came out of the view before it; None where that isn't known.
    """

    entries: MappingProxyType[str, Entry] = attrs.field(on_setattr=attrs.setters.frozen)
    number: int = attrs.field(default=0, on_setattr=attrs.setters.frozen)
    step: Step | None = attrs.field(default=None, on_setattr=attrs.setters.frozen)
    _definitions: tuple[ToolDefinition, ...] | None = None
    _encoded: dict[str, bytes] | None = None
    _digest: bytes | None = None

    def encoded(self, shape: str, encode: Callable[[], bytes]) -> bytes:
        """The definitions in one provider's shape as JSON text, encoded once."""
        if self._encoded is None:
            self._encoded = {}
        text = self._encoded.get(shape)
        if text is None:
            text = self._encoded[shape] = encode()
        return text

    def tools(self) -> Iterator[tuple[str, Tool]]:
        """Each tool, with the name that models see."""
        return ((name, entry.tool) for name, entry in self.entries.items())

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """What a model is told of each, in order."""
        if self._definitions is None:
            self._definitions = tuple(map(_definition, self.entries.values()))
        return self._definitions

    def digest(self) -> bytes:
        """Sixteen bytes that stand for everything that any format shows of this view."""
        if self._digest is None:
            digests = b"".join(entry.digest for entry in self.entries.values())
            self._digest = hashlib.blake2b(digests, digest_size=16).digest()
        return self._digest

    def names_since(self, number: int | None) -> frozenset[str] | None:
        """The names that changed since the view of that number; None where that isn't known."""
        if number == self.number:
            return frozenset()
        if self.step is None or self.step.before != number:
            return None
        return self.step.names


EMPTY = View(MappingProxyType({}))


def narrowed(
    view: View,
    earlier: Mapping[str, Entry],
    changed: frozenset[str] | None,
    admits: Callable[[Entry], bool],
    *,
    holds_more: bool = False,
) -> dict[str, Entry]:
    """What of a view is admitted, in its order.

    Args:
        view: all there is.
        earlier: what was admitted of the view before it, in its order.
        changed: the names to judge anew; None for all.
        admits: whether a tool is.
        holds_more: whether other tools stand among the earlier ones.
    """
    if changed is None:
        return {name: each for name, each in view.entries.items() if admits(each)}
    coming = {name: each for name, each in _standing(view, changed) if admits(each)}
    if not holds_more and _are_last(view, coming):
        entries = dict(earlier)
        for name in changed:
            entries.pop(name, None)
        entries.update(coming)
        return entries
    kept = set(earlier).difference(changed).union(coming)
    return {name: each for name, each in view.entries.items() if name in kept}


def _standing(view: View, names: frozenset[str]) -> Iterator[tuple[str, Entry]]:
    """The tools of these names; those at the end of the view in its order, and last."""
    last = list(takewhile(names.__contains__, reversed(view.entries)))
    for name in (*names.difference(last), *reversed(last)):
        if name in view.entries:
            yield name, view.entries[name]


def _are_last(view: View, coming: dict[str, Entry]) -> bool:
    """Whether these tools stand at the end of the view, in this order."""
    last = list(islice(reversed(view.entries), len(coming)))
    return last == list(reversed(coming))
