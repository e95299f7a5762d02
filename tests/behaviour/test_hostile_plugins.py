"""Nothing that a plugin or a program does stops the host, another plugin, or another call."""

import asyncio
import contextlib
import logging
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import Any

import attrs
import pytest
from pegboard import (
    Config,
    Failure,
    Host,
    InvalidToolError,
    PegboardError,
    PluginLoadError,
    RunContext,
    Signal,
    hookimpl,
    tool,
)
from pegboard.testing import RecordingPlugin, host_with

QUICK = Config(stop_grace=0.5, hook_timeout=2.0, load_timeout=0.5)


def plugin(**hooks: Callable[..., Any]) -> object:
    """A plugin with these hook implementations."""
    return type("Plugin", (), {name: hookimpl(each) for name, each in hooks.items()})()


def raising(error: BaseException) -> Callable[..., Any]:
    """A function that raises."""

    def function(*_: object) -> Any:
        raise error

    return function


class Iterating:
    """Raises, or hangs, when it is iterated."""

    def __init__(self, step: Callable[[], Any]) -> None:
        self.step = step

    def __iter__(self) -> Iterator[Any]:
        yield self.step()


class Odd:
    """A plugin whose special methods are a plugin's code too."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __dir__(self) -> list[str]:
        if self.name == "dir":
            raise RuntimeError("no listing")
        return [*super().__dir__()]

    def __eq__(self, other: object) -> bool:
        if self.name == "eq":
            raise RuntimeError("no comparing")
        return self is other

    __hash__ = object.__hash__


def settings_with(step: Callable[[Any], Any]) -> type:
    """Settings whose converter is this function."""

    @attrs.frozen
    class Settings:
        a: int = attrs.field(default=1, converter=step)

    return Settings


HOSTILE = {
    "a converter that exits": lambda: plugin(
        pegboard_settings=lambda self: settings_with(raising(SystemExit(3)))
    ),
    "a converter that hangs": lambda: plugin(
        pegboard_settings=lambda self: settings_with(lambda _: time.sleep(1.5))
    ),
    "tools that exit": lambda: plugin(
        pegboard_tools=lambda self: Iterating(raising(SystemExit(3)))
    ),
    "tools that raise": lambda: plugin(pegboard_tools=lambda self: Iterating(lambda: 1 / 0)),
    "tools that hang": lambda: plugin(
        pegboard_tools=lambda self: Iterating(lambda: time.sleep(1.5))
    ),
    "guards that raise": lambda: plugin(pegboard_guards=lambda self: map(raising(OSError()), [1])),
    "a listing that raises": lambda: Odd("dir"),
    "a comparison that raises": lambda: Odd("eq"),
    "a lifespan that is no context": lambda: plugin(pegboard_lifespan=lambda self: 3),
    "a board that is no context": lambda: plugin(pegboard_board=lambda self: 3),
}


@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE.keys())
async def test_whatever_a_plugin_does_while_it_loads_is_its_own_failure(
    made: Callable[[], object],
) -> None:
    async with Host(QUICK, discover=False) as host:
        await host.board("a")
        with pytest.raises(PluginLoadError):
            await asyncio.wait_for(host.load(made(), name="p"), 5)

        assert host.plugins["p"].state == "failed"
        await host.load(plugin(pegboard_tools=lambda self: []), name="p")
    await asyncio.sleep(1.2 if "hang" in repr(made) else 0)


@pytest.mark.parametrize("settings", [3, "x", [1], object()])
async def test_settings_that_are_no_table_are_refused(settings: object) -> None:
    configured = plugin(pegboard_settings=lambda self: settings_with(int))
    async with Host(QUICK, discover=False) as host:
        with pytest.raises(PluginLoadError, match="a table"):
            await host.load(configured, settings=settings)


async def test_strange_modules_of_others_do_not_stop_an_unload() -> None:
    left: list[str] = []

    @contextlib.contextmanager
    def living(self: object) -> Iterator[None]:
        yield
        left.append("out")

    stranger = ModuleType("a_stranger")
    stranger.__getattr__ = lambda name: {}[name]  # type: ignore[method-assign]
    sys.modules["a_stranger"] = stranger
    try:
        async with Host(QUICK, discover=False) as host:
            await host.load(ModuleTools("mine"), name="other")
            await host.load(plugin(pegboard_lifespan=living), name="p")
            report = await host.unload("p")
    finally:
        del sys.modules["a_stranger"]

    assert (report.errors, left) == ((), ["out"])


class ModuleTools(ModuleType):
    """A module with a tool."""

    @property
    def __file__(self) -> str:  # type: ignore[override]
        raise ImportError("no file")

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__dict__["greet"] = tool(name="greet")(lambda: "hej")


@pytest.mark.parametrize("text", ["\ud800", "a\u202eb", "\U000e0041", "\x1b[31m", "\u2028"])
@pytest.mark.parametrize("place", ["description", "title"])
async def test_text_that_no_model_should_read_is_refused(text: str, place: str) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(InvalidToolError, match=place):
            host.register(tool(name="bad", **{place: text})(lambda: 1))

        assert list(host.tools) == []


@tool
async def reporting(context: RunContext) -> str:
    """Report once."""
    context.report(1)
    return "done"


async def test_a_caller_cancelled_while_progress_is_told_leaves_nothing_running() -> None:
    async def slow(_: object) -> None:
        await asyncio.sleep(30)

    recorder = RecordingPlugin()
    async with host_with(recorder) as host:
        host.register(reporting)
        board = await host.board("a")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(board.call("reporting", on_progress=slow), 0.05)

        assert host.running == ()
    assert len(recorder.finished) == 1


async def test_a_cancelled_signal_ends_the_telling_of_progress() -> None:
    signal = Signal()

    async def slow(_: object) -> None:
        signal.cancel("enough")
        await asyncio.sleep(30)

    async with Host(discover=False) as host:
        host.register(reporting)
        board = await host.board("a")

        outcome = await asyncio.wait_for(
            board.call("reporting", on_progress=slow, signal=signal), 5
        )

    assert isinstance(outcome, Failure)
    assert outcome.message == "enough"


async def test_a_tool_that_unloads_and_loads_its_own_plugin_is_told_to_wait() -> None:
    async with Host(QUICK, discover=False) as host:

        @tool
        async def up() -> str:
            """Upgrade by hand."""
            await host.unload("p")
            try:
                await host.load(plugin(pegboard_tools=lambda self: [up]), name="p")
            except PluginLoadError as error:
                return str(error)
            return "loaded"

        await host.load(plugin(pegboard_tools=lambda self: [up]), name="p")
        board = await host.board("a")

        outcome = await asyncio.wait_for(board.call("up"), 5)
        await asyncio.sleep(0.05)

        assert "ends after this call" in str(outcome.unwrap())
        assert host.plugins["p"].state == "unloaded"


class Slow:
    """A context that takes its time to be entered, and keeps what happens to it."""

    def __init__(self) -> None:
        self.log: list[str] = []

    async def __aenter__(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.2)
        self.log.append("in")

    async def __aexit__(self, *_: object) -> None:
        self.log.append("out")


class SlowSync:
    """The same without async."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def __enter__(self) -> None:
        time.sleep(0.3)
        self.log.append("in")

    def __exit__(self, *_: object) -> None:
        self.log.append("out")


