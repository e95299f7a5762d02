"""A program of `run_code` while it runs: its calls, its output and its time."""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs

from pegboard.calls.allowance import Allowance
from pegboard.calls.approving import ApprovalAnswered, ApprovalAsked
from pegboard.calls.batch import Batch
from pegboard.calls.flight import Flight, Request
from pegboard.calls.flights import Flights
from pegboard.calls.messages import unknown_tool
from pegboard.calls.midway import pinned
from pegboard.calls.pipeline import Pipeline
from pegboard.calls.printed import Printed
from pegboard.calls.settle import wait_out
from pegboard.errors import NotJSONError, PegboardError
from pegboard.outcomes import Code, Failure, Outcome, tool_call
from pegboard.programs import (
    PROGRAM_FAULTS,
    ProgramError,
    ProgramLimits,
    ProgramResult,
    RunProgram,
    Sdk,
    ToolCallError,
)
from pegboard.values import JSON, Snapshot

_ENDED = "the program has ended"


@attrs.frozen(eq=False)
class _Open:
    """A call that has not landed.

    Attributes:
        future: what the program awaits.
        size: of its arguments, in bytes of JSON text.
    """

    future: "asyncio.Future[JSON]"
    size: int


class Program:
    """One program, and the calls that it makes: they keep their order, as those of a batch do."""

    def __init__(  # noqa: PLR0917 - the parts of one program
        self,
        pipeline: Pipeline,
        flights: Flights,
        outer: Flight,
        sdk: Sdk,
        limits: ProgramLimits,
        max_parallel: int,
        stop_grace: float,
    ) -> None:
        """A program that has not begun.

        Args:
            pipeline: takes its calls through their stages.
            flights: the calls of the host.
            outer: the call of `run_code`.
            sdk: what it may call.
            limits: what it may use.
            max_parallel: how many bodies of its calls may run at once.
            stop_grace: seconds that a runtime has to stop once it was told to.
        """
        self._flights = flights
        self._outer = outer
        self._sdk = sdk
        self._limits = limits
        self._stop_grace = stop_grace
        self._attempt = outer.attempt
        outer.kept, outer.patience = None, stop_grace
        self._made = 0
        self._waiting: deque[_Open] = deque()
        self._held = 0
        self._going_on: list[str] = []
        self._unanswered: list[JSON] = []
        self._cut_off: list[str] = []
        self._allowance = Allowance(limits.wall_time)
        deadline = outer.signal.allowance
        self._clocks = (self._allowance, *(() if deadline is None else (deadline,)))
        self._late: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._printed = Printed(limits.output)
        self.batch = Batch(
            pipeline,
            outer.scope,
            (),
            self._request(),
            max_parallel=max_parallel,
            land=self._land,
            start=outer.request.on_started,
            is_open=True,
        )

    def _request(self) -> Request:
        outer = self._outer
        return attrs.evolve(
            outer.inside(),
            on_progress=outer.request.on_progress,
            on_asked=self._heard,
            on_started=outer.request.on_started,
        )

    async def run(
        self, run: RunProgram, code: str, drive: Callable[[Batch], Awaitable[None]]
    ) -> dict[str, JSON]:
        """Run it; none of its calls goes on when this returns.

        Args:
            run: `run` of a `CodeRuntime`.
            code: what the model wrote.
            drive: takes the calls of a batch to their outcomes.

        Returns:
            its `result`, if it has one, and its `logs`.

        Raises:
            ProgramError: it gave no result.
        """
        driving = asyncio.ensure_future(drive(self.batch))
        try:
            result = await self._watched(run, code)
            value = self._handed_on(_as_json(result))
        except ProgramError as error:
            await self._drain(driving)
            self._tell(error)
            raise
        except BaseException:
            self._tell(None)
            await self._drain(driving)
            self._tell(None)
            raise
        tear = await self._drain(driving)
        if tear is not None:
            self._tell(None)
            raise tear
        self._outer.notes += tuple(f"call {each!r} still runs" for each in self._going_on)
        self._outer.notes += tuple(self._cut_off)
        return value

    def _handed_on(self, value: dict[str, JSON]) -> dict[str, JSON]:
        """What the program gives, with what it has printed.

        Raises:
            ProgramError: it is more than a value may be.
        """
        given, limits = {**value, "logs": self._printed.text}, pinned(self._outer).generation.limits
        try:
            Snapshot.of(given, limits)
        except NotJSONError as error:
            if error.is_too_much:
                said = f"what the program gives is too much; give back less of it ({error})"
                raise ProgramError("output", said) from error
            self._tell(None)
        return given

    async def _watched(self, run: RunProgram, code: str) -> object:
        """What the runtime gives, within the time that there is for it."""
        running = asyncio.create_task(self._contained(run, code))
        self._allowance.arm(self._time_is_up)
        try:
            given = await self._ended(running)
        finally:
            self._allowance.disarm()
        if self._printed.is_too_much:
            raise self._printed.refusal
        if self._late.done():
            limit = f"{self._limits.wall_time:g} s"
            said = f"the program took longer than {limit}, its waiting for calls included"
            raise ProgramError("timeout", said)
        if isinstance(given, BaseException):
            raise given
        return given

    def _time_is_up(self) -> None:
        if not self._late.done():
            self._late.set_result(None)

    async def _ended(self, running: "asyncio.Task[object]") -> object:
        """How the runtime has ended, which it has to do once the call is to stop."""
        tear: asyncio.CancelledError | None = None
        try:
            both: tuple[asyncio.Future[Any], ...] = (running, self._late)
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError as error:
            tear = error
        tear = await self._stopped(running) or tear
        if tear is not None:
            raise tear
        return running.result() if running.done() else None

    async def _stopped(self, running: "asyncio.Task[object]") -> asyncio.CancelledError | None:
        """Have the runtime stop; one that doesn't when it is told to is left behind.

        Returns:
            what cancelled the waiting for it, if anything did.
        """
        if running.done():
            return None
        running.cancel()
        tear = await wait_out(running, self._stop_grace)
        if not running.done():
            outer = self._outer
            self._flights.outlive(outer, running)
            outer.left_behind = (*outer.left_behind, running)
            self._going_on.append(outer.call.id)
        return tear

    async def _contained(self, run: RunProgram, code: str) -> object:
        """What a runtime gives or raises: it is code of a plugin."""
        try:
            return await run(code, self._sdk, self.dispatch, self._limits, self._printed.take)
        except ToolCallError as error:
            return ProgramError("exception", f"a call has failed: {error}")
        except asyncio.CancelledError:
            return ProgramError("aborted", "what runs the program has stopped it")
        except BaseException as error:  # noqa: BLE001 - past a task, SystemExit would stop the loop
            return error

    def dispatch(self, name: str, arguments: Mapping[str, Any]) -> "asyncio.Future[JSON]":
        """Make a call; see `pegboard.Dispatch`."""
        future: asyncio.Future[JSON] = asyncio.get_running_loop().create_future()
        if name not in self._sdk.names or self.batch.is_ended:
            why = _ENDED if self.batch.is_ended else unknown_tool(name, list(self._sdk.names))
            _fail(future, ToolCallError(why))
            return future
        taken, size = self._taken(arguments)
        if self._waiting and self._held + size > self._limits.memory:
            _fail(future, ToolCallError(_too_much(len(self._waiting), self._limits.memory)))
            return future
        call_id = f"{self._outer.call.id}:code:{self._made + 1}"
        call = tool_call(call_id, name, taken)
        self._made += 1
        self._held += size
        self._waiting.append(_Open(future, size))
        self.batch.add(call)
        return future

    def _taken(self, arguments: Mapping[str, Any]) -> tuple[JSON, int]:
        """The arguments as they are now, and how much they are, in bytes of JSON text at most.

        What isn't JSON is refused when the call is made.
        """
        given, limits = dict(arguments), pinned(self._outer).generation.limits
        try:
            taken = Snapshot.of(given, limits)
        except NotJSONError:
            return given, limits.max_bytes
        return taken.read(), len(taken.text)

    def _land(self, outcome: Outcome) -> None:
        """Give a call's value to the program, and keep what is the turn's."""
        landed, outer = self._waiting.popleft(), self._outer
        future = landed.future
        self._held -= landed.size
        if not outer.is_final and outer.attempt == self._attempt:
            outer.contexts += tuple(map(Snapshot.of, outcome.contexts))
            outer.concludes = outer.concludes or outcome.concludes
        if isinstance(outcome, Failure):
            self._note(outcome)
        if future.done():
            return
        if isinstance(outcome, Failure):
            _fail(future, ToolCallError(outcome.message))
        else:
            future.set_result(outcome.value)

    def _note(self, failure: Failure) -> None:
        details = failure.details
        if isinstance(details, dict) and details.get("still_running") is True:
            self._going_on.append(failure.call_id)
        elif self.batch.is_ended and failure.message == _ENDED:
            how = "was stopped" if failure.code is Code.ABORTED else "was never made"
            called = f"call {failure.call_id!r} of {failure.tool!r}"
            self._cut_off.append(f"{called} {how}: the program ended before it had its outcome")
        if failure.code is Code.APPROVAL_REQUIRED:
            self._unanswered.append(details)

    def _heard(self, event: object) -> None:
        """Have the clocks stand still while people are asked."""
        for clock in self._clocks:
            if isinstance(event, ApprovalAsked):
                clock.pause()
            elif isinstance(event, ApprovalAnswered):
                clock.resume()
        if self._outer.request.on_asked is not None:
            self._outer.request.on_asked(event)

    async def _drain(self, driving: "asyncio.Future[None]") -> asyncio.CancelledError | None:
        """Stop the calls that run, and wait until each has its outcome.

        Returns:
            what cancelled the waiting for that, if anything did.
        """
        self.batch.end(_ENDED)
        return await wait_out(driving, math.inf)

    def _tell(self, error: ProgramError | None) -> None:
        """Keep beside the call's failure why there is no result, and what was printed until then.

        Args:
            error: why; None where the call was stopped.
        """
        kept: dict[str, JSON] = {"logs": self._printed.text}
        if error is not None:
            kind = str(error.kind) if error.kind in PROGRAM_FAULTS else "exception"
            line = error.line if type(error.line) is int else None
            kept |= {"kind": kind, "line": line}
        if self._going_on:
            kept["still_running"] = True
        if self._unanswered:
            kept["approval_required"] = self._unanswered
        self._outer.kept = kept


def _too_much(calls: int, limit: int) -> str:
    return (
        f"the {calls} calls of this program that have not ended hold almost all of the {limit} "
        "bytes that its arguments may take; await some of them first"
    )


def _fail(future: "asyncio.Future[JSON]", error: ToolCallError) -> None:
    """Fail a future that nobody may ever await."""
    future.set_exception(error)
    future.exception()


def _as_json(result: object) -> dict[str, JSON]:
    """The value of a program's last expression, if it has one.

    Raises:
        PegboardError: a runtime gave something else.
    """
    if not isinstance(result, ProgramResult):
        kind = type(result).__name__
        raise PegboardError(f"a code runtime gives a ProgramResult, not {kind}")
    return {"result": result.value} if result.is_given else {}
