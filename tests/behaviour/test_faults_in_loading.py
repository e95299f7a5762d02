"""Whatever fails at whichever step of a load or unload: all or nothing, left once, in reverse."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import attrs
import pytest
from pegboard import Config, Host, PluginContext, PluginLoadError, hookimpl
from pegboard_lives import named, offering

QUICK = Config(load_timeout=0.15, stop_grace=0.15)


def _converted(value: Any) -> Any:
    return CONVERT[0](value)


@attrs.frozen
class Settings:
    """Settings whose making is a step too."""

    a: int = attrs.field(default=1, converter=_converted)


CONVERT: list[Callable[[Any], Any]] = [lambda value: value]


@attrs.define
class Fault:
    """What goes wrong, and where.

    Attributes:
        step: the step at which it does.
        way: `raise`, `exit`, `cancel` or `hang`.
        log: what was entered and left, in order.
        release: lets threads that hang end.
    """

    step: str
    way: str
    log: list[str] = attrs.field(factory=list)
    release: threading.Event = attrs.field(factory=threading.Event)

    def at(self, step: str) -> None:
        """A step of sync code."""
        if step != self.step:
            return
        if self.way == "hang":
            self.release.wait(10)
        self._fail()

    async def at_async(self, step: str) -> None:
        """A step of async code."""
        if step == self.step and self.way == "hang":
            await asyncio.sleep(60)
        elif step == self.step:
            self._fail()

    def _fail(self) -> None:
        match self.way:
            case "raise":
                raise OSError("broken")
            case "exit":
                sys.exit(3)
            case "cancel":
                raise asyncio.CancelledError

    def pair(self, name: str) -> "contextlib.AbstractContextManager[None]":
        """Note that something was entered and left."""
        return self._pair(name)

    @contextlib.contextmanager
    def _pair(self, name: str) -> Iterator[None]:
        self.log.append(f"+{name}")
        yield
        self.log.append(f"-{name}")


class Faulty:
    """A plugin that does everything, and fails somewhere."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault

    def __dir__(self) -> list[str]:
        self.fault.at("check")
        return [*super().__dir__()]

    @hookimpl
    def pegboard_settings(self) -> type[Settings]:
        """Give the class."""
        self.fault.at("settings hook")

        def convert(value: Any) -> Any:
            self.fault.at("settings")
            return value

        CONVERT[0] = convert
        return Settings

    @hookimpl
    def pegboard_lifespan(self, plugin: PluginContext) -> Any:
        """Keep a resource."""
        self.fault.at("lifespan")
        return self._living(plugin)

    @contextlib.asynccontextmanager
    async def _living(self, plugin: PluginContext) -> AsyncIterator[None]:
        with self.fault.pair("lifespan"):
            plugin.on_unload(lambda: self.fault.log.append("callback"))
            plugin.on_unload(lambda: self.fault.at_async("on_unload"))
            plugin.create_task(self._working())
            await asyncio.sleep(0)
            await self.fault.at_async("enter")
            yield
        await self.fault.at_async("leave")

    async def _working(self) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            self.fault.log.append("task")
            await self.fault.at_async("task")

    @hookimpl
    def pegboard_tools(self) -> Iterator[object]:
        """Give tools, one by one."""
        yield named("given")
        self.fault.at("tools")
        if self.fault.step == "publish":
            yield named("taken")

    @hookimpl
    def pegboard_guards(self) -> list[object]:
        """Refuse everything."""
        self.fault.at("guards")
        return [lambda execution: "no"]

    @hookimpl
    def pegboard_reserved_names(self) -> dict[str, str]:
        """Reserve a name."""
        self.fault.at("reserved names")
        return {"mine": "it is mine"}

    @hookimpl
    @contextlib.contextmanager
    def pegboard_board(self, plugin: PluginContext, board: Any) -> Iterator[None]:
        """Keep something for each board."""
        with self.fault.pair(board.name):
            board.register(named("on_board"))
            if board.name == "b":
                self.fault.at("board")
            yield
        if board.name == "b":
            self.fault.at("board exit")