@pytest.mark.parametrize("kind", [Slow, SlowSync])
@pytest.mark.parametrize("way", ["cancelled", "too slow"])
async def test_a_load_that_is_given_up_leaves_what_it_enters_after_all(
    kind: type[Slow] | type[SlowSync], way: str
) -> None:
    context = kind()
    living = plugin(pegboard_lifespan=lambda self: context)
    config = attrs.evolve(QUICK, load_timeout=0.1 if way == "too slow" else 5.0)
    async with Host(config, discover=False) as host:
        loading = asyncio.create_task(host.load(living, name="p"))
        await asyncio.sleep(0.05)
        if way == "cancelled":
            loading.cancel()
        with pytest.raises((asyncio.CancelledError, PegboardError)):
            await loading
        await asyncio.sleep(0.4)

    assert context.log == ["in", "out"]


async def test_a_sync_context_is_left_in_the_thread_that_entered_it() -> None:
    @contextlib.contextmanager
    def living(self: object) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            yield connection

    async with Host(QUICK, discover=False) as host:
        await host.load(plugin(pegboard_lifespan=living), name="p")
        others = [threading.Thread(target=time.sleep, args=(0.05,)) for _ in range(5)]
        for each in others:
            each.start()
        report = await host.unload("p")
        for each in others:
            each.join()

    assert report.errors == ()


async def test_an_async_context_is_left_in_the_task_that_entered_it() -> None:
    tasks: list[Any] = []

    @contextlib.asynccontextmanager
    async def living(self: object) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(asyncio.sleep(60))
            tasks.append(asyncio.current_task())
            yield
            tasks.append(asyncio.current_task())
            waiting.cancel()

    async with Host(QUICK, discover=False) as host:
        await host.load(plugin(pegboard_lifespan=living), name="p")
        report = await host.unload("p")

    assert report.errors == ()
    assert len(set(tasks)) == 1


async def test_a_tool_cannot_change_the_labels_of_its_call_for_others() -> None:
    @tool
    async def changing(context: RunContext) -> None:
        """Change what isn't its own."""
        context.labels["l"].append(2)

    labels: dict[str, Any] = {"l": [1]}
    recorder = RecordingPlugin()
    async with host_with(recorder) as host:
        host.register(changing)
        board = await host.board("a")

        await board.call("changing", labels=labels)

    assert labels == recorder.finished[0][0].labels == {"l": [1]}


@pytest.mark.parametrize("text", ["\ud800", "a\x00\x1b[31mb", "x" * 1_000_000])
async def test_a_failure_reads_as_text_of_bounded_length(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL + 1, logger="pegboard")  # text that no report can hold

    @tool
    async def failing() -> None:
        """Fail."""
        raise RuntimeError(text)

    async with Host(discover=False) as host:
        host.register(failing)
        board = await host.board("a")
        by_tool = await board.call("failing")
        board.guard(lambda execution: text)
        by_guard = await board.call("failing")

    for outcome in (by_tool, by_guard):
        assert isinstance(outcome, Failure)
        outcome.message.encode()
        assert "\x1b" not in outcome.message
        assert len(outcome.message) < 30_000


@pytest.mark.parametrize("guard", [None, 3, "x"])
async def test_a_guard_that_cannot_be_called_is_refused(guard: Any) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(PegboardError, match="guard"):
            host.guard(guard)
