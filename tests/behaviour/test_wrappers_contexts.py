"""What is left of the passes through what is inside a wrapper, and of what it says itself."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import JSON, Accept, Block, Code, Failure, RunContext, Success, Text, Tool
from pegboard_cases import raw
from pegboard_policies import failed, made, standing, succeeded
from pegboard_wrappers import Next, wrapping

REDACTED = (Text("redacted"),)
Verdict = Accept | Block


def deferring() -> Tool:
    """A tool `told` that defers a context."""

    async def run(arguments: JSON, context: RunContext) -> str:
        context.defer("body")
        return "value"

    return raw(run, name="told")


def accepting(count: int) -> Verdict:
    """Accept, with the number of the pass."""
    return Accept(contexts=[count])


def blocking(count: int) -> Verdict:
    """Block, with the number of the pass."""
    return Block([Text("no")], contexts=[count])


def alternating(count: int) -> Verdict:
    """Block the odd passes."""
    return blocking(count) if count % 2 else accepting(count)


def counted(verdict: Callable[[int], Verdict]) -> Callable[[], Verdict]:
    """An after hook that is told which pass it is."""
    passes = itertools.count(1)
    return lambda: verdict(next(passes))


def passing(times: int, answers: str) -> Callable[..., Any]:
    """An after wrapper that lets the inside happen that often."""

    async def wrap(call_next: Next) -> Any:
        last = None
        for _ in range(times):
            last = await call_next()
        return last if answers == "the last verdict" else None

    return wrapping("after", wrap)


@pytest.mark.parametrize("answers", ["the last verdict", "nothing"])
@pytest.mark.parametrize("verdict", [accepting, blocking, alternating])
@pytest.mark.parametrize("times", [0, 1, 2, 3])
async def test_the_contexts_are_those_of_the_last_pass_and_of_the_body_unless_it_is_blocked(
    times: int, verdict: Callable[[int], Verdict], answers: str
) -> None:
    last = verdict(times) if times else None
    async with standing(deferring()) as (host, board):
        host.hook(after_call=passing(times, answers))
        board.hook(after_call=counted(verdict))

        outcome = await board.call("told")

    kept = () if isinstance(last, Block) else ("body",)
    assert outcome.contexts == (*kept, *([times] if times else []))
    assert outcome.is_error == isinstance(last, Block)


@pytest.mark.parametrize("verdict", [accepting, blocking, alternating])
@pytest.mark.parametrize("outer", [1, 2, 3])
@pytest.mark.parametrize("inner", [1, 2, 3])
async def test_the_same_holds_for_wrappers_inside_each_other(
    outer: int, inner: int, verdict: Callable[[int], Verdict]
) -> None:
    last = verdict(outer * inner)
    async with standing(deferring()) as (host, board):
        host.hook(after_call=passing(outer, "the last verdict"))
        host.hook(after_call=passing(inner, "the last verdict"))
        board.hook(after_call=counted(verdict))

        outcome = await board.call("told")

    kept = () if isinstance(last, Block) else ("body",)
    assert outcome.contexts == (*kept, outer * inner)


def saying(verdict: Verdict) -> Callable[..., Any]:
    """An after wrapper that has the inside happen and says something of its own."""

    async def wrap(call_next: Next) -> Verdict:
        await call_next()
        return verdict

    return wrapping("after", wrap)


@pytest.mark.parametrize("wrappers", [1, 2, 3])
async def test_an_accept_around_a_redaction_keeps_it(wrappers: int) -> None:
    async with standing(deferring()) as (host, board):
        for number in range(wrappers):
            host.hook(after_call=saying(Accept(contexts=[number])))
        board.hook(after_call=lambda: Accept(content=REDACTED, contexts=["inner"]))

        outcome = succeeded(await board.call("told"))

    assert outcome.content == REDACTED
    assert outcome.contexts == ("body", "inner", *reversed(range(wrappers)))


async def test_an_accept_around_another_value_keeps_it() -> None:
    async with standing(deferring()) as (host, board):
        host.hook(after_call=saying(Accept()))
        board.hook(after_call=lambda: Accept(value="other"))

        outcome = succeeded(await board.call("told"))

    assert (outcome.value, outcome.content) == ("other", (Text("other"),))


@pytest.mark.parametrize("wrappers", [1, 2, 3])
async def test_an_accept_around_a_block_takes_the_outcome_as_it_was(wrappers: int) -> None:
    async with standing(deferring()) as (host, board):
        for _ in range(wrappers):
            host.hook(after_call=saying(Accept()))
        board.hook(after_call=lambda: Block(REDACTED, contexts=["inner"]))

        outcome = succeeded(await board.call("told"))

    assert (outcome.value, outcome.content, outcome.contexts) == (
        "value",
        (Text("value"),),
        ("body",),
    )


async def test_a_block_around_an_accept_leaves_its_own_contexts_alone() -> None:
    async with standing(deferring()) as (host, board):
        host.hook(after_call=saying(Block(REDACTED, contexts=["outer"])))
        board.hook(after_call=lambda: Accept(contexts=["inner"]))

        outcome = failed(await board.call("told"), Code.BLOCKED)

    assert (outcome.content, outcome.contexts) == (REDACTED, ("outer",))


@pytest.mark.parametrize("message", ["", " ", "\n\t", "\N{NO-BREAK SPACE}", "\r\n \r\n"])
@pytest.mark.parametrize("code", list(Code))
async def test_a_wrappers_failure_without_words_gets_some(code: Code, message: str) -> None:
    async def around(execution: Any, call_next: Next) -> Failure:
        return Failure(execution.call_id, execution.tool, code, message)

    async with standing(deferring()) as (host, board):
        host.hook(around_call=around)

        outcome = failed(await board.call("told"), code)

    (block,) = outcome.content
    assert block == Text(f"Error: {outcome.message}")
    assert outcome.message == outcome.message.strip()


@pytest.mark.parametrize("inner", ["passes on", "retries"])
async def test_another_wrapper_around_it_sees_the_words_that_it_got(inner: str) -> None:
    seen: list[Any] = []

    async def watch(call_next: Next) -> Any:
        seen.extend([await call_next() for _ in range(1 if inner == "passes on" else 2)])
        return seen[-1]

    async def fail(execution: Any, call_next: Next) -> Failure:
        return Failure(execution.call_id, execution.tool, Code.DENIED, " ")

    async with standing(deferring()) as (host, board):
        host.hook(around_call=wrapping("around", watch))
        host.hook(around_call=fail)

        outcome = await board.call("told")

    assert outcome is seen[-1] or outcome == seen[-1]
    assert all(each.message.strip() for each in seen)


@pytest.mark.parametrize("value", [None, "", 0, [], {}])
async def test_a_wrappers_success_without_words_is_still_content(value: JSON) -> None:
    async def around(execution: Any, call_next: Next) -> Success:
        return made(execution, value)

    async with standing(deferring()) as (host, board):
        host.hook(around_call=around)

        outcome = succeeded(await board.call("told"))

    assert (outcome.value, len(outcome.content)) == (value, 1)
