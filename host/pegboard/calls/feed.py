"""What happens in a batch, for one reader who takes it as it happens."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """What has happened and wasn't read yet, in order."""

    __slots__ = ("_told",)

    def __init__(self) -> None:
        self._told: asyncio.Queue[T | None] = asyncio.Queue()

    def put(self, event: T) -> None:
        """Note that something has happened."""
        self._told.put_nowait(event)

    async def read(
        self, drive: Callable[[], Coroutine[Any, Any, None]], cancel: Callable[[str], None]
    ) -> AsyncGenerator[T, None]:
        """Give what happens while something is driven, until that has ended.

        Whoever stops reading stops it: it is cancelled, and waited for.

        Args:
            drive: drives it, in a task of its own.
            cancel: has it end soon.
        """
        driving = asyncio.create_task(drive(), name="pegboard-batch")
        driving.add_done_callback(lambda _: self._told.put_nowait(None))
        try:
            while (event := await self._told.get()) is not None:
                yield event
        finally:
            cancel("nobody reads the outcomes any more")
            await _outlasted(driving)


async def _outlasted(driving: "asyncio.Task[None]") -> None:
    """Wait until a task has ended, whatever cancels the waiting; then raise what it raised."""
    tear: asyncio.CancelledError | None = None
    while not driving.done():
        try:
            await asyncio.wait([driving])
        except asyncio.CancelledError as error:
            tear = error
    if tear is not None:
        raise tear
    driving.result()
