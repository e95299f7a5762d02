"""The body of a call: its types are built, it runs, and its value is projected."""

import asyncio
import inspect
import logging
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from pegboard.calls.carrier import Carriers, Running
from pegboard.calls.flight import CURRENT, Flight, Flights
from pegboard.calls.messages import describe
from pegboard.calls.settle import Interrupt, Settled, guarded, settle
from pegboard.calls.side import Side
from pegboard.calls.threads import Ended, Raised, Returned, Threads
from pegboard.config import Config
from pegboard.errors import CallCancelledError, ToolError
from pegboard.outcomes import Code, Failure, Outcome, success
from pegboard.registry import Entry
from pegboard.tools import ArgumentFaults, CompiledTool, OutputError, RunContext
from pegboard.values import Limits, Snapshot, check_content, check_content_size

_log = logging.getLogger("pegboard.calls")
_CANCELLED = (asyncio.CancelledError, CallCancelledError)


class BodyRunner:
    """Runs the bodies of one host's tools."""

    def __init__(self, config: Config, flights: Flights, carriers: Carriers) -> None:
        self._config = config
        self._flights = flights
        self._carriers = carriers
        self._pools: dict[str | None, Threads] = {}

    def close(self) -> None:
        """Let the threads of every pool end."""
        for pool in self._pools.values():
            pool.close()

    def drop_threads(self, plugin: str) -> tuple[str, ...]:
        """Let the threads of one plugin end; the names of those that are still busy."""
        pool = self._pools.pop(plugin, None)
        if pool is None:
            return ()
        busy = tuple(each.name for each in pool.alive) if pool.stuck else ()
        pool.close()
        return busy

    def begin(
        self, flight: Flight, entry: Entry, side: Callable[[Flight], Side]
    ) -> Outcome | Coroutine[Any, Any, Outcome]:
        """Start the body.

        Returns:
            the outcome, if it has ended without ever suspending; else what to await for it.
        """
        compiled = entry.compiled
        flight.stage = "body"
        context = _context(flight, entry, side(flight)) if compiled.needs_context else None
        try:
            start = compiled.bind(flight.arguments, context, flight.take_values())
        except ArgumentFaults as refused:
            message = refused.faults.message(flight.call.name)
            return flight.failed(Code.INVALID_ARGUMENTS, message)
        flight.began = time.monotonic()
        if not compiled.is_async:
            return self._submit(flight, entry, start)
        ended = self._carriers.start(guarded(start, flight))
        if isinstance(ended, Running):
            return self._finish(flight, entry, ended)
        if type(ended) is Returned and not flight.should_stop():
            flight.body = time.monotonic() - flight.began
            return self._project(flight, compiled, ended.value)
        return self._ended(flight, entry, Settled(ended))

    async def _finish(self, flight: Flight, entry: Entry, begun: Running) -> Outcome:
        settled = await self._settled(flight, entry, begun)
        return self._ended(flight, entry, settled)

    def _ended(self, flight: Flight, entry: Entry, settled: Settled) -> Outcome:
        flight.body = time.monotonic() - flight.began
        if settled.interrupt is Interrupt.TASK:
            flight.is_cancelled = True
        outcome = self._outcome(flight, entry, settled)
        return outcome or self._project(flight, entry.compiled, _value(settled))

    def _submit(
        self, flight: Flight, entry: Entry, start: Callable[[], Any]
    ) -> Failure | Coroutine[Any, Any, Outcome]:
        pool = self._pool(entry)
        if pool.is_full_of_stuck:
            return flight.failed(Code.BUSY, _busy(entry))
        running = Running(pool.submit(partial(_inside, flight, start)), _nothing)
        return self._finish(flight, entry, running)

    async def _settled(self, flight: Flight, entry: Entry, begun: Running) -> Settled:
        pool = None if entry.compiled.is_async else self._pool(entry)
        settled = await self._watched(flight, entry, begun, pool)
        waiting = _value(settled)
        if pool is None or not inspect.isawaitable(waiting):
            return settled
        carried = self._carriers.start(guarded(lambda: waiting, flight))
        if isinstance(carried, Running):
            return await self._watched(flight, entry, carried, None)
        return Settled(carried)

    async def _watched(
        self, flight: Flight, entry: Entry, running: Running, pool: Threads | None
    ) -> Settled:
        settled = await settle(
            running,
            signal=flight.signal,
            limit=entry.tool.timeout,
            grace=self._config.stop_grace,
            stop=flight.cancel,
        )
        if settled.ended is None:
            self._abandon(flight, running.future, pool)
        return settled

    def _abandon(
        self, flight: Flight, inner: "asyncio.Future[Ended]", pool: Threads | None
    ) -> None:
        flight.is_abandoned = True
        if pool is not None:
            pool.stuck += 1

        def gone(_: "asyncio.Future[Ended]") -> None:
            if pool is not None:
                pool.stuck -= 1
            self._flights.remove(flight)
            flight.land()

        inner.add_done_callback(gone)

    def _pool(self, entry: Entry) -> Threads:
        plugin = entry.owner.plugin
        pool = self._pools.get(plugin)
        if pool is None:
            pool = Threads(plugin or "program", most=self._config.max_threads)
            self._pools[plugin] = pool
        return pool

    def _outcome(self, flight: Flight, entry: Entry, settled: Settled) -> Failure | None:
        """The failure that the body ended in, or None if it gave a value."""
        details = {"still_running": True} if settled.ended is None else None
        if settled.interrupt is Interrupt.LIMIT:
            tool, limit = flight.call.name, entry.tool.timeout
            message = f"tool {tool!r} was stopped after its time limit of {limit:g} s"
            return flight.failed(Code.TIMED_OUT, message, details=details)
        ended = settled.ended
        if isinstance(ended, Raised) and not _is_stop(flight, settled, ended.error):
            return self._raised(flight, ended.error)
        if settled.interrupt is not None or flight.should_stop():
            return flight.failed(Code.ABORTED, flight.reason, details=details)
        return None

    def _raised(self, flight: Flight, error: BaseException) -> Failure:
        if isinstance(error, ToolError):
            return _tool_error(flight, error, self._config.limits)
        if isinstance(error, OutputError):
            return self._misfit(flight, error)
        _log.error(
            "tool %r raised in call %r",
            flight.call.name,
            flight.call.id,
            exc_info=error,
        )
        kind = type(error).__name__
        message = f"the tool failed: {kind}" if self._config.mask_errors else describe(error)
        return flight.failed(Code.CRASHED, message)

    def _misfit(self, flight: Flight, error: OutputError) -> Failure:
        if error.raised is not None:
            name, call_id = flight.call.name, flight.call.id
            _log.error("the output of %r in call %r", name, call_id, exc_info=error.raised)
        message = error.masked if self._config.mask_errors else str(error)
        return flight.failed(Code.INVALID_OUTPUT, message)

    def _project(self, flight: Flight, compiled: CompiledTool, value: Any) -> Outcome:
        flight.stage = "project"
        is_direct = flight.request.parent is None
        try:
            projection = compiled.project(flight.arguments, value, is_direct=is_direct)
        except OutputError as error:
            return self._misfit(flight, error)
        return success(
            flight.call,
            projection.value,
            projection.content,
            projection.meta,
            flight.contexts,
            flight.concludes,
            flight.notes,
        )


def _inside(flight: Flight, start: Callable[[], Any]) -> Any:
    CURRENT.set(flight)
    return start()


def _value(settled: Settled) -> Any:
    return settled.ended.value if isinstance(settled.ended, Returned) else None


def _nothing() -> None:
    return None


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
    if not isinstance(error, _CANCELLED):
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


def _busy(entry: Entry) -> str:
    return (
        f"every thread of {entry.owner} is held by a call that doesn't stop; "
        "try again when one of them has ended"
    )
