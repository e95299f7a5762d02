"""The cases of section run_code: what is offered."""

import asyncio
from typing import Any

import pytest
from pegboard import JSON, BoardError, Code, Host, RunContext, Signal, ToolCall
from pegboard_cases import Keeper, named, nested, raw, says
from pegboard_policies import failed, kind, succeeded
from pegboard_sandboxed import ran, sandboxed, workers, written

pytestmark = pytest.mark.usefixtures("sandboxes")

ANY_X: JSON = {"type": "object", "properties": {"x": {}}, "required": ["x"]}


def shown(board: Any) -> list[str]:
    """The names of what a model is shown."""
    return [each.name for each in board.definitions()]


async def test_p_322_a_native_board_shows_every_tool_and_starts_no_worker() -> None:
    tools, before = [named("b"), named("a")], set(workers())
    async with sandboxed(*tools, presentation="native") as (_, board):
        await board.call("a")
        assert sorted(shown(board)) == ["a", "b"]
        assert kind(await board.call(written("1"))) == "unknown_tool"
        assert set(workers()) <= before


async def test_p_323_a_board_of_both_shows_tools_and_run_code_and_takes_direct_calls() -> None:
    async with sandboxed(named("echo"), presentation="both") as (_, board):
        direct, program = await board.call("echo"), await board.call(written("await echo()"))

        assert shown(board) == ["echo", "run_code"]
    assert succeeded(direct).value == "echo"
    assert succeeded(program).value == {"result": "echo", "logs": ""}


@pytest.mark.parametrize("name", ["echo", "nothing"])
async def test_p_324_a_direct_call_on_a_code_board_names_run_code_though_it_was_cancelled(
    name: str,
) -> None:
    signal = Signal()
    signal.cancel("enough")
    async with sandboxed(named("echo")) as (_, board):
        outcome = await board.call(ToolCall("1", name), signal=signal)

    assert says(failed(outcome, Code.UNKNOWN_TOOL).message, repr(name), "'run_code'")


async def test_p_325_a_tool_that_is_restricted_is_not_in_the_sdk_and_refused_by_the_types() -> None:
    keep = Keeper()
    async with sandboxed(keep.tool(), named("echo")) as (_, board):
        board.restrict(deny=["keep"])
        outcome = await board.call(written("await echo()\nawait keep()"))
        assert "keep" not in board.sdk

    failure = failed(outcome, Code.CODE_FAILED)
    assert (failure.details["kind"], failure.details["line"]) == ("types", 2)
    assert says(failure.message, "keep")
    assert keep.kept == []


PROBING = """
try:
    given = await gone()
except ToolCallError as error:
    given = str(error)
await change()
try:
    await gone()
except ToolCallError as error:
    print(error)
[given, {late}]
"""


async def changed_meanwhile(late: str) -> Any:
    """The outcome of a program whose tool `change` unregisters `gone` and registers `late`."""
    async with sandboxed() as (host, board):
        gone = host.register(named("gone"))

        def change(arguments: JSON, context: RunContext) -> None:
            gone.close()
            host.register(named("late"))

        host.register(raw(change, name="change"))
        return await board.call(written(PROBING.format(late=late)))


async def test_p_326_a_tool_that_goes_while_a_program_runs_fails_its_calls() -> None:
    value = succeeded(await changed_meanwhile("None")).value

    assert value["result"] == ["gone", None]
    assert says(value["logs"], "unknown tool 'gone'")


async def test_p_326_a_tool_that_comes_while_a_program_runs_is_not_there() -> None:
    failure = failed(await changed_meanwhile("await late()"), Code.CODE_FAILED)

    assert failure.details["kind"] == "types"
    assert says(failure.message, "late")


async def test_p_327_arguments_nested_200_deep_arrive_intact() -> None:
    keep = Keeper()
    code = "x = [1]\nfor _ in range(199):\n    x = [x]\nawait keep(x=x)\nNone"

    succeeded(await ran(code, keep.tool(ANY_X)))

    assert keep.kept == [{"x": nested(200, 1)}]


@pytest.mark.parametrize("name", ["__proto__", "class", "a-b"])
async def test_p_328_a_tool_of_any_name_is_reached_through_tools(name: str) -> None:
    keep = Keeper()
    others = [named(each) for each in ("__proto__", "class", "a-b") if each != name]
    tool = raw(keep.run, name=name, parameters=ANY_X)

    outcome = await ran(f'await tools["{name}"](x=1)', tool, *others)

    assert succeeded(outcome).value["result"] == {"x": 1}
    assert keep.kept == [{"x": 1}]


@pytest.mark.parametrize("presentation", ["code", "both"])
async def test_p_399_a_board_with_programs_and_no_runtime_is_an_error_that_names_the_package(
    presentation: str,
) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(BoardError, match="pegboard-code"):
            await host.board("case", presentation=presentation)
        assert await asyncio.wait_for(host.board("case"), 1) is host.boards["case"]
