"""The cases of section Contexts, conclusion, finalizer, observers: what a body leaves."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard import (
    JSON,
    Accept,
    Block,
    Code,
    NotJSONError,
    Outcome,
    PegboardError,
    RunContext,
    Signal,
    Text,
    ToolCall,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw
from pegboard_policies import failed, kind, standing, succeeded


async def test_p_132_a_context_survives_the_failure_of_its_body() -> None:
    def body(arguments: JSON, context: RunContext) -> None:
        context.defer("n1")
        raise ValueError("kettle")

    async with standing(raw(body)) as (_, board):
        failure = failed(await board.call("raw"), Code.CRASHED)

    assert failure.contexts == ("n1",)


@pytest.mark.parametrize("is_caught", [True, False])
async def test_p_133_a_context_that_is_no_json_is_refused_where_its_author_sees_it(
    is_caught: bool,
) -> None:
    caught: list[str] = []

    def body(arguments: JSON, context: RunContext) -> str:
        try:
            context.defer(body)
        except NotJSONError as error:
            caught.append(str(error))
            if not is_caught:
                raise
        return "done"

    async with standing(raw(body)) as (_, board):
        outcome = await board.call("raw")

    assert len(caught) == 1
    assert kind(outcome) == ("ok" if is_caught else "crashed")
    assert outcome.contexts == ()


async def test_p_133_what_was_deferred_is_what_it_was_at_that_moment() -> None:
    def body(arguments: JSON, context: RunContext) -> None:
        deferred = {"n": [1]}
        context.defer(deferred)
        deferred["n"].append(2)

    async with standing(raw(body)) as (_, board):
        outcome = await board.call("raw")

    assert outcome.contexts == ({"n": [1]},)


async def test_p_134_nothing_can_be_deferred_to_a_final_outcome() -> None:
    kept: list[RunContext] = []

    def body(arguments: JSON, context: RunContext) -> None:
        context.defer("n1")
        kept.append(context)

    async with standing(raw(body)) as (_, board):
        outcome = await board.call("raw")
        before = repr(outcome)
        with pytest.raises(PegboardError, match="final"):
            kept[0].defer("n2")
        kept[0].conclude()

    assert repr(outcome) == before
    assert (outcome.contexts, outcome.concludes) == (("n1",), False)


async def test_p_135_an_after_hook_may_add_a_context_to_a_refusal() -> None:
    async with standing(raw(lambda *_: 1)) as (host, board):
        host.guard(lambda execution: "read-only")
        host.hook(after_call=lambda: Accept(contexts=["q"]))
        failure = failed(await board.call("raw"), Code.DENIED)

    assert (failure.message, failure.contexts) == ("read-only", ("q",))


async def test_p_136_every_call_carries_its_own_contexts_only() -> None:
    recorder = RecordingPlugin()

    def inner(arguments: JSON, context: RunContext) -> None:
        context.defer(context.call_id)

    async def outer(arguments: JSON, context: RunContext) -> None:
        context.defer("before")
        for _ in range(2):
            await context.call("inner")
        context.defer("after")

    async with standing(raw(inner, name="inner"), raw(outer)) as (host, board):
        await host.load(recorder)
        await board.call("raw", id="q")

    contexts = {seen.call_id: seen.contexts for _, seen, _ in recorder.finished}
    assert contexts == {"q:1": ("q:1",), "q:2": ("q:2",), "q": ("before", "after")}


def concluding(arguments: JSON, context: RunContext) -> str:
    """Conclude, and leave a context."""
    context.defer("n1")
    context.conclude()
    return "done"


async def test_p_137_a_success_concludes_as_its_body_asked() -> None:
    async with standing(raw(concluding)) as (_, board):
        assert succeeded(await board.call("raw")).concludes


async def test_p_137_a_nested_conclusion_is_not_that_of_the_outer_call() -> None:
    async def outer(arguments: JSON, context: RunContext) -> bool:
        return (await context.call("inner")).concludes

    async with standing(raw(concluding, name="inner"), raw(outer)) as (_, board):
        outcome = succeeded(await board.call("raw"))

    assert (outcome.value, outcome.concludes) == (True, False)


async def test_p_138_a_blocked_call_does_not_conclude_and_loses_its_contexts() -> None:
    async with standing(raw(concluding)) as (host, board):
        host.hook(after_call=lambda: Block([Text("no")], contexts=["q"]))
        failure = failed(await board.call("raw"), Code.BLOCKED)

    assert (failure.concludes, failure.contexts) == (False, ("q",))


def cancelling_in(stage: str, signal: Signal) -> dict[str, Callable[..., Any]]:
    """A hook that cancels the call while it is there."""

    def cancel() -> None:
        signal.cancel("enough")

    async def around(call_next: Callable[..., Any]) -> Outcome:
        outcome: Outcome = await call_next()
        cancel()
        return outcome

    return {"around_call": around} if stage == "around" else {"after_call": cancel}


@pytest.mark.parametrize("stage", ["around", "after"])
async def test_p_139_a_call_that_is_cancelled_before_its_outcome_is_final_does_not_conclude(
    stage: str,
) -> None:
    signal = Signal()
    async with standing(raw(concluding)) as (host, board):
        host.hook(**cancelling_in(stage, signal))
        failure = failed(await board.call("raw", signal=signal), Code.ABORTED)

    assert (failure.concludes, failure.contexts) == (False, ("n1",))
    assert failure.message == "enough"


async def test_p_140_conclude_may_be_kept_and_called_by_itself() -> None:
    def body(arguments: JSON, context: RunContext) -> None:
        conclude = context.conclude
        conclude()

    async with standing(raw(body)) as (_, board):
        (outcome,) = await board.run([ToolCall("1", "raw")])

    assert succeeded(outcome).concludes
