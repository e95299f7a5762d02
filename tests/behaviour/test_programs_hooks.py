"""Hooks around programs and around the calls that they make."""

from typing import Any

import pytest
from pegboard import (
    JSON,
    Accept,
    Block,
    Cancel,
    Code,
    Deny,
    Execution,
    Outcome,
    RunContext,
    Success,
    Text,
    ToolCallError,
    ToolError,
)
from pegboard_cases import raw, says
from pegboard_policies import Work, failed, kind, made, succeeded
from pegboard_programs import Inside, Seen, coded, running


async def one(it: Inside) -> JSON:
    """Give the value of one call, or the text of its failure."""
    it.output("begun")
    try:
        return await it.make("work")
    except ToolCallError as error:
        return f"failed: {error}"


def is_inner(execution: Execution) -> bool:
    """Whether a call is one that the program makes."""
    return execution.tool == "work"


def only(inner: bool, answer: Any) -> Any:
    """A hook that gives or raises this, for calls of the program or for the program itself."""

    def hook(execution: Execution) -> Any:
        if is_inner(execution) is not inner:
            return None
        if isinstance(answer, Exception):
            raise answer
        return answer

    return hook


@pytest.mark.parametrize(
    ("answer", "says_what"),
    [(Deny("not now"), "not now"), (Cancel("stop"), "stop"), (ValueError("bad"), "bad")],
)
async def test_a_policy_that_refuses_a_call_of_a_program_fails_that_call_alone(
    answer: Any, says_what: str
) -> None:
    work = Work()
    async with coded(one, work.tool()) as (host, board):
        host.hook(before_call=only(inner=True, answer=answer))
        result = succeeded(await running(board)).value["result"]

    assert says(result, "failed: ", says_what)
    assert work.ran == []


@pytest.mark.parametrize(
    ("answer", "code"),
    [(Deny("no"), "denied"), (Cancel("no"), "cancelled"), (ValueError("bad"), "policy_failed")],
)
async def test_a_policy_that_refuses_the_program_lets_none_of_it_run(
    answer: Any, code: str
) -> None:
    work, seen = Work(), Seen()
    async with coded(one, work.tool()) as (host, board):
        seen.on(host)
        host.hook(before_call=only(inner=False, answer=answer))
        outcome = await running(board)

    assert (kind(outcome), work.ran, seen.ids) == (code, [], ["p"])


async def test_a_guard_refuses_a_call_of_a_program() -> None:
    work = Work()
    async with coded(one, work.tool()) as (_, board):
        board.guard(lambda execution: "never" if is_inner(execution) else None)
        result = succeeded(await running(board)).value["result"]

    assert says(result, "failed: ", "never")
    assert work.ran == []


async def test_an_after_hook_replaces_the_value_that_a_program_gets() -> None:
    async with coded(one, Work().tool()) as (host, board):
        host.hook(after_call=only(inner=True, answer=Accept(value="another")))
        assert succeeded(await running(board)).value["result"] == "another"


async def test_content_that_an_after_hook_puts_in_place_is_not_what_a_program_gets() -> None:
    async with coded(one, Work().tool()) as (host, board):
        host.hook(after_call=only(inner=True, answer=Accept(content=[Text("another")])))
        assert succeeded(await running(board)).value["result"] == "done"


async def test_a_blocked_call_raises_in_the_program() -> None:
    async with coded(one, Work().tool()) as (host, board):
        host.hook(after_call=only(inner=True, answer=Block([Text("hidden")], contexts=["why"])))
        outcome = succeeded(await running(board))

    assert says(outcome.value["result"], "failed: ")
    assert outcome.contexts == ("why",)


async def test_after_a_block_of_the_program_only_the_contexts_of_the_verdict_remain() -> None:
    def defer(arguments: JSON, context: RunContext) -> str:
        context.defer("of the call")
        return "done"

    async with coded(one, raw(defer, name="work")) as (host, board):
        host.hook(after_call=only(inner=False, answer=Block([Text("no")], contexts=["verdict"])))
        failure = failed(await running(board), Code.BLOCKED)

    assert failure.contexts == ("verdict",)
    assert "begun" not in repr(failure)


