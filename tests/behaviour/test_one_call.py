"""One call on one board, from its arguments to its one outcome."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    BoardError,
    CallError,
    Code,
    Failure,
    Host,
    RunContext,
    Success,
    Text,
    Tool,
    ToolCall,
    ToolError,
    formats,
    tool,
)
from pegboard.testing import RecordingPlugin, host_with

counted: list[str] = []


@tool
async def echo(value: str) -> str:
    """Echo one value.

    Args:
        value: What to echo.
    """
    counted.append(value)
    return value


def raising(error: BaseException) -> Tool:
    """A tool that raises."""

    async def run(arguments: Any, context: RunContext) -> None:
        raise error

    return Tool(name="fail", description="Fail.", parameters={"type": "object"}, run=run)


async def test_the_course_example_gives_its_result_in_the_pi_shape() -> None:
    async with Host(discover=False) as host:
        host.register(echo)
        board = await host.board("researcher")

        outcome = await board.call(
            ToolCall("call-1", "echo", {"value": "Pi", "ignored": "drop me"})
        )

    (result,) = formats.pi.results([outcome])
    assert (result["role"], result["toolCallId"], result["toolName"]) == (
        "toolResult",
        "call-1",
        "echo",
    )
    assert result["content"] == [{"type": "text", "text": "Pi"}]
    assert result["isError"] is False


@pytest.mark.parametrize(
    ("name", "arguments", "runs"),
    [("echo", {"value": 1}, 0), ("missing", {}, 0), ("fail", {}, 0)],
)
async def test_the_three_failures_of_the_course_have_the_shape_of_a_result(
    name: str, arguments: dict[str, Any], runs: int
) -> None:
    counted.clear()
    async with Host(discover=False) as host:
        host.register(echo)
        host.register(raising(ValueError("kettle")))
        board = await host.board("researcher")

        outcome = await board.call(ToolCall("call-2", name, arguments))

    (result,) = formats.pi.results([outcome])
    assert (result["toolCallId"], result["toolName"], result["isError"]) == ("call-2", name, True)
    assert len(counted) == runs


async def test_an_undeclared_argument_is_left_out_and_noted() -> None:
    async with Host(discover=False) as host:
        host.register(echo)
        board = await host.board("a")

        outcome = await board.call("echo", {"value": "x", "ignored": 1})

    assert isinstance(outcome, Success)
    assert outcome.value == "x"
    assert "ignored" in repr(outcome.notes)


async def test_calls_by_name_have_ids_of_their_own() -> None:
    async with Host(discover=False) as host:
        host.register(echo)
        board = await host.board("a")

        outcomes = [await board.call("echo", {"value": "x"}) for _ in range(2)]

    assert len({outcome.call_id for outcome in outcomes}) == 2


@pytest.mark.parametrize("sent", [None, "", "  \n", "null", "{}", {}])
async def test_absent_arguments_are_an_empty_object(sent: object) -> None:
    @tool
    def ping() -> str:
        """Answer."""
        return "pong"

    async with Host(discover=False) as host:
        host.register(ping)
        board = await host.board("a")

        outcome = await board.call("ping", sent)

    assert outcome.unwrap() == "pong"


@pytest.mark.parametrize("sent", ["[]", "1", '"x"', "{", '{"a": 1}}', '{"a": 1, "a": 2}', [], 3])
async def test_arguments_that_are_no_object_are_refused_and_nothing_runs(sent: object) -> None:
    counted.clear()
    async with Host(discover=False) as host:
        host.register(echo)
        board = await host.board("a")

        outcome = await board.call("echo", sent)

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.INVALID_ARGUMENTS
    assert counted == []


async def test_an_unknown_tool_is_answered_with_the_nearest_name() -> None:
    async with Host(discover=False) as host:
        host.register(echo)
        board = await host.board("a")

        outcome = await board.call("ecko", {})

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.UNKNOWN_TOOL
    assert "'echo'" in outcome.message


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (ValueError("kettle"), Code.CRASHED, "kettle"),
        (TimeoutError(), Code.CRASHED, "TimeoutError"),
        (KeyError("k"), Code.CRASHED, "'k'"),
        (SystemExit(2), Code.CRASHED, "2"),
        (KeyboardInterrupt(), Code.CRASHED, "KeyboardInterrupt"),
        (asyncio.CancelledError(), Code.CRASHED, "CancelledError"),
        (ExceptionGroup("", [ValueError("deep"), OSError()]), Code.CRASHED, "deep"),
        (ToolError("plain words"), Code.TOOL_ERROR, "plain words"),
    ],
)
async def test_whatever_a_tool_raises_is_one_outcome_with_a_message(
    error: BaseException, code: Code, shown: str
) -> None:
    async with Host(discover=False) as host:
        host.register(raising(error))
        board = await host.board("a")

        outcome = await board.call("fail", {}, id="c1")

    assert isinstance(outcome, Failure)
    assert (outcome.call_id, outcome.tool, outcome.code) == ("c1", "fail", code)
    assert shown in outcome.message
    assert outcome.content == (Text(f"Error: {outcome.message}"),)


async def test_a_tool_error_keeps_content_details_and_its_own_code() -> None:
    error = ToolError("m", code="E_X", content=[Text("c")], details={"n": 1})
    async with Host(discover=False) as host:
        host.register(raising(error))
        board = await host.board("a")

        outcome = await board.call("fail")

    assert isinstance(outcome, Failure)
    assert outcome.content == (Text("c"),)
    assert outcome.details == {"n": 1, "code": "E_X"}


async def test_a_sync_tool_runs_in_a_thread_and_the_loop_turns() -> None:
    import threading

    @tool
    def where() -> bool:
        """Tell whether this is the main thread."""
        return threading.current_thread() is threading.main_thread()

    async with Host(discover=False) as host:
        host.register(where)
        board = await host.board("a")

        outcome = await board.call("where")

    assert outcome.unwrap() is False


async def test_a_sync_tool_that_raises_stop_iteration_does_not_hang() -> None:
    @tool
    def odd() -> str:
        """Raise what a future can't hold."""
        raise StopIteration("x")

    async with Host(discover=False) as host:
        host.register(odd)
        board = await host.board("a")

        outcome = await asyncio.wait_for(board.call("odd"), 5)

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.CRASHED


