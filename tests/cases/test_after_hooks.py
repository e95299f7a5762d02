"""The cases of section After hooks."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard import (
    JSON,
    Accept,
    Block,
    Code,
    Failure,
    Image,
    Outcome,
    Output,
    PegboardError,
    RunContext,
    Text,
    Tool,
    ToolError,
    UnloadReport,
)
from pegboard_cases import raw, says
from pegboard_policies import (
    TEXT,
    Work,
    failed,
    kind,
    noting,
    plugin_with,
    raising,
    shown,
    standing,
    succeeded,
    until,
)

IMAGE = Image("aGVq", "image/png")
NUMBERED: JSON = {"type": "object", "properties": {"n": {"type": "integer"}}}


def judging(verdict: Any) -> Callable[[], Any]:
    """An after hook with this verdict."""
    return noting([], "", verdict)


def failing(**given: Any) -> Tool:
    """A tool whose domain fails."""

    def fail(arguments: JSON, context: RunContext) -> None:
        raise ToolError("m", **given)

    return raw(fail)


async def test_p_119_an_accepted_content_is_put_beside_the_value() -> None:
    output = Output(meta=lambda arguments, value: {"rows": 2})
    async with standing(raw(lambda *_: "body", output=output)) as (host, board):
        host.hook(after_call=judging(Accept(content=[Text("new"), IMAGE])))
        outcome = succeeded(await board.call("raw"))

    assert outcome.content == (Text("new"), IMAGE)
    assert (outcome.value, outcome.meta) == ("body", {"rows": 2})


async def test_p_119_an_accepted_value_is_projected_and_keeps_contexts_and_conclusion() -> None:
    def body(arguments: JSON, context: RunContext) -> str:
        context.defer("n1")
        context.conclude()
        return "body"

    output = Output(TEXT, render=lambda arguments, value: [Text(f"<{value}>")])
    async with standing(raw(body, output=output)) as (host, board):
        host.hook(after_call=judging(Accept(value="new", contexts=["q"])))
        outcome = succeeded(await board.call("raw"))

    assert (outcome.value, outcome.content) == ("new", (Text("<new>"),))
    assert (outcome.contexts, outcome.concludes) == (("n1", "q"), True)


async def test_p_119_each_hook_sees_the_outcome_as_the_one_before_left_it() -> None:
    seen: list[Any] = []

    def extend(outcome: Outcome) -> Accept:
        seen.append(outcome.unwrap())
        return Accept(value=outcome.unwrap() + "!")

    async with standing(Work().tool(output=TEXT)) as (host, parent):
        board = await host.board("child", parent=parent)
        for side in (host, parent, board):
            side.hook(after_call=extend)
        outcome = succeeded(await board.call("work"))

    assert seen == ["done", "done!", "done!!"]
    assert outcome.value == "done!!!"


async def test_p_119_after_hooks_run_from_the_board_outwards() -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, parent):
        board = await host.board("child", parent=parent)
        for side, word in ((host, "host"), (parent, "parent"), (board, "child")):
            side.hook(after_call=noting(log, word))
        await board.call("work")

    assert log == ["child", "parent", "host"]


def test_p_119_content_and_value_are_not_both_taken() -> None:
    with pytest.raises(PegboardError, match="not both"):
        Accept(content=[Text("new")], value="new")


async def test_p_120_an_accepted_value_that_breaks_the_schema_is_invalid() -> None:
    work = Work({"n": 4711})
    async with standing(work.tool(output=NUMBERED)) as (host, board):
        host.hook(after_call=judging(Accept(value={"n": "new-value"})))
        failure = failed(await board.call("work"), Code.INVALID_OUTPUT)

    assert says(failure.message, "$.n")
    assert "4711" not in repr(failure)
    assert "new-value" not in repr(failure)


async def test_p_121_a_failure_has_no_value_to_replace() -> None:
    async with standing(failing()) as (host, board):
        host.hook(after_call=judging(Accept(value="fine")))

        assert failed(await board.call("raw"), Code.POLICY_FAILED)


async def test_p_122_the_content_of_a_failure_may_be_replaced() -> None:
    async with standing(failing(code="E_X", details={"n": 1})) as (host, board):
        host.hook(after_call=judging(Accept(content=[Text("gentle")])))
        failure = failed(await board.call("raw"), Code.TOOL_ERROR)

    assert failure.content == (Text("gentle"),)
    assert (failure.message, failure.details) == ("m", {"n": 1, "code": "E_X"})


async def test_p_123_a_block_without_content_still_says_that_it_is_one() -> None:
    async with standing(Work("secret").tool()) as (host, board):
        host.hook(after_call=judging(Block()))
        failure = failed(await board.call("work"), Code.BLOCKED)

    assert failure.content == (Text(f"Error: {failure.message}"),)
    assert "secret" not in repr(failure)


async def test_p_123_what_a_block_says_is_what_the_model_reads() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=judging(Block([Text("no"), Text("never")])))
        failure = failed(await board.call("work"), Code.BLOCKED)

    assert failure.content == (Text("no"), Text("never"))
    assert says(failure.message, "no")


async def test_p_123_a_blocked_failure_keeps_its_code_in_the_details() -> None:
    async with standing(failing(code="E_X", details={"n": 1})) as (host, board):
        host.hook(after_call=judging(Block([Text("no")])))
        failure = failed(await board.call("raw"), Code.BLOCKED)

    assert failure.details["previous_code"] == "tool_error"


async def test_p_124_a_block_without_text_says_of_what_kind_it_is() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=judging(Block([IMAGE])))
        failure = failed(await board.call("work"), Code.BLOCKED)

    assert "image" in failure.message.lower()
    assert failure.content == (IMAGE,)
    assert IMAGE.data not in failure.message


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_p_125_an_after_hook_that_raises_keeps_the_contexts_of_the_body(
    is_async: bool,
) -> None:
    log: list[str] = []

    def body(arguments: JSON, context: RunContext) -> None:
        context.defer("n1")

    async def fail() -> None:
        raise RuntimeError("gate down")

    hook = fail if is_async else raising(RuntimeError("gate down"))
    tool = raw(body, finalize=lambda arguments, outcome: log.append("finalize"))
    async with standing(tool) as (host, board):
        host.hook(after_call=hook, call_finished=noting(log, "finished"))
        failure = failed(await board.call("raw"), Code.POLICY_FAILED)

    assert (failure.contexts, log) == (("n1",), ["finalize", "finished"])


async def test_p_125_what_a_block_took_away_does_not_come_back_when_a_later_hook_raises() -> None:
    async with standing(raw(lambda arguments, context: context.defer("secret"))) as (host, board):
        board.hook(after_call=judging(Block([Text("no")], contexts=["b"])))
        host.hook(after_call=raising(RuntimeError("gate down")))
        failure = failed(await board.call("raw"), Code.POLICY_FAILED)

    assert failure.contexts == ("b",)


async def test_p_126_without_an_opinion_the_outcome_stands() -> None:
    async with standing(Work().tool()) as (host, board):
        without = await board.call("work", id="a")
        host.hook(after_call=judging(None))
        board.hook(after_call=judging(Accept()))

        assert await board.call("work", id="a") == without


@pytest.mark.parametrize("answer", [True, "fine", 3, {}, object(), Block, Text("no")], ids=shown)
async def test_p_126_an_unknown_verdict_fails_closed(answer: Any) -> None:
    async with standing(Work("secret").tool()) as (host, board):
        host.hook(after_call=judging(answer))
        failure = failed(await board.call("work"), Code.POLICY_FAILED)

    assert "secret" not in repr(failure)


@pytest.mark.parametrize("content", ["no", ["no"], [object()], 3, {"text": "no"}], ids=shown)
@pytest.mark.parametrize("verdict", [Block, lambda content: Accept(content=content)])
async def test_p_127_a_verdict_whose_content_is_none_fails_closed(
    verdict: Callable[[Any], Any], content: Any
) -> None:
    async with standing(Work("secret").tool()) as (host, board):
        host.hook(after_call=lambda: verdict(content))
        failure = failed(await board.call("work"), Code.POLICY_FAILED)

    assert "secret" not in repr(failure)


@pytest.mark.parametrize(("value", "code"), [("new", "ok"), (3, "invalid_output")])
async def test_p_128_the_pinned_tool_still_judges_after_its_plugin_was_unloaded(
    value: Any, code: str
) -> None:
    reports: list[UnloadReport] = []
    async with standing() as (host, board):
        await host.load(plugin_with(Work().tool(output=TEXT)), name="p")

        async def unload() -> Accept:
            reports.append(await host.unload("p"))
            return Accept(value=value)

        host.hook(after_call=unload)
        outcome = await board.call("work", id="c1")
        await until(lambda: host.plugins["p"].state == "unloaded")

    assert kind(outcome) == code
    assert code != "ok" or outcome.unwrap() == value
    assert reports[0].still_running == ("c1",)


ACCEPT, BLOCK = Accept(content=[Text("fine")]), Block([Text("no")])


@pytest.mark.parametrize("verdicts", [(ACCEPT, BLOCK), (BLOCK, ACCEPT), (BLOCK, BLOCK)], ids=shown)
async def test_p_129_a_block_outlives_every_accept_that_does_not_wrap(
    verdicts: tuple[Any, Any],
) -> None:
    async with standing(Work("secret").tool()) as (host, board):
        host.hook(after_call=judging(verdicts[0]))
        board.hook(after_call=judging(verdicts[1]))
        failure = failed(await board.call("work"), Code.BLOCKED)

    assert failure.content == (Text("no"),)
    assert "secret" not in repr(failure)


async def test_p_130_a_hook_that_wraps_may_accept_what_was_blocked_inside_it() -> None:
    inside: list[Any] = []

    async def wrap(call_next: Callable[..., Any]) -> Accept:
        inside.append(await call_next())
        return Accept(content=[Text("fine after all")])

    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=wrap)
        board.hook(after_call=judging(BLOCK))
        outcome = succeeded(await board.call("work"))

    assert says(repr(inside), "no")
    assert (outcome.value, outcome.content) == ("done", (Text("fine after all"),))


@pytest.mark.parametrize(("inner", "code"), [(BLOCK, "blocked"), (ACCEPT, "ok"), (None, "ok")])
async def test_p_130_a_wrapper_without_an_opinion_keeps_what_is_inside_it(
    inner: Any, code: str
) -> None:
    async def wrap(call_next: Callable[..., Any]) -> None:
        await call_next()

    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=wrap)
        board.hook(after_call=judging(inner))

        assert kind(await board.call("work")) == code


async def test_p_130_a_wrapper_that_asks_nobody_judges_alone() -> None:
    log: list[str] = []

    async def wrap(call_next: Callable[..., Any]) -> Accept:
        return ACCEPT

    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=wrap)
        board.hook(after_call=noting(log, "inner", BLOCK))
        outcome = succeeded(await board.call("work"))

    assert (outcome.content, log) == ((Text("fine"),), [])


async def test_p_130_a_block_that_was_taken_back_takes_its_contexts_with_it() -> None:
    def body(arguments: JSON, context: RunContext) -> str:
        context.defer("n1")
        return "done"

    async def wrap(call_next: Callable[..., Any]) -> Accept:
        await call_next()
        return Accept(contexts=["w"])

    async with standing(raw(body)) as (host, board):
        host.hook(after_call=wrap)
        board.hook(after_call=judging(Block([Text("no")], contexts=["b"])))
        outcome = succeeded(await board.call("raw"))

    assert (outcome.value, outcome.contexts) == ("done", ("n1", "w"))


@pytest.mark.parametrize("contexts", [[object()], [{1, 2}], [float("nan")], 3], ids=shown)
@pytest.mark.parametrize("verdict", [Accept, Block])
async def test_p_131_a_verdict_whose_contexts_are_not_json_fails_closed(
    verdict: Callable[..., Any], contexts: Any
) -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(after_call=lambda: verdict(contexts=contexts))
        outcome = await board.call("work")

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.contexts) == (Code.POLICY_FAILED, ())
