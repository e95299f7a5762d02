"""One peer of the control channel: its requests, one after the other."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import attrs

from pegboard.control.bounds import Bounds
from pegboard.control.frames import (
    Request,
    answer_line,
    error_line,
    id_of,
    read_frame,
    read_request,
)
from pegboard.control.wire import Wire
from pegboard.errors import ControlError, PegboardError
from pegboard.values import JSON, Limits

_log = logging.getLogger("pegboard.control")


@attrs.define(eq=False)
class Session:
    """Answers one peer until it goes, is too slow, or the channel is closed.

    Attributes:
        wire: the connection; this closes it.
        perform: does what a request asks for.
        bounds: what the peer may take.
        limits: what a JSON value of the host may have.
        is_busy: whether a request is being answered.
        is_ending: whether the one that is being answered is the last.
    """

    wire: Wire
    perform: Callable[[Request], Awaitable[JSON]]
    bounds: Bounds
    limits: Limits
    is_busy: bool = attrs.field(default=False, init=False)
    is_ending: bool = attrs.field(default=False, init=False)

    async def run(self) -> None:
        """Answer until the end; nothing that a peer does is raised."""
        try:
            with suppress(OSError):  # who is gone or too slow gets no answer; a time-out is one too
                while not self.is_ending and await self._answer_next():
                    pass
        finally:
            self.wire.close()

    async def _answer_next(self) -> bool:
        """Answer one request; False where there is none any more."""
        try:
            async with asyncio.timeout(self.bounds.patience):
                line = await self.wire.read()
        except ControlError as error:
            await self._write(error_line(None, error))
            await self.wire.linger(self.bounds.leaving)
            return False
        if line is None or self.wire.is_deserted():
            return False  # who is gone asks for nothing: it was told that there is no answer
        self.is_busy = True
        try:
            await self._write(await self._answer(line))
        finally:
            self.is_busy = False
        await asyncio.sleep(0)  # others have their turn, however much is sent at once
        return not _is_cancelled()

    async def _answer(self, line: bytes) -> bytes:
        found: int | str | None = None
        try:
            frame = read_frame(line, self.bounds, self.limits)
            found = id_of(frame)
            result = await self.perform(read_request(frame))
            return answer_line(found, result, self.bounds)
        except PegboardError as error:
            return error_line(found, error)
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            return error_line(found, _internal("CancelledError"))
        except Exception as error:  # noqa: BLE001 - no request ends the channel
            _log.exception("a request on the control channel could not be answered")
            return error_line(found, _internal(type(error).__name__))

    async def _write(self, line: bytes) -> None:
        await self.wire.write(line, reading=self.bounds.reading)


def _is_cancelled() -> bool:
    """Whether it is this session that was cancelled, and not something that it waited for."""
    task: asyncio.Task[Any] | None = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _internal(kind: str) -> ControlError:
    return ControlError(f"the host failed ({kind}); its log says more", kind="internal")
