"""The cases of section Before hooks: whose hooks are heard, and for how long."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pegboard import (
    Allow,
    Code,
    Config,
    Decision,
    Deny,
    Execution,
    PegboardError,
    PluginLoadError,
    UnloadReport,
    hookimpl,
)
from pegboard_cases import raw, says
from pegboard_policies import (
    PATIENCE,
    Held,
    Work,
    failed,
    kind,
    noting,
    plugin,
    standing,
    succeeded,
    turns,
)

DENY, ALLOW = Deny("no"), Allow()


@pytest.mark.parametrize("stricter", ["sync", "async"])
async def test_p_076_sync_and_async_hooks_of_one_chain_are_both_heard(stricter: str) -> None:
    log: list[str] = []

    async def slow() -> Decision:
        await asyncio.sleep(0)
        log.append("async")
        return DENY if stricter == "async" else ALLOW

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting(log, "sync", DENY if stricter == "sync" else ALLOW))
        board.hook(before_call=slow)

        assert kind(await board.call("work")) == "denied"

    assert log == ["sync", "async"]


def living(left: asyncio.Event) -> Callable[[], Any]:
    """A lifespan that tells when it is left."""

    @contextmanager
    def lifespan() -> Iterator[None]:
        yield
        left.set()

    return lifespan


async def test_p_077_a_call_hears_the_hooks_that_were_there_when_it_began() -> None:
    log: list[str] = []
    reports: list[UnloadReport] = []
    left = asyncio.Event()
    async with standing(Work().tool()) as (host, board):

        async def unload() -> None:
            log.append("a")
            if not reports:
                reports.append(await host.unload("b"))

        hooks = {"before_call": noting(log, "b"), "lifespan": living(left)}
        await host.load(plugin(**hooks), name="b")
        await host.load(plugin(before_call=unload), name="a")
        codes = [kind(await board.call("work", id=f"c{each}")) for each in range(2)]
        await asyncio.wait_for(left.wait(), PATIENCE)

    assert (codes, log) == (["ok", "ok"], ["a", "b", "a"])
    assert reports[0].still_running == ("c0",)


async def test_p_078_a_parents_hook_is_heard_there_and_below_and_nowhere_else() -> None:
    seen: list[str] = []
    async with standing(Work().tool()) as (host, parent):
        child = await host.board("child", parent=parent)
        sibling = await host.board("sibling")
        parent.hook(before_call=lambda execution: seen.append(execution.board))

        for each in (parent, child, sibling):
            await each.call("work")

    assert seen == ["case", "child"]


async def test_p_078_hooks_are_heard_from_the_farthest_layer_to_the_nearest() -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, parent):
        child = await host.board("child", parent=parent)
        child.hook(before_call=noting(log, "child"))
        parent.hook(before_call=noting(log, "parent"))
        host.hook(before_call=noting(log, "host"))
        for name in ("z", "m"):
            await host.load(plugin(before_call=noting(log, name)), name=name)

        await child.call("work")

    assert log == ["host", "m", "z", "parent", "child"]


async def test_p_079_a_hook_cannot_change_what_the_body_is_given() -> None:
    def change(execution: Execution) -> None:
        execution.arguments["k"]["n"] = 2
        with pytest.raises(AttributeError):
            execution.arguments = {}  # type: ignore[misc]
        execution.labels["team"] = "blue"

    tool = raw(lambda arguments, context: [arguments, context.labels], extra="keep")
    async with standing(tool) as (host, board):
        host.hook(before_call=change)
        outcome = await board.call("raw", {"k": {"n": 1}}, labels={"team": "red"})

    assert succeeded(outcome).value == [{"k": {"n": 1}}, {"team": "red"}]


class Hanging:
    """A hook that doesn't return by itself, and may not even stop when it is told to."""

    def __init__(self, ends: str) -> None:
        self.ends = ends
        self.over = asyncio.Event()

    async def hook(self) -> None:
        """Hang."""
        while not self.over.is_set():
            try:
                await self.over.wait()
            except asyncio.CancelledError:
                if self.ends == "stops":
                    raise


@pytest.mark.parametrize("ends", ["stops", "goes on"])
@pytest.mark.parametrize("stage", ["before_call", "around_call", "after_call"])
async def test_p_080_a_hook_that_never_returns_is_given_up(stage: str, ends: str) -> None:
    hanging = Hanging(ends)
    config = Config(hook_timeout=0.05, stop_grace=0.05)
    async with standing(Work().tool(), config=config) as (host, board):
        with host.hook(**{stage: hanging.hook}):
            first = await asyncio.wait_for(board.call("work"), PATIENCE)
        second = await asyncio.wait_for(board.call("work"), PATIENCE)
        hanging.over.set()

    assert says(failed(first, Code.POLICY_FAILED).message, "0.05")
    assert kind(second) == "ok"


async def test_p_080_a_guard_that_never_returns_refuses() -> None:
    async with standing(Work().tool(), config=Config(hook_timeout=0.05)) as (host, board):
        with host.guard(lambda execution: asyncio.Event().wait()):
            first = await asyncio.wait_for(board.call("work"), PATIENCE)
        second = await board.call("work")

    assert says(failed(first, Code.POLICY_FAILED).message, "0.05")
    assert kind(second) == "ok"


STAGES = ["before_call", "around_call", "after_call", "approve", "call_finished", "run_body"]


@pytest.mark.parametrize("stage", [*STAGES, "event"])
async def test_p_081_a_hook_that_names_what_there_is_not_is_refused(stage: str) -> None:
    async with standing() as (host, _):
        with pytest.raises(PluginLoadError) as refused:
            await host.load(plugin(**{stage: lambda no_such: None}), name="guilty")
        with pytest.raises(PegboardError) as refused_too:
            host.hook(**{stage: lambda no_such: None})

        assert host.plugins["guilty"].state == "failed"

    assert says(str(refused.value), f"pegboard_{stage}", "no_such", "guilty")
    assert says(str(refused_too.value), f"pegboard_{stage}", "no_such")


async def test_p_077_a_plugin_is_not_left_before_the_calls_that_its_hooks_are_in() -> None:
    log: list[str] = []
    held, left = Held(), asyncio.Event()
    async with standing(held.tool()) as (host, board):
        hooks = {"after_call": noting(log, "after"), "lifespan": living(left)}
        await host.load(plugin(**hooks), name="p")
        task = asyncio.create_task(board.call("held"))
        await held.started.wait()
        unloading = asyncio.create_task(host.unload("p"))
        await turns(5)
        assert not left.is_set()
        held.released.set()
        report = await unloading

        assert kind(await task) == "ok"

    assert (log, report.drained, left.is_set()) == (["after"], 1, True)


async def test_p_078_on_one_layer_the_first_come_first_and_plugins_by_name_after_the_program() -> (
    None
):
    log: list[str] = []
    async with standing(Work().tool()) as (host, board):
        for name, option in (("c", ""), ("b", ""), ("d", "tryfirst"), ("a", "trylast")):
            hook = hookimpl(**{option: True} if option else {})(noting(log, name))
            await host.load(
                type("Plugin", (), {"pegboard_before_call": staticmethod(hook)})(), name=name
            )
        host.hook(before_call=noting(log, "program"))
        await board.call("work")

    assert log == ["d", "program", "b", "c", "a"]
