"""The built-in plugin that holds a tool to the number of calls that may run at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from pegboard.calls import Execution, Flight, enclosing
from pegboard.hooks import applies_where, hookimpl, innermost
from pegboard.outcomes import Code, Failure, Outcome
from pegboard.plugins.builtin.queues import Place, Queues
from pegboard.registry import Entry


def _is_limited(entry: Entry) -> bool:
    return entry.max_running is not None


class MaxRunning:
    """Lets calls of a tool run in the order in which they come, at most so many at once.

    The figure is for the tool's name: all boards and all loads of a plugin count together. A body
    that outlives its outcome keeps its place until it ends.
    """

    def __init__(self) -> None:
        self._queues = Queues()

    @hookimpl
    @innermost
    @applies_where(_is_limited)
    async def pegboard_around_call(
        self, execution: Execution, call_next: Callable[..., Awaitable[Outcome]]
    ) -> Outcome:
        """Let the body happen once its turn has come."""
        flight, *outer = enclosing()
        most = None if flight.entry is None else flight.entry.max_running
        if most is None or flight.should_stop():
            return await call_next()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = Place(flight, tuple(outer), partial(_end, turn))
        name, before = execution.tool, flight.left_behind
        self._queues.enter(name, place, most=most)
        try:
            if not turn.done() and outer and self._queues.is_hopeless(name):
                return _hopeless(execution, most)
            await _waited(flight, turn)
            return await call_next()
        finally:
            body = flight.left_behind[-1] if flight.left_behind != before else None
            self._leave(body, name, place)

    def _leave(self, body: "asyncio.Future[Any] | None", name: str, place: Place) -> None:
        """Give the place back, now or once a body has ended that didn't stop."""
        if body is None or body.done():
            self._queues.leave(name, place)
        else:
            body.add_done_callback(lambda _: self._queues.leave(name, place))


async def _waited(flight: Flight, turn: "asyncio.Future[None]") -> None:
    """Wait until the turn has come, or the call is cancelled, and note how long that took."""
    if turn.done():
        return
    loop, began = asyncio.get_running_loop(), time.monotonic()

    def cancelled(_: str) -> None:
        loop.call_soon_threadsafe(_end, turn)

    unlisten = flight.signal.listen(cancelled)
    try:
        await turn
    finally:
        unlisten()
        flight.waited += time.monotonic() - began


def _end(turn: "asyncio.Future[None]") -> None:
    if not turn.done():
        turn.set_result(None)


def _hopeless(execution: Execution, most: int) -> Failure:
    message = (
        f"at most {most} calls of {execution.tool!r} may run at once, and those that do wait for "
        f'this one; raise max_running in [tools."{execution.tool}"]'
    )
    return Failure(execution.call_id, execution.tool, Code.BUSY, message)
