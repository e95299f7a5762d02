"""The cases of section Failures."""

import asyncio
import os
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Ask,
    Code,
    Config,
    Failure,
    Outcome,
    RunContext,
    Text,
    Tool,
    ToolError,
    formats,
    hookimpl,
    tool,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import call, raw, says
from pegboard_policies import PATIENCE, failed, noting, shown, standing, succeeded

MASKED = Config(mask_errors=True)
ARGUMENT, SETTING, VARIABLE = "arg-4711", "set-4711", "env-4711"


class MuteError(Exception):
    """An exception that can't say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def failing(error: BaseException, *, is_async: bool = False) -> Tool:
    """A tool that raises, in a thread or on the loop."""

    def fail(arguments: JSON, context: RunContext) -> None:
        raise error

    async def fail_on_the_loop(arguments: JSON, context: RunContext) -> None:
        raise error

    return raw(fail_on_the_loop if is_async else fail, name="fail")


async def crash_of(error: BaseException, config: Config | None = None) -> Failure:
    """The failure of a tool that raises this, the same from a thread and from the loop."""
    first, second = [
        failed(await call(failing(error, is_async=each), config=config), Code.CRASHED)
        for each in (False, True)
    ]
    assert first == second
    return first


async def test_p_052_an_exception_is_a_crash_with_its_text_in_one_block() -> None:
    failure = await crash_of(ValueError("kettle"))

    assert says(failure.message, "kettle")
    assert failure.content == (Text(f"Error: {failure.message}"),)
    assert failure.details is None


@pytest.mark.parametrize("error", [TimeoutError(), AssertionError(), ValueError(" \n")], ids=shown)
async def test_p_053_an_exception_without_text_is_told_by_its_type(error: Exception) -> None:
    assert (await crash_of(error)).message == type(error).__name__


async def test_p_054_an_exception_that_cannot_be_told_is_survived() -> None:
    assert (await crash_of(MuteError())).message == "MuteError"

    async with standing(failing(MuteError())) as (host, board):
        codes = [failed(await board.call("fail"), Code.CRASHED).code for _ in range(2)]
        assert host.running == ()
    assert codes == [Code.CRASHED] * 2


@pytest.mark.parametrize(
    "error",
    [
        ExceptionGroup("", [ValueError("deep"), OSError()]),
        BaseExceptionGroup("", [BaseExceptionGroup("", [SystemExit("deep")]), OSError("other")]),
    ],
    ids=shown,
)
async def test_p_055_a_group_shows_its_first_leaf(error: BaseException) -> None:
    message = (await crash_of(error)).message

    assert says(message, "deep")
    assert "other" not in message


async def test_p_056_a_missing_key_is_named_as_one() -> None:
    assert says((await crash_of(KeyError("k"))).message, "'k'", "KeyError")


async def test_p_057_an_after_hook_sees_the_failure_with_its_code() -> None:
    seen: list[Outcome] = []

    def see(outcome: Outcome) -> None:
        seen.append(outcome)

    async with standing(failing(ValueError("kettle"))) as (host, board):
        host.hook(after_call=see)

        outcome = await board.call("fail", id="f1")

    assert seen == [outcome]
    assert failed(seen[0], Code.CRASHED).call_id == "f1"


async def test_p_058_a_tool_error_keeps_its_content_details_and_code() -> None:
    error = ToolError("m", code="E_X", content=[Text("c")], details={"n": 1})

    failure = failed(await call(failing(error)), Code.TOOL_ERROR)

    assert (failure.message, failure.content) == ("m", (Text("c"),))
    assert failure.details == {"n": 1, "code": "E_X"}


async def test_p_059_the_cause_of_a_tool_error_goes_to_the_log_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", logger="pegboard")

    @tool
    def fail() -> None:
        """Fail for a reason."""
        try:
            raise OSError("inner")
        except OSError as error:
            raise ToolError("outer") from error

    failure = failed(await call(fail), Code.TOOL_ERROR)

    assert failure.content == (Text("Error: outer"),)
    assert "inner" not in repr(failure)
    assert says(caplog.text, "Traceback", "OSError: inner", "ToolError: outer")


@attrs.frozen
class Settings:
    """What the operator says."""

    key: str


class Keeping:
    """A plugin whose tools have much in their hands when they fail."""

    @hookimpl
    def pegboard_settings(self) -> type:
        """Give the class."""
        return Settings

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tool."""
        return [raw(self.body, name="body", extra="keep")]

    def body(self, arguments: Any, context: RunContext) -> None:
        """Fail with secrets in the locals of the traceback."""
        token, key, home = arguments["token"], context.plugin.settings, os.environ["CASE_HOME"]
        raise LookupError(f"nothing of {len((token, key, home))}")


