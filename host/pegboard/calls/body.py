"""The body of a call: its types are built, it runs, and its value is projected."""

import asyncio
import inspect
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pegboard.calls.carrier import Carriers
from pegboard.calls.flight import CURRENT, Flight
from pegboard.calls.flights import Flights
from pegboard.calls.messages import describe, legible
from pegboard.calls.settle import Settled, guarded, is_cancellation, settle
from pegboard.calls.side import Side
from pegboard.calls.threads import Ended, PoolFullError, Raised, Returned, Running, Threads
from pegboard.config import Config
from pegboard.errors import NotJSONError, ToolError, WorkerLostError
from pegboard.outcomes import Code, Failure, Outcome, Success, success
from pegboard.programs import ProgramError
from pegboard.registry import Entry
from pegboard.reports import PoolUse
from pegboard.tools import ArgumentFaults, CompiledTool, OutputError, Projection, RunContext
from pegboard.values import JSON, Limits, Snapshot, Text, check_content, check_content_size

_log = logging.getLogger("pegboard.calls")
_failures = logging.getLogger("pegboard.calls.failures")
_failures.addHandler(logging.NullHandler())  # what a tool reports is in its outcome already


class BodyRunner:
    """Runs the bodies of one host's tools."""

    def __init__(self, config: Config, flights: Flights, carriers: Carriers) -> None:
        self._config = config
        self._flights = flights
        self._carriers = carriers
        self._pools: dict[str | None, Threads] = {}

    def configure(self, config: Config) -> None:
        """Follow another configuration from now on."""
        self._config = config
        for pool in self._pools.values():
            pool.resize(config.max_threads)

    def close(self) -> None:
        """Let the threads of every pool end."""
        for pool in self._pools.values():
            pool.close()

    def drop_threads(self, plugin: str) -> tuple[str, ...]:
        """Let the threads of one plugin end; the names of those that are still busy."""
        pool = self._pools.pop(plugin, None)
        if pool is None:
            return ()
        busy = tuple(each.name for each in pool.alive) if pool.has_stuck else ()
        pool.close()
        return busy

    def begin(
        self, flight: Flight, entry: Entry, side: Callable[[Flight], Side]
    ) -> Outcome | Running:
        """Start the body.

        Returns:
            the outcome, if it has ended without ever suspending; else what runs.
        """
        compiled = entry.compiled
        flight.stage = "body"
        context = _context(flight, entry, side(flight)) if compiled.needs_context else None
        try:
            start = compiled.bind(flight.arguments, context, flight.take_values())
        except ArgumentFaults as refused:
            message = refused.faults.message(flight.call.name)
            return flight.failed(Code.INVALID_ARGUMENTS, message)
        if not compiled.is_async:
            return self._submit(flight, entry, start)
        flight.began = time.monotonic()
        ended = self._carriers.start(guarded(start, flight))
        if isinstance(ended, Running):
            return ended
        if type(ended) is Returned and not flight.should_stop():
            flight.body = time.monotonic() - flight.began
            return self._project(flight, compiled, ended.value)
        return self._ended(flight, entry, Settled(ended))

    async def run(
        self, flight: Flight, entry: Entry, run: Callable[[JSON, RunContext], Any], side: Side
    ) -> Outcome:
        """Run something in the place of the body, with JSON in and out."""
        flight.stage = "body"
        flight.began = time.monotonic()
        context = _context(flight, entry, side)
        ended = self._carriers.start(guarded(lambda: run(flight.arguments.read(), context), flight))
        if isinstance(ended, Running):
            settled = await self._watched(flight, ended, None)
        else:
            settled = Settled(ended)
        outcome = self._ended_in(flight, settled)
        return outcome or self.projected(flight, entry, _value(settled))

    def projected(self, flight: Flight, entry: Entry, value: Any) -> Outcome:
        """The outcome of a call for JSON that somebody has put in the place of the tool's value."""
        is_direct = flight.request.parent is None
        try:
            taken = Snapshot.of(value, entry.generation.limits)
            made = entry.compiled.revalidate(flight.arguments, taken, is_direct=is_direct)
        except NotJSONError as error:
            return self._misfit(flight, OutputError(f"the output isn't valid: {error}"))
        except OutputError as error:
            return self._misfit(flight, error)
        return _succeeded(flight, made)

    async def finish(self, flight: Flight, entry: Entry, begun: Running) -> Outcome:
        """Wait for a body that runs, and stop it where the call is cancelled."""
        settled = await self._settled(flight, entry, begun)
        return self._ended(flight, entry, settled)

    def ended(self, flight: Flight, entry: Entry, ended: Ended) -> Outcome | None:
        """The outcome of a body that nothing has interrupted; None where it is to be awaited."""
        value = ended.value if isinstance(ended, Returned) else None
        if not entry.compiled.is_async and inspect.isawaitable(value):
            return None
        if isinstance(ended, Raised) or flight.should_stop():
            return self._ended(flight, entry, Settled(ended))
        flight.body = time.monotonic() - flight.began
        return self._project(flight, entry.compiled, value)

    def _ended(self, flight: Flight, entry: Entry, settled: Settled) -> Outcome:
        outcome = self._ended_in(flight, settled)
        return outcome or self._project(flight, entry.compiled, _value(settled))

    def _ended_in(self, flight: Flight, settled: Settled) -> Failure | None:
        """The failure that the body ended in, or None if it gave a value."""
        if flight.began:
            flight.body = time.monotonic() - flight.began
        flight.tear = settled.tear or flight.tear
        details: dict[str, JSON] | None = {"still_running": True} if settled.ended is None else None
        ended = settled.ended
        if isinstance(ended, Raised) and not _is_stop(flight, settled, ended.error):
            return self._raised(flight, ended.error)
        if settled.interrupt is not None or flight.should_stop():
            return flight.aborted(details=details)
        return None

    def _submit(self, flight: Flight, entry: Entry, start: Callable[[], Any]) -> Failure | Running:
        pool = self._pool(entry)
        if pool.is_full_of_stuck:
            return flight.failed(Code.BUSY, _busy(entry))
        return pool.submit(partial(_inside, flight, start, time.monotonic()))

    async def _settled(self, flight: Flight, entry: Entry, begun: Running) -> Settled:
        pool = None if entry.compiled.is_async else self._pool(entry)
        settled = await self._watched(flight, begun, pool)
        waiting = _value(settled)
        if pool is None or not inspect.isawaitable(waiting):
            return settled
        carried = self._carriers.start(guarded(lambda: waiting, flight))
        if isinstance(carried, Running):
            return await self._watched(flight, carried, None)
        return Settled(carried)

    async def _watched(self, flight: Flight, running: Running, pool: Threads | None) -> Settled:
        signal = flight.signal
        settled = await settle(
            running,
            grace=self._config.stop_grace + flight.patience,
            signal=signal,
            stop=signal.cancel,
        )
        if settled.ended is None:
            self._abandon(flight, running.future, pool)
        return settled

    def _abandon(
        self, flight: Flight, inner: "asyncio.Future[Ended]", pool: Threads | None
    ) -> None:
        self._flights.outlive(flight, inner)
        flight.left_behind = (*flight.left_behind, inner)
        if pool is not None:
            pool.hold(inner)

    def pools(self) -> tuple[PoolUse, ...]:
        """The threads of sync tools, by plugin."""
        return tuple(pool.use(plugin) for plugin, pool in self._pools.items())

    def _pool(self, entry: Entry) -> Threads:
        plugin = entry.owner.plugin
        pool = self._pools.get(plugin)
        if pool is None:
            pool = Threads(plugin or "program", most=self._config.max_threads)
            self._pools[plugin] = pool
        return pool

    def _raised(self, flight: Flight, error: BaseException) -> Failure:
        if isinstance(error, OutputError):
            return self._misfit(flight, error)
        if isinstance(error, PoolFullError):
            return flight.failed(Code.BUSY, _busy(flight.entry))
        told = (flight.call.name, flight.call.id)
        if isinstance(error, ToolError):
            _failures.warning("tool %r failed in call %r", *told, exc_info=error)
            return _tool_error(flight, error, self._config.limits)
        if isinstance(error, ProgramError) and flight.kept is not None:
            _failures.info("the program of call %r gave no result: %s", told[1], error.kind)
            return _no_result(flight, error)
        if isinstance(error, WorkerLostError):
            _failures.warning("tool %r lost its worker in call %r", *told, exc_info=error)
            return flight.failed(Code.WORKER_LOST, describe(error))
        _log.error("tool %r raised in call %r", *told, exc_info=error)
        kind = type(error).__name__
        message = f"the tool failed: {kind}" if self._config.mask_errors else describe(error)
        return flight.failed(Code.CRASHED, message, details=flight.with_kept())

    def _misfit(self, flight: Flight, error: OutputError) -> Failure:
        if error.raised is not None:
            name, call_id = flight.call.name, flight.call.id
            _log.error("the output of %r in call %r", name, call_id, exc_info=error.raised)
        message = error.masked if self._config.mask_errors else str(error)
        return flight.failed(Code.INVALID_OUTPUT, message, details=flight.with_kept())

    def _project(self, flight: Flight, compiled: CompiledTool, value: Any) -> Outcome:
        flight.stage = "project"
        is_direct = flight.request.parent is None
        try:
            made = compiled.project(flight.arguments, value, is_direct=is_direct)
        except OutputError as error:
            return self._misfit(flight, error)
        return success(
            flight.call,
            made.value,
            made.content,
            made.meta,
            flight.contexts,
            flight.concludes,
            flight.notes,
        )


