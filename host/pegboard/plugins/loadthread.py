"""Running code of a plugin that loads: in a thread, within a limit, whatever it does."""

import asyncio
import contextvars
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pegboard.calls.threads import Ended, Raised, run_safely
from pegboard.errors import ConfigError, PluginLoadError
from pegboard.plugins.leaks import Leaks

T = TypeVar("T")

_NOT_OF_PLUGINS = ("contextlib", "importlib", "pegboard", "pluggy")


async def in_load_thread(function: Callable[[], T], *, what: str, limit: float, leaks: Leaks) -> T:
    """What a function gives, run in a thread of its own.

    Args:
        function: code of a plugin.
        what: what it does, for the message: `importing web`.
        limit: seconds that it may take.
        leaks: where the thread is listed, if it goes on after that.

    Raises:
        PluginLoadError: it raised, called `exit()`, or took longer; the cause is chained.
    """
    ended: asyncio.Future[Ended] = asyncio.get_running_loop().create_future()
    context = contextvars.copy_context()
    name = f"pegboard-load-{what}"
    threading.Thread(
        target=context.run, args=(_run, function, ended, leaks), name=name, daemon=True
    ).start()
    try:
        await asyncio.wait([ended], timeout=limit)
    finally:
        leaks.add(f"thread {name}", ended)
    if not ended.done():
        raise PluginLoadError(
            f"{what} took longer than load_timeout = {limit:g} s; thread {name} goes on"
        )
    result = ended.result()
    if isinstance(result, Raised) and isinstance(result.error, (ConfigError, PluginLoadError)):
        raise result.error
    if isinstance(result, Raised):
        raise PluginLoadError(f"{what} raised {located(result.error)}") from result.error
    return result.value  # type: ignore[no-any-return]


def _run(function: Callable[[], Any], ended: "asyncio.Future[Ended]", leaks: Leaks) -> None:
    """The thread: what it has done is told on the loop, if there is still one."""
    result = run_safely(function)
    try:
        ended.get_loop().call_soon_threadsafe(_settle, ended, result)
    except RuntimeError:
        leaks.end()


def _settle(ended: "asyncio.Future[Ended]", result: Ended) -> None:
    if not ended.done():
        ended.set_result(result)


def shown(error: BaseException) -> str:
    """An exception in one line, for operators: its type and text."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # noqa: BLE001 - the text of a plugin's exception is a plugin's code
        text = ""
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def located(error: BaseException) -> str:
    """The same with the plugin's file and line where it was raised, if there is one."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        text = f"{type(error).__name__}: {error.msg}"
        return f"{text} ({_near(error.filename)}:{error.lineno})"
    own = list(_frames(error))
    package = own[0][0] if own else ""
    places = [place for name, place in own if name == package]
    return f"{shown(error)} ({places[-1]})" if places else shown(error)


def _frames(error: BaseException) -> Iterator[tuple[str, str]]:
    """The package, file and line of each frame of a traceback, without those of the host."""
    for frame, line in traceback.walk_tb(error.__traceback__):
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        file = frame.f_code.co_filename
        if package not in _NOT_OF_PLUGINS and not file.startswith("<"):
            yield package, f"{_near(file)}:{line}"


def _near(file: str) -> str:
    """A path as seen from the working folder, if it is below."""
    try:
        here = f"{Path.cwd()}/"
    except OSError:  # the folder is gone
        return file
    return file.removeprefix(here)
