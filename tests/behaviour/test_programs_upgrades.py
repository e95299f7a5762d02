"""Tools and runtimes that are exchanged while programs run, and tools that come and go."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pegboard import JSON, Board, Config, Host, RunContext, ToolCallError
from pegboard_cases import named, raw, says
from pegboard_policies import PATIENCE, Held, kind, succeeded, turns, until
from pegboard_programs import Inside, Runtime, Seen, asked, coded, nothing, running
from pegboard_versions import Gate, Versions, versions_at, waiting

RUNS = '''
from pegboard import ProgramResult


class Runs:
    """Runs programs that are names of tools: it calls each, and gives what they give."""

    async def run(self, program, sdk, dispatch, limits, output):
        """Call them, one after the other."""
        given = [await dispatch(name, {}) for name in program.split()]
        return ProgramResult([V, *given], is_given=True)


@hookimpl
def pegboard_code_runtime():
    return Runs()
'''


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


@asynccontextmanager
async def offered(versions: Versions, *, more: str = "") -> AsyncIterator[tuple[Host, Board, Gate]]:
    """A host with version 1 of `gauge`, and a board that offers programs, with a gate as `deps`."""
    versions.install(1, more=more)
    gate = Gate()
    async with Host(Config(only=["gauge", "runtime"])) as host:
        if not more:
            await host.load(Runtime(called), name="runtime")
        yield host, await host.board("case", deps=gate, presentation="code"), gate


async def called(it: Inside) -> JSON:
    """Call the tools that the program names, one after the other."""
    return [await it.make(name) for name in it.code.split()]


def program(board: Board, code: str, call_id: str = "p") -> "asyncio.Task[Any]":
    """A program that is on its way."""
    return asyncio.ensure_future(board.call(asked(call_id, code)))


async def test_a_program_goes_on_with_the_new_version_of_a_tool_once_that_is_there(
    versions: Versions,
) -> None:
    async with offered(versions) as (host, board, gate):
        going = program(board, "version held version")
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        late = await waiting(host, await host.board("other", deps=gate))
        gate.go.set()
        await asyncio.wait_for(asyncio.gather(reload, late), PATIENCE)
        outcome = await asyncio.wait_for(going, PATIENCE)

    assert succeeded(outcome).value["result"] == [[1, 1, 1], [1, 1, 1], [2, 2, 2]]


async def test_what_a_tool_calls_inside_a_program_is_of_its_own_version(
    versions: Versions,
) -> None:
    async with offered(versions) as (host, board, gate):
        going = program(board, "nested version")
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        late = await waiting(host, await host.board("other", deps=gate))
        gate.go.set()
        await asyncio.wait_for(asyncio.gather(reload, late), PATIENCE)
        outcome = await asyncio.wait_for(going, PATIENCE)

    assert succeeded(outcome).value["result"] == [[1, 1, 1, 1], [2, 2, 2]]


async def test_a_program_runs_to_its_end_by_the_runtime_that_began_it(versions: Versions) -> None:
    async with offered(versions, more=RUNS) as (host, board, gate):
        going = program(board, "held version")
        await gate.begun.wait()
        versions.install(2, more=RUNS)
        reload = asyncio.create_task(host.reload("gauge"))
        await turns(20)
        late = program(board, "version", "q")
        gate.go.set()
        await asyncio.wait_for(reload, PATIENCE)
        first, second = await asyncio.wait_for(going, PATIENCE), await late

    assert succeeded(first).value["result"] == [1, [1, 1, 1], [1, 1, 1]]
    assert succeeded(second).value["result"] in ([1, [1, 1, 1]], [2, [2, 2, 2]])


async def test_a_program_that_outlives_the_grace_of_a_reload_is_stopped(
    versions: Versions,
) -> None:
    seen = Seen()
    async with offered(versions, more=RUNS) as (host, board, gate):
        seen.on(host)
        going = program(board, "held version")
        await gate.begun.wait()
        versions.install(2, more=RUNS)
        await asyncio.wait_for(host.reload("gauge", grace=0.01), PATIENCE)
        first = await going
        second = await program(board, "version", "q")

    assert kind(first) == "aborted"
    assert seen.ids[:2] == ["p:code:1", "p"]
    assert succeeded(second).value["result"] == [2, [2, 2, 2]]


async def test_programs_that_are_made_all_the_time_see_one_version_after_the_other(
    versions: Versions,
) -> None:
    async with offered(versions) as (host, board, _):
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        results = []
        while not reload.done():
            outcome = await program(board, "version version")
            results += succeeded(outcome).value["result"]
        await reload
        results += succeeded(await program(board, "version")).value["result"]

    assert results == sorted(results)
    assert {tuple(each) for each in results} == {(1, 1, 1), (2, 2, 2)}


async def test_a_tool_that_comes_while_a_program_runs_is_not_there_for_it() -> None:
    go = Held()

    async def body(it: Inside) -> JSON:
        await it.make("held")
        with pytest.raises(ToolCallError, match="unknown tool 'late'"):
            await it.make("late")
        return list(it.sdk.names)

    async with coded(body, go.tool()) as (host, board):
        going = asyncio.create_task(running(board))
        await go.started.wait()
        host.register(named("late"))
        go.released.set()
        outcome = await going
        assert "late" in board.sdk

    assert succeeded(outcome).value["result"] == ["held"]


async def test_a_tool_that_goes_while_a_program_runs_fails_its_calls() -> None:
    go = Held()

    async def body(it: Inside) -> JSON:
        await it.make("held")
        try:
            return await it.make("gone")
        except ToolCallError as error:
            return str(error)

    async with coded(body, go.tool()) as (host, board):
        gone = host.register(named("gone"))
        going = asyncio.create_task(running(board))
        await go.started.wait()
        gone.close()
        go.released.set()
        outcome = await going

    assert says(succeeded(outcome).value["result"], "unknown tool 'gone'")


async def test_a_mask_that_comes_while_a_program_runs_holds_for_its_next_call() -> None:
    go = Held()

    async def body(it: Inside) -> JSON:
        await it.make("held")
        (error,) = await asyncio.gather(it.make("echo"), return_exceptions=True)
        return str(error)

    async with coded(body, go.tool(), named("echo")) as (_, board):
        going = asyncio.create_task(running(board))
        await go.started.wait()
        board.restrict(deny=["echo"])
        go.released.set()
        assert says(succeeded(await going).value["result"], "unknown tool 'echo'")


async def test_a_program_may_have_its_own_runtime_unloaded_and_runs_to_its_end() -> None:
    async def body(it: Inside) -> JSON:
        return [await it.make("unload"), await it.make("echo")]

    async def unload(arguments: JSON, context: RunContext) -> JSON:
        await context.deps.unload("runtime")
        return "asked for"

    tools = [raw(unload, name="unload"), named("echo")]
    async with coded(body, *tools) as (host, board):
        outcome = await asyncio.wait_for(running(board, deps=host), PATIENCE)
        await until(lambda: host.plugins["runtime"].state == "unloaded")
        assert kind(await running(board)) == "unknown_tool"

    assert succeeded(outcome).value["result"] == ["asked for", "echo"]


async def test_a_call_that_waits_for_an_upgrade_ends_with_its_program(versions: Versions) -> None:
    seen, parked = Seen(), asyncio.Event()

    async def body(it: Inside) -> str:
        it.make("version")
        await parked.wait()
        return "ended"

    async with offered(versions) as (host, board, gate):
        seen.on(host)
        native = await host.board("other", deps=gate)
        holding = asyncio.ensure_future(native.call("held"))
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        late = await waiting(host, native)
        await board.load(Runtime(body), name="nearer")
        going = program(board, "")
        await until(lambda: [each.stage for each in host.running].count("parked") == 2)
        parked.set()
        outcome = await asyncio.wait_for(going, PATIENCE)
        gate.go.set()
        await asyncio.gather(holding, reload, late)

    assert succeeded(outcome).value["result"] == "ended"
    kinds = {each.call_id: kind(each) for _, each in seen.finished}
    assert kinds["p:code:1"] == "aborted_before_start"


async def test_a_board_with_programs_survives_any_order_of_coming_and_going() -> None:
    async with coded(nothing, named("echo")) as (host, board):
        for _ in range(3):
            await host.unload("runtime")
            assert kind(await running(board)) == "unknown_tool"
            await host.load(Runtime(called), name="runtime")
            assert succeeded(await board.call(asked(code="echo echo"))).value["result"] == [
                "echo",
                "echo",
            ]