async def test_p_060_no_traceback_argument_setting_or_variable_is_in_what_a_model_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CASE_HOME", VARIABLE)
    async with standing() as (host, board):
        await host.load(Keeping(), name="keeping", settings={"key": SETTING})
        failure = failed(await board.call("body", {"token": ARGUMENT}), Code.CRASHED)

    assert failure.message == "nothing of 3"
    shown = repr(failure) + repr(formats.anthropic.results([failure]))
    for word in ("Traceback", "File ", ".py", ARGUMENT, SETTING, VARIABLE):
        assert word not in shown


async def test_p_061_a_masked_text_is_in_the_log_and_nowhere_in_the_outcome(
    caplog: pytest.LogCaptureFixture,
) -> None:
    failure = await crash_of(ValueError("secret"), MASKED)

    assert "secret" not in repr(failure)
    assert says(failure.message, "ValueError")
    assert "secret" in caplog.text


@pytest.mark.parametrize("stage", ["before_call", "around_call", "after_call", "approve"])
async def test_p_061_the_text_of_a_policy_is_masked_too(
    stage: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ValueError("secret")

    async with standing(raw(lambda arguments, context: 1), config=MASKED) as (host, board):
        host.hook(**{stage: fail})
        if stage == "approve":
            host.hook(before_call=noting([], "ask", Ask()))
        outcome = await board.call("raw")

    assert outcome.is_error
    assert "secret" not in repr(outcome)
    assert "secret" in caplog.text


async def test_p_062_what_was_written_for_the_model_is_not_masked() -> None:
    error = ToolError("plain words", content=[Text("plain words")])

    failure = failed(await call(failing(error), config=MASKED), Code.TOOL_ERROR)

    assert (failure.message, failure.content) == ("plain words", (Text("plain words"),))


async def test_p_063_a_failure_inside_a_failure_is_two_outcomes_with_their_own_ids() -> None:
    recorder = RecordingPlugin()

    async def outer(arguments: JSON, context: RunContext) -> None:
        (await context.call("fail")).unwrap()

    async with standing(failing(ValueError("kettle")), raw(outer)) as (host, board):
        await host.load(recorder)
        outcome = await board.call("raw", id="q1")

    failure = failed(outcome, Code.CRASHED)
    seen = [(each.call_id, each.tool) for _, each, _ in recorder.finished]
    assert seen == [("q1:1", "fail"), ("q1", "raw")]
    assert says(failure.message, "kettle")
    assert len({each.call_id for _, each, _ in recorder.finished}) == 2


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_p_064_stop_iteration_is_a_crash_and_no_hang(is_async: bool) -> None:
    given = failing(StopIteration("x"), is_async=is_async)

    outcome = await asyncio.wait_for(call(given), PATIENCE)

    assert failed(outcome, Code.CRASHED)


async def test_p_064_what_runs_beside_it_goes_on() -> None:
    async with standing(failing(StopIteration("x")), raw(lambda *_: 1, name="fine")) as (_, board):
        first, second = await asyncio.gather(board.call("fail"), board.call("fine"))

    assert failed(first, Code.CRASHED)
    assert succeeded(second).value == 1
