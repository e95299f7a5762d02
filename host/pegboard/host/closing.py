"""The end of a host: in a task of its own, which nobody who waits for it can stop."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import attrs

from pegboard.board import Engine
from pegboard.calls import ending
from pegboard.errors import HostClosedError
from pegboard.host.boards import Boards
from pegboard.host.notices import Notices
from pegboard.plugins import Loader, Observers
from pegboard.reports import UnloadReport

_REASON = "the host is closed"


@attrs.frozen(eq=False)
class Parts:
    """What ends with a host.

    Attributes:
        close_control: lets operators in no more, while what they did is still heard of.
    """

    engine: Engine
    boards: Boards
    loader: Loader
    notices: Notices
    observers: Observers
    close_control: Callable[[], Awaitable[None]]


class Closing:
    """One closing of a host; asked for inside a call, it ends once that call has.

    Args:
        parts: what ends.
        grace: seconds that running calls have before they are cancelled.
        stop_grace: seconds that code of plugins has to stop.
        on_end: told when it has ended, with what went wrong or None.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        grace: float,
        stop_grace: float,
        on_end: Callable[[BaseException | None], None],
    ) -> None:
        self._parts = parts
        self._grace = grace
        self._stop_grace = stop_grace
        self._inside = parts.engine.flights.enclosing()
        self._withdrawn: asyncio.Future[list[UnloadReport]] = asyncio.Future()
        self._task = asyncio.create_task(self._run(), name="pegboard-close")
        self._task.add_done_callback(partial(_told, on_end))

    async def reports(self) -> list[UnloadReport]:
        """What has become of the plugins, once all has ended that can while this is awaited."""
        await asyncio.wait([self._task, self._withdrawn], return_when=asyncio.FIRST_COMPLETED)
        return (self._withdrawn if self._withdrawn.done() else self._task).result()

    async def joined(self, grace: float) -> list[UnloadReport]:
        """Wait for the end with who asked first; the shorter grace holds, and nothing is left.

        It holds for the calls too that asked first, which are waited for from here.
        """
        self._grace = min(self._grace, grace)  # it may not have begun to drain
        engine = self._parts.engine
        engine.hasten(grace)
        if not engine.flights.enclosing():
            await engine.flights.end(self._inside, grace=grace, reason=_REASON)
            await asyncio.wait([self._task])
            self._task.result()
        return []

    async def over(self) -> None:
        """Wait for the end, and hasten nothing.

        Raises:
            HostClosedError: this is inside a call of the host, for which the end may wait.
        """
        if self._parts.engine.flights.enclosing():
            raise HostClosedError("the host is being closed; open it again after this call")
        await asyncio.wait([self._task])

    async def _run(self) -> list[UnloadReport]:
        parts = self._parts
        try:
            reports = await self._withdraw()
            if self._inside:
                self._withdrawn.set_result(reports)
                await parts.engine.flights.gone(self._inside)
            await parts.loader.closed()
        finally:
            await parts.close_control()
        parts.notices.stop()
        await parts.observers.stop(grace=self._stop_grace)
        await parts.engine.pipeline.close()
        parts.engine.draining = None
        parts.engine.pipeline.stops = ending(parts.engine.pipeline.stops, None)
        return reports

    async def _withdraw(self) -> list[UnloadReport]:
        """Close every board, and unload every plugin; what the calls here use goes after them."""
        await self._parts.engine.drain_all(_REASON, self._grace)
        closed = await self._parts.boards.close(grace=0)
        reports = [each for report in closed for each in report.unloaded]
        return reports + await self._parts.loader.close(grace=self._grace)


def _told(
    on_end: Callable[[BaseException | None], None], task: "asyncio.Task[list[UnloadReport]]"
) -> None:
    on_end(asyncio.CancelledError() if task.cancelled() else task.exception())
