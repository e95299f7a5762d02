"""The built-in plugin that holds boards and tools to so many calls."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from pegboard.calls import Execution, Flight, Token, enclosing
from pegboard.decisions import Deny
from pegboard.hooks import applies_by, hookimpl, nearest, outermost
from pegboard.outcomes import Code, Failure, Outcome
from pegboard.plugins.builtin.limits_counts import Tally
from pegboard.plugins.builtin.limits_rules import LimitsSettings, Refusal, Rule, most_lasting
from pegboard.plugins.builtin.limits_ruling import Ruling
from pegboard.plugins.plugin import PluginContext
from pegboard.registry import Entry


@attrs.define(eq=False)
class _Ticket:
    """What one call counts as, and the places that it and its bodies have.

    Attributes:
        flight: the call.
        ruling: says which rules hold.
        at: when it came to its body.
        counted: by which rules it counts, and where.
        has_place: whether it has a place, and no body left behind has that.
    """

    flight: Flight
    ruling: Ruling
    at: float
    counted: list[tuple[Rule, Tally]] = attrs.field(init=False)
    has_place: bool = False
    _places: int = 0
    _taken: list[Tally] = attrs.field(factory=list)

    @counted.default
    def _counted_now(self) -> list[tuple[Rule, Tally]]:
        return self.ruling.counted(self.flight.entry, self.flight.scope, self.at)

    def excess(self) -> Iterator[Refusal]:
        """By which rules it would be one too many."""
        for rule, tally in self.counted:
            yield from rule.excess(tally, self.flight.call.name, self.at)

    def crowding(self) -> Iterator[Refusal]:
        """By which rules it could have no place now."""
        for rule, tally in self._counted_now():
            yield from rule.crowding(tally, self.flight.call.name)

    def count(self) -> None:
        """Have it count."""
        for _, tally in self.counted:
            tally.count(self.flight)

    def note(self) -> None:
        """Have it count within the minute from when its body began, if it has."""
        for _, tally in self.counted:
            tally.settle(self.flight)

    def end(self) -> None:
        """The same, and give back what it was counted as if its body never began."""
        self.note()
        for _, tally in self.counted:
            tally.give_back(self.flight)

    def enter(self) -> None:
        """Have it take a place."""
        self.follow()
        self.has_place = True
        self._places += 1
        for tally in self._taken:
            tally.running += 1
        self.ruling.placed.add(self)

    def follow(self) -> None:
        """Have its places count by the rules that hold now, too."""
        for _, tally in self._counted_now():
            if not any(each is tally for each in self._taken):
                tally.running += self._places
                self._taken.append(tally)

    def leave(self) -> None:
        """Give a place of it back."""
        self._places -= 1
        for tally in self._taken:
            tally.running -= 1
        if self._places <= 0:
            self.ruling.placed.discard(self)

    def hand_over(self, body: "asyncio.Future[Any]") -> None:
        """Let a body that doesn't stop have the place until it ends."""
        self.has_place = False
        body.add_done_callback(lambda _: self.leave())

    def settle(self) -> None:
        """Give back what it has once the call has ended; one that never ran doesn't count."""
        if self.flight.began or not self.flight.left_behind:
            self.end()
        else:
            self.flight.left_behind[-1].add_done_callback(lambda _: self.end())
        if self.has_place:
            self.leave()


class Limits:
    """Refuses the calls that would be too many, right before their bodies would start.

    A call counts from there on, so that whatever ends it before has nothing to give back. It has
    its place until it has ended, and then a body of it that doesn't stop has that.
    """

    def __init__(self, ruling: Ruling) -> None:
        self._ruling = ruling
        self._rules: list[Rule] = []
        self._tickets: dict[Token, _Ticket] = {}

    @hookimpl
    def pegboard_settings(self) -> type:
        """The class of its settings."""
        return LimitsSettings

    @hookimpl
    @contextmanager
    def pegboard_lifespan(self, plugin: PluginContext) -> Iterator[None]:
        """Go on counting where a load before has counted by the same rules."""
        settings: LimitsSettings = plugin.settings
        with self._ruling.laid_down(settings.rules) as self._rules:
            yield

    def concerns(self, entry: Entry) -> bool:
        """Whether any rule may mean the calls of a tool."""
        return any(rule.concerns(entry) for rule in self._rules)

    @hookimpl
    @applies_by("concerns")
    async def pegboard_before_call(self) -> Deny | None:
        """Refuse early what can't run in any case, so that nobody is asked to approve it.

        Places come free meanwhile, so they don't matter here.
        """
        flight, *_ = enclosing()
        refusal = most_lasting(_Ticket(flight, self._ruling, time.monotonic()).excess())
        return None if refusal is None else Deny(refusal.message)

    @hookimpl
    @nearest
    @applies_by("concerns")
    async def pegboard_around_call(
        self, execution: Execution, call_next: Callable[..., Awaitable[Outcome]]
    ) -> Outcome:
        """Let the body happen if it isn't one too many."""
        flight, *_ = enclosing()
        refusal = None if flight.should_stop() else self._admit(flight)
        if refusal is not None:
            return Failure(execution.call_id, execution.tool, Code.DENIED, refusal.message)
        before = flight.left_behind
        try:
            return await call_next()
        finally:
            ticket = self._tickets.get(flight.token)
            if ticket is not None:
                ticket.note()
            if ticket is not None and flight.left_behind != before:
                ticket.hand_over(flight.left_behind[-1])

    @hookimpl
    @outermost
    @applies_by("concerns")
    def pegboard_call_finished(self, execution: Execution) -> None:
        """Give back what a call has."""
        ticket = self._tickets.pop(execution.token, None)
        if ticket is not None:
            ticket.settle()

    def _admit(self, flight: Flight) -> Refusal | None:
        """Have a call count, and have a place; why it may not run, or None.

        A wrapper may have let it run before: then it counts already, and has a place unless a body
        has kept that.
        """
        ticket = self._tickets.get(flight.token)
        if ticket is not None and ticket.has_place:
            return None
        is_new = ticket is None
        ticket = ticket or _Ticket(flight, self._ruling, time.monotonic())
        refusal = most_lasting([*(ticket.excess() if is_new else ()), *ticket.crowding()])
        if refusal is None:
            ticket.enter()
            if is_new:
                ticket.count()
                self._tickets[flight.token] = ticket
        return refusal