def _succeeded(flight: Flight, made: Projection) -> Success:
    shown = (made.value, made.content, made.meta)
    return success(flight.call, *shown, flight.contexts, flight.concludes, flight.notes)


def _inside(flight: Flight, start: Callable[[], Any], asked: float) -> Any:
    CURRENT.set(flight)
    flight.began = time.monotonic()
    flight.waited += flight.began - asked
    return start()


def _value(settled: Settled) -> Any:
    return settled.ended.value if isinstance(settled.ended, Returned) else None


def _context(flight: Flight, entry: Entry, side: Side) -> RunContext:
    return RunContext(
        flight.call.id,
        flight.root_call_id,
        flight.scope.name or "",
        entry.generation.context,
        entry.generation.states.get(id(flight.scope)),
        flight.request.deps,
        flight.request.labels.read(),
        flight.signal,
        side,
    )


def _is_stop(flight: Flight, settled: Settled, error: BaseException) -> bool:
    """Whether the body raised because it was told to stop."""
    if not is_cancellation(error):
        return False
    return settled.interrupt is not None or flight.should_stop()


def _tool_error(flight: Flight, error: ToolError, limits: Limits) -> Failure:
    message = describe(error)
    try:
        content = None if error.content is None else check_content(error.content)
        check_content_size(content or (), limits)
        details = {**(error.details or {}), **({} if error.code is None else {"code": error.code})}
        kept = Snapshot.of(details, limits) if details else None
    except (TypeError, ValueError) as refused:
        text = f"{message} (its content or details were left out: {refused})"
        return flight.failed(Code.TOOL_ERROR, text)
    return flight.failed(Code.TOOL_ERROR, message, content=content, details=kept)


def _no_result(flight: Flight, error: ProgramError) -> Failure:
    """The failure of a program, with what it had printed until then."""
    message, kept = describe(error), flight.with_kept()
    logs = str(kept["logs"]) if isinstance(kept, dict) else ""
    printed = (Text(f"Printed until then:\n{legible(logs)}"),) if logs else ()
    content = (Text(f"Error: {legible(message)}"), *printed)
    return flight.failed(Code.CODE_FAILED, message, content=content, details=kept)


def _busy(entry: Entry | None) -> str:
    whose = "the tool" if entry is None else entry.owner
    return (
        f"every thread of {whose} is held by a call that doesn't stop; "
        "try again when one of them has ended"
    )