async def test_unwrapping_a_failure_raises_and_keeps_the_failure() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        outcome = await board.call("nothing")

        with pytest.raises(CallError) as caught:
            outcome.unwrap()

    assert caught.value.outcome is outcome


async def test_guards_refuse_with_a_reason_and_the_body_does_not_run() -> None:
    counted.clear()
    async with Host(discover=False) as host:
        host.register(echo)
        host.guard(lambda execution: None)
        board = await host.board("a")
        board.guard(lambda execution: "read-only")

        outcome = await board.call("echo", {"value": "x"})

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message, counted) == (Code.DENIED, "read-only", [])


@pytest.mark.parametrize("answer", [True, False, 0, object(), ["no"]])
async def test_a_guard_that_gives_no_reason_fails_closed(answer: object) -> None:
    counted.clear()
    async with Host(discover=False) as host:
        host.register(echo)
        host.guard(lambda execution: answer)
        board = await host.board("a")

        outcome = await board.call("echo", {"value": "x"})

    assert isinstance(outcome, Failure)
    assert (outcome.code, counted) == (Code.POLICY_FAILED, [])


async def test_observers_see_every_call_once_and_what_they_raise_goes_nowhere() -> None:
    def broken(outcome: Any) -> None:
        raise SystemExit(3)

    recorder = RecordingPlugin()
    async with host_with(recorder) as host:
        host.register(echo)
        host.hook(call_finished=broken)
        board = await host.board("a")
        calls = [("echo", {"value": "x"}), ("echo", "{"), ("nothing", {}), ("echo", {"value": 1})]

        outcomes = [await board.call(name, arguments) for name, arguments in calls]

    assert [outcome.call_id for _, outcome, _ in recorder.finished] == [
        outcome.call_id for outcome in outcomes
    ]


async def test_a_batch_gives_one_outcome_a_call_in_order_and_refuses_a_repeated_id() -> None:
    async with Host(discover=False) as host:
        host.register(echo)
        board = await host.board("a")
        calls = [
            ToolCall("1", "echo", {"value": "a"}),
            ToolCall("2", "nothing", {}),
            ToolCall("1", "echo", {"value": "b"}),
            ToolCall("3", "echo", '{"value": "c"}'),
        ]

        outcomes = await board.run(calls)

    codes = [outcome.code if isinstance(outcome, Failure) else "ok" for outcome in outcomes]
    assert [outcome.call_id for outcome in outcomes] == ["1", "2", "1", "3"]
    assert codes == ["ok", Code.UNKNOWN_TOOL, Code.INVALID_CALL, "ok"]


async def test_a_closed_board_takes_no_calls_and_no_registrations() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        await board.close()

        with pytest.raises(BoardError, match="closed"):
            await board.call("echo")
        with pytest.raises(BoardError, match="closed"):
            board.register(echo)


async def test_what_a_body_does_to_its_arguments_reaches_nobody_else() -> None:
    seen: list[Any] = []

    async def mutate(arguments: Any, context: RunContext) -> str:
        arguments["k"]["n"] = 2
        return "done"

    sent = {"k": {"n": 1}}
    recorder = RecordingPlugin()
    async with host_with(recorder) as host:
        host.register(
            Tool(
                name="m",
                description="M.",
                parameters={"type": "object", "properties": {"k": {}}},
                run=mutate,
            )
        )
        host.guard(lambda execution: seen.append(execution.arguments))
        board = await host.board("a")

        await board.call("m", sent)

    assert sent == seen[0] == recorder.finished[0][0].arguments == {"k": {"n": 1}}


@pytest.mark.parametrize("name", ["signal", "on_progress", "labels", "approvals"])
async def test_what_a_caller_gives_in_the_wrong_place_is_named(name: str) -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")

        with pytest.raises(TypeError, match=f"{name} takes"):
            await board.call("echo", {}, **{name: 3})  # type: ignore[arg-type]  # what is refused
