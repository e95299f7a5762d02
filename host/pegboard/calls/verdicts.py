"""Stages 10 and 11: verdicts on the outcome, and the tool's own last word on its content."""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from pegboard.calls.asking import Asking
from pegboard.calls.flight import Flight
from pegboard.calls.messages import failure
from pegboard.calls.settle import Settled
from pegboard.calls.threads import Returned
from pegboard.calls.wrapping import Inside
from pegboard.decisions import Accept, Block, Verdict
from pegboard.outcomes import Code, Failure, Outcome, Success
from pegboard.registry import Entry, HookEntry
from pegboard.values import Content, Text

Projected = Callable[[Flight, Entry, Any], Outcome]


@attrs.frozen
class _Reached:
    """How far the verdicts have come.

    Attributes:
        outcome: as they leave it.
        verdict: of what is inside; None where nobody has said anything.
    """

    outcome: Outcome
    verdict: Verdict | None = None


class Verdicts:
    """Hears the after hooks of one host."""

    __slots__ = ("_asking", "_projected")

    def __init__(self, asking: Asking, projected: Projected) -> None:
        self._asking = asking
        self._projected = projected

    def first_to_speak(self, flight: Flight, outcome: Outcome) -> tuple[int, Any] | None:
        """Ask after hooks until one has something to say.

        Returns:
            its place and what it has begun to say, or None if none has.
        """
        flight.stage = "after"
        chains = flight.chains
        if chains.wraps_after:
            return 0, None
        given = (flight.execution, outcome)
        place, answer = self._asking.in_turn(flight, chains.verdicts, given)
        return None if answer is None else (place, answer)

    async def hear(self, flight: Flight, outcome: Outcome, place: int, answer: Any) -> Outcome:
        """The outcome as the after hooks leave it.

        Args:
            flight: the call.
            outcome: the outcome before.
            place: of the first that has spoken.
            answer: what it has begun to say.
        """
        chains = flight.chains
        if chains.wraps_after:
            reached = await self._from(flight, 0, outcome)
        else:
            spoken = (place, answer)
            reached = await self._plain(flight, chains.verdicts, _Reached(outcome), spoken)
        return reached if isinstance(reached, Failure) else reached.outcome

    async def _from(self, flight: Flight, at: int, outcome: Outcome) -> _Reached | Failure:
        """The verdicts of the hooks from one on inwards, the innermost first."""
        chain = flight.chains.after
        place = next((i for i in range(at, len(chain)) if chain[i].wraps), len(chain))
        reached: _Reached | Failure = _Reached(outcome)
        if place < len(chain):
            reached = await self._wrapped(flight, place, outcome)
        if isinstance(reached, Failure):
            return reached
        return await self._plain(flight, chain[at:place][::-1], reached)

    async def _plain(
        self,
        flight: Flight,
        hooks: Sequence[HookEntry],
        reached: _Reached,
        spoken: tuple[int, Any] = (0, None),
    ) -> _Reached | Failure:
        """The verdicts of hooks that don't wrap, one after the other."""
        place, answer = spoken
        while place < len(hooks):
            if answer is None:
                given = (flight.execution, reached.outcome)
                place, answer = self._asking.in_turn(flight, hooks, given, place)
                continue
            hook = hooks[place]
            settled = await self._asking.settled(flight, answer)
            applied = self._heard(flight, hook, settled, reached)
            if isinstance(applied, Failure):
                return applied
            reached, place, answer = applied, place + 1, None
        return reached

    def _heard(
        self, flight: Flight, hook: HookEntry, settled: Settled, reached: _Reached
    ) -> _Reached | Failure:
        verdict = self._verdict(flight, hook, settled, reached.outcome)
        if isinstance(verdict, Failure):
            return verdict
        is_blocked = isinstance(reached.verdict, Block)
        if verdict is None or (is_blocked and isinstance(verdict, Accept)):
            return reached
        return self._applied(flight, hook, verdict, reached)

    async def _wrapped(self, flight: Flight, at: int, outcome: Outcome) -> _Reached | Failure:
        hook = flight.chains.after[at]
        contexts = flight.contexts

        async def rest() -> _Reached | Failure:
            flight.contexts = contexts
            return await self._from(flight, at + 1, outcome)

        asking = self._asking
        inside: Inside[_Reached] = Inside(flight, rest, limit=asking.limit, grace=asking.grace)

        async def call_next() -> Verdict:
            return (await inside.happen()).verdict or Accept()

        given = (flight.execution, outcome, call_next)
        settled = await asking.wrap(flight, hook, *given, inside=inside)
        if inside.ended is not None:
            return inside.ended
        verdict = self._verdict(flight, hook, settled, outcome)
        if isinstance(verdict, Failure):
            return verdict
        within = inside.latest or _Reached(outcome)
        if verdict is None or verdict is within.verdict:
            return within
        if isinstance(within.verdict, Block):
            flight.contexts = contexts
            within = _Reached(outcome)
        return self._applied(flight, hook, verdict, within)

    def _verdict(
        self, flight: Flight, hook: HookEntry, settled: Settled, outcome: Outcome
    ) -> Verdict | Failure | None:
        fault = self._asking.fault(flight, hook, settled)
        if fault is not None:
            is_success = isinstance(outcome, Success)
            return fault if is_success or fault.code is Code.POLICY_FAILED else None
        answer = settled.ended.value if isinstance(settled.ended, Returned) else None
        if answer is None or type(answer) in (Accept, Block):
            return answer
        kind = type(answer).__name__
        return self._asking.failed(flight, f"{hook.what} gave {kind}, which is no verdict")

    def _applied(
        self, flight: Flight, hook: HookEntry, verdict: Verdict, reached: _Reached
    ) -> _Reached | Failure:
        outcome = reached.outcome
        match verdict:
            case Block():
                return _Reached(_blocked(flight, hook, verdict, outcome), verdict)
            case Accept() if verdict.has_value and isinstance(outcome, Failure):
                told = f"{hook.what} gave a value for a failure, and only a success has one"
                return self._asking.failed(flight, told)
            case Accept():
                return _Reached(self._accepted(flight, verdict, outcome), verdict)

    def _accepted(self, flight: Flight, verdict: Accept, outcome: Outcome) -> Outcome:
        if verdict.contexts:
            flight.contexts = (*flight.contexts, *verdict.contexts)
        if verdict.has_value and flight.entry is not None:
            return self._projected(flight, flight.entry, verdict.value)
        changes: dict[str, Any] = {}
        if verdict.content is not None:
            changes["content"] = verdict.content
            if isinstance(outcome, Success) and not verdict.keeps_value:
                changes["hides_value"] = True
        if verdict.contexts:
            changes["contexts"] = flight.contexts
        return attrs.evolve(outcome, **changes) if changes else outcome


def _blocked(flight: Flight, hook: HookEntry, verdict: Block, outcome: Outcome) -> Failure:
    flight.contexts = verdict.contexts
    call = flight.call
    before = outcome.code if isinstance(outcome, Failure) else None
    return failure(
        call.id,
        call.name,
        Code.BLOCKED,
        _message(verdict.content) or f"blocked by {hook.owner}",
        content=verdict.content or None,
        details=None if before is None else {"previous_code": str(before)},
        notes=flight.notes,
        contexts=flight.contexts,
    )


def _message(content: tuple[Content, ...]) -> str:
    texts = [each.text for each in content if isinstance(each, Text) and each.text.strip()]
    if texts:
        return "\n".join(texts)
    kinds = dict.fromkeys(type(each).__name__.lower() for each in content)
    return f"blocked, with {' and '.join(kinds)} in its place" if kinds else ""
