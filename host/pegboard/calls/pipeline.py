"""The one way that every call takes, from its making to its one outcome."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from pegboard.calls.approving import Approvals
from pegboard.calls.around import Around, Begun
from pegboard.calls.asking import Asking
from pegboard.calls.body import BodyRunner
from pegboard.calls.carrier import Carriers
from pegboard.calls.finishing import Finishing
from pegboard.calls.flight import Flight, Request
from pegboard.calls.flights import Flights
from pegboard.calls.messages import describe
from pegboard.calls.midway import not_found, pinned, stopped
from pegboard.calls.observing import Observing, note_torn
from pegboard.calls.parking import Parking, Parkings
from pegboard.calls.policies import Opinion, Spoken, decide, first_to_speak, guard
from pegboard.calls.side import Side
from pegboard.calls.stops import Stops
from pegboard.calls.taking import not_taken, take
from pegboard.calls.threads import Ended, Running
from pegboard.calls.verdicts import Verdicts
from pegboard.config import Config
from pegboard.errors import NotJSONError
from pegboard.outcomes import Code, Failure, Outcome, Success, ToolCall
from pegboard.registry import Generation, Scope
from pegboard.reports import PoolUse
from pegboard.tools import Prepared
from pegboard.values import JSON

_log = logging.getLogger("pegboard.calls")
_STACKED = 4


class Pipeline:
    """The stages of a call on one host."""

    def __init__(self, config: Config, flights: Flights) -> None:
        self._config = config
        self._limits = config.limits
        self._flights = flights
        self._carriers = Carriers()
        self._asking = Asking(config, flights, self._carriers)
        self._bodies = BodyRunner(config, flights, self._carriers)
        self._around = Around(self._asking, self._bodies, self._side)
        self._verdicts = Verdicts(self._asking, self._bodies.projected)
        self._finishing = Finishing(config)
        self._observing = Observing(config, self._asking, self._carriers)
        self.approvals = Approvals(self._asking)
        self.parkings = Parkings()
        self.stops: Stops | None = None

    def configure(self, config: Config) -> None:
        """Have calls follow another configuration from now on."""
        self._config, self._limits = config, config.limits
        for each in (self._asking, self._bodies, self._finishing, self._observing):
            each.configure(config)

    async def close(self) -> None:
        """Let idle threads end, and idle tasks before this returns."""
        self._bodies.close()
        await self._carriers.close()

    def pools(self) -> tuple[PoolUse, ...]:
        """The threads of sync tools, by plugin."""
        return self._bodies.pools()

    def drop_threads(self, plugin: str) -> tuple[str, ...]:
        """Let the threads of one plugin end; the names of those that don't."""
        return self._bodies.drop_threads(plugin)

    async def call(self, scope: Scope, call: ToolCall, request: Request) -> Outcome:
        """Take one call through every stage.

        Returns:
            its one outcome, whatever a model, a tool or a policy did.
        """
        flight = Flight(scope, call, request)
        self._flights.add(flight)
        try:
            outcome: Outcome | None = (
                await self.unparked(flight)
                if self.parkings.are_there and self.may_wait(flight)
                else self.ready(flight)
            )
            if outcome is None and flight.chains.decides:
                spoken = first_to_speak(self._asking, flight)
                outcome = None if spoken is None else await self.decide(flight, spoken)
            if outcome is None:
                begun = self.run(flight)
                if not isinstance(begun, (Success, Failure)):
                    begun = await self.rest(flight, begun)
                outcome = begun
        except asyncio.CancelledError as tear:
            outcome = self.interrupted(flight, tear)
        except Exception as error:  # noqa: BLE001 - a fault of the host is one outcome too
            outcome = self.failed_inside(flight, error)
        ended = self.ending(flight, outcome)
        if isinstance(ended, (Success, Failure)):
            return ended
        outcome = await ended
        if flight.cancelled_by is not None:
            raise flight.cancelled_by
        return outcome

    def begin(self, scope: Scope, call: ToolCall, request: Request) -> Flight:
        """A call that runs from here on, and is listed until it has ended."""
        flight = Flight(scope, call, request)
        self._flights.add(flight)
        return flight

    def ready(self, flight: Flight) -> Failure | None:
        """Stages 1 to 3: decode, resolve, validate; why the call ends there, or None."""
        try:
            values = take(flight, self._limits)
        except NotJSONError as error:
            return not_taken(flight, error)
        return self._resolve(flight, values)

    def may_wait(self, flight: Flight) -> bool:
        """Whether a call may have to wait for a plugin of its tool or of its hooks."""
        return self.parkings.concern(flight.scope, flight.call.name)

    async def unparked(self, flight: Flight) -> Failure | None:
        """The same while plugins are upgraded: a call of theirs waits before its tool is resolved.

        Returns:
            why the call ends there, or None.
        """
        values: JSON = None
        refused: Failure | None = None
        try:
            values = take(flight, self._limits)
        except NotJSONError as error:
            refused = not_taken(flight, error)
        ended = await self.parkings.passed(flight)
        return ended or refused or self._resolve(flight, values)

    def _resolve(self, flight: Flight, values: JSON) -> Failure | None:
        """Stages 2 and 3, for arguments that were decoded."""
        name = flight.call.name
        if flight.depth and flight.depth > self._config.max_nesting:
            most = self._config.max_nesting
            message = f"calls inside calls go at most {most} levels deep"
            return flight.failed(Code.INVALID_CALL, message)
        entry = flight.scope.find(name, is_direct=not flight.depth)
        if entry is not None:
            flight.resolved(entry)
        if self.stops is not None and (refused := self.stops.refused(flight)) is not None:
            return refused
        if entry is None:
            return flight.failed(Code.UNKNOWN_TOOL, not_found(flight))
        flight.stage = "validate"
        prepared = entry.compiled.prepare(flight.arguments, values)
        if not isinstance(prepared, Prepared):
            return flight.failed(Code.INVALID_ARGUMENTS, prepared.message(name))
        flight.prepared(prepared)
        if flight.should_stop():
            return flight.aborted()
        flight.is_past_validation = True
        return None

    async def decide(self, flight: Flight, spoken: Spoken) -> Failure | None:
        """Stages 4 to 6: decisions, an approval, guards; why the call ends there, or None.

        Args:
            flight: the call.
            spoken: the first hook that had something to say.
        """
        if spoken.stage == "guards":
            return await guard(self._asking, flight, spoken)
        opinion = await decide(self._asking, flight, spoken)
        if isinstance(opinion, Failure):
            return opinion
        return await self.settle_policies(flight, opinion)

    def first_to_speak(self, flight: Flight) -> Spoken | None:
        """The first hook of stages 4 and 6 that has something to say."""
        return first_to_speak(self._asking, flight)

    async def hear(self, flight: Flight, spoken: Spoken) -> Failure | Opinion | None:
        """Stage 4: why the call ends there, that somebody must be asked, or None."""
        return await decide(self._asking, flight, spoken)

    async def settle_policies(self, flight: Flight, opinion: Opinion | None) -> Failure | None:
        """Stages 5 and 6: the approval, if there must be one, and the guards."""
        ended = await self.approvals.approve(flight, opinion) if opinion is not None else None
        if ended is None and flight.chains.guards:
            ended = await guard(self._asking, flight)
        return ended

    def run(self, flight: Flight) -> Outcome | Begun:
        """Stages 7 to 9: the body inside its wrappers, and its value as the outcome shows it.

        Returns:
            the outcome, if nothing has suspended; else what `rest` awaits.
        """
        entry, chains = flight.entry or pinned(flight), flight.chains
        begun: Outcome | Begun
        if chains.around or chains.run_body:
            begun = self._around.begin(flight, entry)
        else:
            begun = self._bodies.begin(flight, entry, self._side)
        if entry.tool.project is not None and isinstance(begun, (Success, Failure)):
            return self._finishing.project(flight, begun)
        return begun

    async def rest(self, flight: Flight, begun: Begun) -> Outcome:
        """What is left of stages 7 to 9 once something has suspended."""
        if isinstance(begun, Running):
            begun = self._bodies.finish(flight, pinned(flight), begun)
        outcome = await begun
        return outcome if flight.skips_after else self._finishing.project(flight, outcome)

    def ended(self, flight: Flight, ended: Ended) -> Outcome | None:
        """What is left of them once a body has ended that nothing interrupted.

        Returns:
            the outcome; None where `rest` has more to await.
        """
        outcome = self._bodies.ended(flight, pinned(flight), ended)
        return outcome and self._finishing.project(flight, outcome)

    @staticmethod
    def interrupted(flight: Flight, tear: asyncio.CancelledError) -> Failure:
        """The failure of a call whose awaiting task was cancelled between its stages."""
        flight.tear = tear
        return flight.aborted()

    def ending(self, flight: Flight, outcome: Outcome) -> Outcome | Coroutine[Any, Any, Outcome]:
        """Stages 10 to 12: verdicts, the tool's last word, observers; the outcome stands.

        Returns:
            the outcome, if nothing has suspended; else what to await for it. Whether the caller
            was cancelled is noted on the flight.
        """
        if flight.told or flight.tear is not None:
            return self.conclude(flight, outcome)
        if flight.should_stop():
            outcome = stopped(flight, outcome)
        chains = flight.chains
        if chains.after and flight.is_past_validation and not flight.skips_after:
            spoken = self._verdicts.first_to_speak(flight, outcome)
            if spoken is not None:
                return self._judge(flight, outcome, spoken)
            if flight.should_stop():
                outcome = stopped(flight, outcome)
        if chains.finished:
            return self._observed(flight, outcome)
        if flight.entry is not None and flight.entry.tool.finalize is not None:
            outcome = self._finishing.finalize(flight, outcome)
        flight.is_final = True
        return self._landed(flight, outcome)

    async def conclude(self, flight: Flight, outcome: Outcome) -> Outcome:
        """The same once what is told of the call's progress has been heard."""
        note_torn(flight)
        if flight.told:
            await self._observing.heard(flight, flight.told)
        flight.told = None
        ended = self.ending(flight, outcome)
        return ended if isinstance(ended, (Success, Failure)) else await ended

    async def _judge(self, flight: Flight, outcome: Outcome, spoken: tuple[int, Any]) -> Outcome:
        try:
            outcome = await self._verdicts.hear(flight, outcome, *spoken)
        except asyncio.CancelledError as tear:
            flight.tear = tear
        except Exception as error:  # noqa: BLE001 - a fault of the host is one outcome too
            outcome = self.failed_inside(flight, error)
        note_torn(flight)
        return await self._observed(flight, outcome)

    async def _observed(self, flight: Flight, outcome: Outcome) -> Outcome:
        if flight.should_stop():
            outcome = stopped(flight, outcome)
        outcome = self._finalized(flight, outcome)
        flight.is_final = True
        if flight.chains.finished:
            await self._observing.tell(flight, outcome)
        return self._landed(flight, outcome)

    def _finalized(self, flight: Flight, outcome: Outcome) -> Outcome:
        if flight.entry is None or flight.entry.tool.finalize is None:
            return outcome
        return self._finishing.finalize(flight, outcome)

    def withdraw(self, flight: Flight) -> None:
        """Forget a call that nobody has seen: it begins anew later."""
        self._flights.let_go(flight)

    def unpark(self, parking: Parking) -> None:
        """Let the calls go on that waited for an upgrade, and tell what wasn't heard meanwhile."""
        self.parkings.end(parking)
        unheard, parking.unheard = parking.unheard, []
        for each in unheard:
            self.beside(self._observing.tell_late(each.flight, each.given))

    def beside(self, body: Coroutine[Any, Any, Ended]) -> Running | None:
        """Run what never raises up to its first suspension, and then beside the caller.

        Returns:
            what keeps it alive, if it has suspended.
        """
        started = self._carriers.start(body)
        return started if isinstance(started, Running) else None

    def _side(self, flight: Flight) -> Side:
        return Side(flight, self._limits, self._nested, self.approvals.ask_inside)

    async def _nested(self, outer: Flight, name: str, arguments: JSON) -> Outcome:
        if outer.depth % _STACKED == _STACKED - 1:
            await asyncio.sleep(0)  # what never suspends is nested on the interpreter's own stack
        outer.nested += 1
        call_id = f"{outer.call.id}:{outer.nested}"
        return await self.call(outer.scope, ToolCall(call_id, name, arguments), outer.inside())

    def _landed(self, flight: Flight, outcome: Outcome) -> Outcome:
        flight.stage = "landed"
        self._flights.let_go(flight)
        return outcome

    def failed_inside(self, flight: Flight, error: Exception) -> Failure:
        """The failure of a call in which the host itself has failed."""
        call = flight.call
        _log.exception("call %r of %r failed inside the host", call.id, call.name)
        text = type(error).__name__ if self._config.mask_errors else describe(error)
        return flight.failed(Code.POLICY_FAILED, f"the host failed: {text}")

    def void(self, generation: Generation, reason: str) -> None:
        """Withdraw the pending approvals for tools of one load of a plugin."""
        for flight in self._flights.of(lambda each: each.on_void is not None):
            if flight.on_void and flight.entry and flight.entry.generation is generation:
                flight.on_void(reason)
