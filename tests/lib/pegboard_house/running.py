"""Run `async def test_…` functions, each in a loop of its own that must end empty."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

LIMIT = 60.0
"""Seconds that one coroutine of a test may take."""

SETTLING = 0.5
"""Seconds in which tasks that were cancelled may still end."""


def run_coroutine_test(item: pytest.Function) -> bool | None:
    """Run the item if it is a coroutine function, and say so; None leaves it to pytest."""
    inner = getattr(item.obj, "hypothesis", None)
    if inner is not None and inspect.iscoroutinefunction(inner.inner_test):
        inner.inner_test = _in_a_loop(inner.inner_test)
        return None
    if not inspect.iscoroutinefunction(item.obj):
        return None
    names = item._fixtureinfo.argnames
    _in_a_loop(item.obj)(**{name: item.funcargs[name] for name in names})
    return True


def _in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        uncaught: list[str] = []
        with asyncio.Runner(debug=False) as runner:
            loop = runner.get_loop()
            loop.set_exception_handler(lambda _, context: uncaught.append(repr(context)))
            runner.run(_and_nothing_else(test(*args, **kwargs)))
        assert not uncaught, f"nobody caught: {'; '.join(uncaught)}"

    return run


async def _and_nothing_else(test: Coroutine[Any, Any, None]) -> None:
    async with asyncio.timeout(LIMIT):
        await test
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:
        _, tasks = await asyncio.wait(tasks, timeout=SETTLING)
    assert not tasks, f"tasks are still running: {tasks}"
    timers = _pending_timers()
    assert not timers, f"timers are still set: {timers}"


def _pending_timers() -> list[asyncio.TimerHandle]:
    scheduled = getattr(asyncio.get_running_loop(), "_scheduled", ())
    return [timer for timer in scheduled if not timer.cancelled()]
