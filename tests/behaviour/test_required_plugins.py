"""Without a plugin that the configuration requires, no call runs."""

import asyncio

import pytest
from pegboard import (
    Code,
    Config,
    Failure,
    Host,
    Outcome,
    PegboardError,
    PluginLoadError,
    Tool,
    ToolCall,
)
from pegboard_lives import Database, named, offering, plugin, until

REQUIRED = Config(required=("permissions",), stop_grace=0.3, retry_after=0.02, retry_at_most=0.02)


def is_stopped(outcome: Outcome) -> bool:
    """Whether a call ended for want of the plugin, in words that name it."""
    assert isinstance(outcome, Failure)
    return outcome.code is Code.POLICY_FAILED and "'permissions' is required" in outcome.message


async def test_every_call_fails_from_a_forced_unload_until_the_plugin_is_back() -> None:
    async with Host(REQUIRED, discover=False) as host:
        host.register(named("own"))
        board = await host.board("a")
        await host.load(offering("ask"), name="permissions")
        before = await board.call("own")
        await host.unload("permissions", force=True)
        lost = [await board.call(name) for name in ("own", "ask", "unheard_of")]
        await host.load(offering("ask"), name="permissions")

        assert before.unwrap() == "own"
        assert all(map(is_stopped, lost))
        assert (await board.call("own")).unwrap() == "own"


async def test_the_calls_of_a_batch_fail_too() -> None:
    async with Host(REQUIRED, discover=False) as host:
        host.register(named("own"))
        board = await host.board("a")

        outcomes = await board.run([ToolCall(str(n), "own") for n in range(3)])

        assert len(outcomes) == 3
        assert all(map(is_stopped, outcomes))


async def test_no_call_runs_before_a_required_plugin_was_ever_loaded() -> None:
    async with Host(REQUIRED, discover=False) as host:
        host.register(named("own"))
        board = await host.board("a")

        assert is_stopped(await board.call("own"))


async def test_observers_hear_of_the_calls_that_were_stopped() -> None:
    seen: list[str] = []
    async with Host(REQUIRED, discover=False) as host:
        host.register(named("own"))
        host.hook(call_finished=lambda execution, outcome: seen.append(outcome.code))
        board = await host.board("a")

        await board.call("own")

    assert seen == [Code.POLICY_FAILED]


async def test_a_load_that_fails_later_says_why_no_call_runs() -> None:
    def broken(self: object) -> None:
        raise OSError("no policy file")

    async with Host(REQUIRED, discover=False) as host:
        host.register(named("own"))
        board = await host.board("a")
        await host.load(offering("ask"), name="permissions")
        await host.unload("permissions", force=True)
        with pytest.raises(PluginLoadError):
            await host.load(plugin(pegboard_tools=broken), name="permissions")

        outcome = await board.call("own")

        assert is_stopped(outcome)
        assert "no policy file" in str(outcome)


async def test_calls_run_once_a_required_plugin_that_was_not_ready_is() -> None:
    async with Host(REQUIRED, discover=False) as host:
        host.register(named("own"))
        board = await host.board("a")
        with pytest.raises(PluginLoadError):
            await host.load(Database(2), name="permissions")
        waiting = await board.call("own")
        await until(host, "permissions", "loaded")

        assert is_stopped(waiting)
        assert (await board.call("own")).unwrap() == "own"


async def test_a_call_that_runs_already_is_not_stopped_by_the_loss() -> None:
    gate, started = asyncio.Event(), asyncio.Event()

    async def run(arguments: object, context: object) -> str:
        started.set()
        await gate.wait()
        return "done"

    async with Host(REQUIRED, discover=False) as host:
        await host.load(offering("ask"), name="permissions")
        host.register(Tool(name="slow", description="S.", parameters={"type": "object"}, run=run))
        board = await host.board("a")
        call = asyncio.create_task(board.call("slow"))
        await started.wait()
        await host.unload("permissions", force=True)
        gate.set()

        assert (await call).unwrap() == "done"


async def test_an_unload_without_force_is_refused_and_changes_nothing() -> None:
    async with Host(REQUIRED, discover=False) as host:
        await host.load(offering("ask"), name="permissions")
        board = await host.board("a")

        with pytest.raises(PegboardError, match="force=True"):
            await host.unload("permissions")

        assert (await board.call("ask")).unwrap() == "ask"
