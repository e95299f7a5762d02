"""Running code of a plugin that loads: in a thread, within a limit, whatever it does."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

from pegboard.calls.threads import Ended, Raised, run_safely
from pegboard.errors import ConfigError, PluginLoadError

T = TypeVar("T")


async def in_load_thread(function: Callable[[], T], *, what: str, limit: float) -> T:
    """What a function gives, run in a thread of its own.

    Args:
        function: code of a plugin.
        what: what it does, for the message: `importing web`.
        limit: seconds that it may take.

    Raises:
        PluginLoadError: it raised, called `exit()`, or took longer; the cause is chained.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Ended] = loop.create_future()

    def settle(result: Ended) -> None:
        if not ended.done():
            ended.set_result(result)

    def run() -> None:
        result = run_safely(function)
        try:
            loop.call_soon_threadsafe(settle, result)
        except RuntimeError:
            return  # the loop has closed: nobody waits any more

    context = contextvars.copy_context()
    threading.Thread(
        target=context.run, args=(run,), name=f"pegboard-load-{what}", daemon=True
    ).start()
    try:
        async with asyncio.timeout(limit):
            result = await ended
    except TimeoutError:
        raise PluginLoadError(f"{what} took longer than load_timeout = {limit:g} s") from None
    if isinstance(result, Raised) and isinstance(result.error, (ConfigError, PluginLoadError)):
        raise result.error
    if isinstance(result, Raised):
        raise PluginLoadError(f"{what} raised {shown(result.error)}") from result.error
    return result.value  # type: ignore[no-any-return]


def shown(error: BaseException) -> str:
    """An exception in one line, for operators: its type and text."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # noqa: BLE001 - the text of a plugin's exception is a plugin's code
        text = ""
    name = type(error).__name__
    return f"{name}: {text}" if text else name