async def test_an_after_hook_that_replaces_the_value_of_a_program_has_to_keep_its_shape() -> None:
    async with coded(one, Work().tool()) as (host, board):
        right = host.hook(after_call=only(inner=False, answer=Accept(value={"logs": "other"})))
        first = await running(board)
        right.close()
        host.hook(after_call=only(inner=False, answer=Accept(value="other")))
        second = await running(board)

    assert succeeded(first).value == {"logs": "other"}
    assert kind(second) == "invalid_output"


async def test_an_around_hook_answers_in_the_place_of_a_call() -> None:
    async def around(execution: Execution, call_next: Any) -> Outcome:
        return made(execution, "cached") if is_inner(execution) else await call_next()

    work = Work()
    async with coded(one, work.tool()) as (host, board):
        host.hook(around_call=around)
        assert succeeded(await running(board)).value["result"] == "cached"

    assert work.ran == []


async def test_an_around_hook_that_lets_a_program_happen_twice_keeps_what_the_last_has_left() -> (
    None
):
    seen = Seen()

    def defer(arguments: JSON, context: RunContext) -> str:
        context.defer(f"{context.call_id} {len(seen.finished)}")
        context.conclude()
        return "done"

    async def around(execution: Execution, call_next: Any) -> Outcome:
        if not is_inner(execution):
            await call_next()
        return await call_next()

    async with coded(one, raw(defer, name="work")) as (host, board):
        seen.on(host)
        host.hook(around_call=around)
        outcome = succeeded(await running(board))

    assert seen.ids == ["p:code:1", "p:code:1", "p"]
    assert outcome.contexts == ("p:code:1 1",)
    assert outcome.value == {"result": "done", "logs": "begun"}


async def test_a_first_attempt_that_failed_leaves_nothing_on_the_second() -> None:
    attempts: list[Outcome] = []

    def conclude(arguments: JSON, context: RunContext) -> str:
        context.defer(len(attempts))
        if not attempts:
            context.conclude()
            raise ToolError("not yet")
        return "done"

    async def body(it: Inside) -> JSON:
        it.output(f"attempt {len(attempts)}")
        return await it.make("work")

    async def around(execution: Execution, call_next: Any) -> Outcome:
        if not is_inner(execution):
            attempts.append(await call_next())
        return await call_next()

    async with coded(body, raw(conclude, name="work")) as (host, board):
        host.hook(around_call=around)
        outcome = succeeded(await running(board))

    assert kind(attempts[0]) == "code_failed"
    assert attempts[0].contexts == (0,)
    assert (outcome.contexts, outcome.concludes) == ((1,), False)
    assert outcome.value == {"result": "done", "logs": "attempt 1"}


async def test_hooks_of_the_calls_of_a_program_are_asked_in_the_order_of_the_calls() -> None:
    log: list[str] = []

    async def body(it: Inside) -> None:
        made = [it.make("work") for _ in range(3)]
        for each in reversed(made):
            await each

    def note(word: str) -> Any:
        return lambda execution: log.append(f"{word} {execution.call_id}")

    async with coded(body, Work().tool(concurrency_safe=True)) as (host, board):
        host.hook(before_call=note("before"), after_call=note("after"))
        await running(board)

    before = [each for each in log if each.startswith("before")]
    after = [each for each in log if each.startswith("after")]
    assert before == ["before p", *(f"before p:code:{each}" for each in (1, 2, 3))]
    assert after == [*(f"after p:code:{each}" for each in (1, 2, 3)), "after p"]


async def test_run_body_hooks_may_run_the_calls_of_a_program_elsewhere() -> None:
    async def elsewhere(arguments: JSON, context: RunContext) -> str:
        return "elsewhere"

    def run_body(execution: Execution) -> Any:
        return elsewhere if is_inner(execution) else None

    async with coded(one, Work().tool()) as (host, board):
        host.hook(run_body=run_body)
        assert succeeded(await running(board)).value["result"] == "elsewhere"


async def test_a_run_body_hook_may_even_run_programs_elsewhere() -> None:
    async def elsewhere(arguments: JSON, context: RunContext) -> JSON:
        return {"logs": arguments["code"]}

    async with coded(one) as (host, board):
        host.hook(run_body=lambda execution: elsewhere)
        assert succeeded(await running(board)).value == {"logs": "program"}


async def test_observers_see_the_very_outcome_of_a_program() -> None:
    seen = Seen()
    async with coded(one, Work().tool()) as (host, board):
        seen.on(host)
        outcome = await running(board)

    assert isinstance(outcome, Success)
    assert seen.finished[-1][1] is outcome
