"""The rules of `limits` that hold now: those of its newest load, for the calls of every load."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import attrs

from pegboard.plugins.builtin.limits_counts import Counts, Tally
from pegboard.plugins.builtin.limits_rules import LimitRule, Rule
from pegboard.registry import Entry, Scope


class Placed(Protocol):
    """A call that has a place."""

    def follow(self) -> None:
        """Have its places count by the rules that hold now, too."""


@attrs.define(eq=False)
class Ruling:
    """The rules that hold where the plugin is loaded once.

    Attributes:
        counts: what was counted there.
        placed: the calls that have places.
    """

    counts: Counts = attrs.field(factory=Counts)
    placed: set[Placed] = attrs.field(factory=set)
    _laid_down: list[list[Rule]] = attrs.field(factory=list)

    @contextmanager
    def laid_down(self, said: Sequence[LimitRule]) -> Iterator[list[Rule]]:
        """Have other rules hold, until others do or these are taken back."""
        with self.counts.used(each.key for each in said):
            rules = [Rule(each, self.counts.sheet(each.key)) for each in said]
            self._laid_down = [*self._laid_down, rules]
            self._follow()
            try:
                yield rules
            finally:
                self._laid_down = [each for each in self._laid_down if each is not rules]
                self._follow()

    def counted(self, entry: Entry | None, scope: Scope, now: float) -> list[tuple[Rule, Tally]]:
        """By which rules the calls of a tool on a board count now, and where."""
        rules = self._laid_down[-1] if self._laid_down and entry is not None else ()
        ruling = (rule for rule in rules if entry and rule.covers(entry, scope.name or ""))
        return [(rule, rule.tally(entry.name, scope, now)) for rule in ruling if entry]

    def _follow(self) -> None:
        for each in list(self.placed):
            each.follow()