LOADING = {
    "check": [],
    "settings hook": [],
    "settings": [],
    "lifespan": [],
    "enter": ["+lifespan", "task", "callback"],
    "tools": ["+lifespan", "task", "callback", "-lifespan"],
    "guards": ["+lifespan", "task", "callback", "-lifespan"],
    "reserved names": ["+lifespan", "task", "callback", "-lifespan"],
    "board": ["+lifespan", "+a", "+b", "task", "callback", "-a", "-lifespan"],
    "publish": ["+lifespan", "+a", "+b", "task", "callback", "-b", "-a", "-lifespan"],
}


@pytest.mark.parametrize("way", ["raise", "exit", "cancel", "hang"])
@pytest.mark.parametrize("step", LOADING)
async def test_a_load_that_fails_leaves_the_host_as_it_was(step: str, way: str) -> None:
    fault = Fault(step, way)
    async with Host(QUICK, discover=False) as host:
        host.register(named("taken"))
        boards = [await host.board(name) for name in "ab"]
        before = [(each.revision, list(each.tools)) for each in boards]

        with pytest.raises(PluginLoadError):
            await asyncio.wait_for(host.load(Faulty(fault), name="p"), 5)

        assert [(each.revision, list(each.tools)) for each in boards] == before
        assert (await boards[0].call("taken")).unwrap() == "taken"
        assert (host.plugins["p"].state, host.plugins["p"].tools) == ("failed", ())
        assert host.plugins["p"].error
        fault.release.set()
        await _ended(fault)
        assert _settled(fault.log, step, way) == _settled(LOADING[step], step, way)
        host.register(named("mine"))
        assert (await host.load(offering("given"), name="p")).state == "loaded"


async def _ended(fault: Fault) -> None:
    """Wait until what hung has ended, and was left."""
    async with asyncio.timeout(5):
        while [each for each in threading.enumerate() if "pegboard" in each.name]:
            await asyncio.sleep(0.005)
    await asyncio.sleep(0.02)


def _settled(log: list[str], step: str, way: str) -> list[str]:
    """The log; without its order where the one thread of the sync contexts was held up."""
    is_held_up = way == "hang" and step in ("board", "board exit")
    return sorted({*log, "-b"}) if is_held_up else log


LEAVING = {
    "task": ["task", "callback", "-b", "-a", "-lifespan"],
    "on_unload": ["task", "callback", "-b", "-a", "-lifespan"],
    "board exit": ["task", "callback", "-b", "-a", "-lifespan"],
    "leave": ["task", "callback", "-b", "-a", "-lifespan"],
}


@pytest.mark.parametrize("way", ["raise", "exit", "cancel", "hang"])
@pytest.mark.parametrize("step", LEAVING)
async def test_an_unload_in_which_a_step_fails_does_all_the_others(step: str, way: str) -> None:
    fault = Fault(step, way)
    async with Host(QUICK, discover=False) as host:
        host.register(named("taken"))
        boards = [await host.board(name) for name in "ab"]
        await host.load(Faulty(fault), name="p")
        del fault.log[:]

        report = await asyncio.wait_for(host.unload("p"), 5)

        assert (host.plugins["p"].state, list(boards[0].tools)) == ("unloaded", ["taken"])
        assert (await boards[1].call("taken")).unwrap() == "taken"
        assert _is_told(step, way, (*report.errors, *report.leaked))
        fault.release.set()
        await _ended(fault)
        assert _settled(fault.log, step, way) == _settled(LEAVING[step], step, way)
        assert (await host.load(offering("given"), name="p")).state == "loaded"


def _is_told(step: str, way: str, told: tuple[str, ...]) -> bool:
    """Whether the report names the step that failed; an owned task is logged instead."""
    words = {"on_unload": "on_unload", "board exit": "pegboard_board", "leave": "lifespan"}
    if step == "task":
        return way == "hang" or told == ()
    return any(words[step] in each for each in told)
