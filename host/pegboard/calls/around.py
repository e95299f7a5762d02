"""Stage 7: wrappers around the body; each may replace the signal, retry, or answer itself."""

import math
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

import attrs

from pegboard.calls.asking import Asking
from pegboard.calls.body import BodyRunner
from pegboard.calls.flight import Flight
from pegboard.calls.settle import Settled
from pegboard.calls.side import Side
from pegboard.calls.signal import Signal
from pegboard.calls.threads import Returned, Running
from pegboard.calls.wrapping import Inside
from pegboard.hooks import INNERMOST
from pegboard.outcomes import Code, Failure, Outcome, Success
from pegboard.registry import Entry
from pegboard.values import Snapshot

Begun: TypeAlias = Running | Coroutine[Any, Any, Outcome]


@attrs.frozen(eq=False)
class _Attempt:
    outcome: Outcome
    contexts: tuple[Snapshot, ...]
    concludes: bool


class Around:
    """Runs the bodies of one host's tools inside their wrappers."""

    __slots__ = ("_asking", "_bodies", "_side")

    def __init__(self, asking: Asking, bodies: BodyRunner, side: Callable[[Flight], Side]) -> None:
        self._asking = asking
        self._bodies = bodies
        self._side = side

    def begin(self, flight: Flight, entry: Entry) -> Coroutine[Any, Any, Outcome]:
        """Run the body inside its wrappers; gives what to await for the outcome."""
        return self._level(flight, entry, 0)

    async def _level(self, flight: Flight, entry: Entry, at: int) -> Outcome:
        if at == len(flight.chains.around):
            return await self._innermost(flight, entry)
        hook = flight.chains.around[at]
        flight.stage = "around"
        attempts: list[_Attempt] = []

        async def rest() -> Outcome:
            flight.attempt += 1
            flight.contexts, flight.concludes = (), False
            outcome = await self._level(flight, entry, at + 1)
            attempts.append(_Attempt(outcome, flight.contexts, flight.concludes))
            flight.stage = "around"
            return outcome

        limit = math.inf if hook.rank >= INNERMOST else self._asking.limit
        inside: Inside[_Boxed] = Inside(
            flight, lambda: _boxed(rest()), limit=limit, grace=self._asking.grace
        )

        async def call_next(signal: Signal | None = None) -> Outcome:
            return (await inside.happen(signal)).outcome

        settled = await self._asking.wrap(flight, hook, flight.execution, call_next, inside=inside)
        answer = settled.ended.value if isinstance(settled.ended, Returned) else None
        if isinstance(answer, (Success, Failure)):
            return self._taken(flight, entry, answer, attempts)
        return self._unanswered(flight, at, settled, answer)

    async def _innermost(self, flight: Flight, entry: Entry) -> Outcome:
        if flight.should_stop():
            return flight.aborted()
        found = await self._place(flight, entry) if flight.chains.run_body else None
        if isinstance(found, Failure):
            return found
        if found is not None:
            return await self._bodies.run(flight, entry, found, self._side(flight))
        begun = self._bodies.begin(flight, entry, self._side)
        if isinstance(begun, Running):
            return await self._bodies.finish(flight, entry, begun)
        return begun

    async def _place(self, flight: Flight, entry: Entry) -> Callable[..., Any] | Failure | None:
        """What runs the body elsewhere, by the first hook that says so."""
        for hook in flight.chains.run_body:
            settled = await self._asking.ask(flight, hook, flight.execution, entry.shown_tool)
            fault = self._asking.fault(flight, hook, settled)
            if fault is not None:
                return fault
            run = settled.ended.value if isinstance(settled.ended, Returned) else None
            if run is None or callable(run):
                if run is not None:
                    return run  # type: ignore[no-any-return]  # what a hook gives is checked here
                continue
            kind = type(run).__name__
            return self._asking.failed(flight, f"{hook.what} gave {kind}, which can't be run")
        return None

    def _unanswered(self, flight: Flight, at: int, settled: Settled, answer: object) -> Failure:
        hook = flight.chains.around[at]
        fault = self._asking.fault(flight, hook, settled)
        if fault is not None:
            return fault
        kind = type(answer).__name__
        return self._asking.failed(flight, f"{hook.what} gave {kind}, and an outcome is expected")

    def _taken(
        self, flight: Flight, entry: Entry, answer: Outcome, attempts: list[_Attempt]
    ) -> Outcome:
        """A wrapper's answer: what an attempt gave as it is, anything else made anew."""
        for attempt in attempts:
            if attempt.outcome is answer:
                flight.contexts, flight.concludes = attempt.contexts, attempt.concludes
                return answer
        if isinstance(answer, Failure):
            content = (answer.content or None) if answer.code is Code.TOOL_ERROR else None
            message = str(answer.message).strip() or f"a wrapper gave {answer.code}, and no reason"
            return flight.failed(answer.code, message, content=content, details=answer.details)
        if flight.should_stop():
            return flight.aborted()
        return self._bodies.projected(flight, entry, answer.value)


@attrs.frozen(eq=False)
class _Boxed:
    """An outcome that a wrapper may see, a failure too."""

    outcome: Outcome


async def _boxed(outcome: Coroutine[Any, Any, Outcome]) -> _Boxed:
    return _Boxed(await outcome)
