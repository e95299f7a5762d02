"""The cases of section Before hooks."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pegboard import (
    Allow,
    ApprovalRequest,
    Ask,
    Cancel,
    Code,
    Decision,
    Deny,
    Host,
    ToolError,
)
from pegboard_cases import raw, says
from pegboard_policies import (
    Work,
    failed,
    kind,
    noting,
    plugin,
    raising,
    shown,
    standing,
)

DENY, ALLOW, ASK = Deny("no"), Allow(), Ask("sure?")


def deciding(decision: Any) -> Callable[[], Any]:
    """A before hook with this opinion."""
    return noting([], "", decision)


def wrapping(decision: Any) -> Callable[..., Any]:
    """A before hook with this opinion around those inside it."""

    async def wrap(call_next: Callable[..., Any]) -> Any:
        await call_next()
        return decision

    return wrap


def counts(host: Host, log: list[str]) -> None:
    """Count what runs after a before hook."""
    host.hook(after_call=noting(log, "after"), call_finished=noting(log, "finished"))


def answering(told: list[str], word: str) -> Callable[..., None]:
    """What a policy does with an answer: note it."""

    def answered(request: ApprovalRequest, answer: object) -> None:
        told.append(f"{word} {answer}")

    return answered


def finalized(log: list[str]) -> Any:
    """A tool that notes its body and its finalizer."""
    return raw(
        lambda arguments, context: log.append("body"),
        finalize=lambda arguments, outcome: log.append("finalize"),
    )


FAULTS = [RuntimeError("gate down"), SystemExit(3), KeyboardInterrupt(), ToolError("m")]


@pytest.mark.parametrize("error", [*FAULTS, asyncio.CancelledError()], ids=shown)
async def test_p_065_a_hook_that_raises_ends_the_call_before_body_and_after_hooks(
    error: BaseException,
) -> None:
    log: list[str] = []
    async with standing(finalized(log)) as (host, board):
        counts(host, log)
        host.hook(before_call=raising(error))

        assert failed(await board.call("raw"), Code.POLICY_FAILED)

    assert log == ["finalize", "finished"]


async def test_p_065_a_wrapper_cannot_allow_what_raised_inside_it() -> None:
    async def wrap(call_next: Callable[..., Any]) -> Allow:
        with suppress(BaseException):
            await call_next()
        return ALLOW

    work = Work()
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=wrap)
        board.hook(before_call=raising(RuntimeError("gate down")))

        assert failed(await board.call("work"), Code.POLICY_FAILED)

    assert work.ran == []


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_p_066_a_tool_error_of_a_hook_is_no_tool_error(is_async: bool) -> None:
    async def fail() -> None:
        raise ToolError("m", code="E")

    hook = fail if is_async else raising(ToolError("m", code="E"))
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=hook)

        assert failed(await board.call("work"), Code.POLICY_FAILED)


@pytest.mark.parametrize("answer", [3, "no", True, object(), Deny, ToolError("m")], ids=shown)
async def test_p_066_an_unknown_decision_fails_closed(answer: Any) -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=deciding(answer))

        assert failed(await board.call("work"), Code.POLICY_FAILED)

    assert work.ran == []


@pytest.mark.parametrize("reason", [None, "", "  "])
async def test_p_067_a_denial_without_a_reason_names_the_plugin(reason: str | None) -> None:
    async with standing(Work().tool()) as (host, board):
        await host.load(plugin(before_call=deciding(Deny(reason))), name="gatekeeper")

        failure = failed(await board.call("work"), Code.DENIED)

    assert says(failure.message, "gatekeeper")


async def test_p_068_a_call_may_be_called_off_and_after_hooks_see_it() -> None:
    log: list[str] = []
    async with standing(finalized(log)) as (host, board):
        counts(host, log)
        host.hook(before_call=deciding(Cancel("not now")))

        failure = failed(await board.call("raw"), Code.CANCELLED)

    assert failure.message == "not now"
    assert log == ["after", "finalize", "finished"]


@pytest.mark.parametrize("decisions", [(ALLOW, DENY), (DENY, ALLOW), (None, DENY)], ids=shown)
async def test_p_069_the_strictest_opinion_wins_on_whatever_layer(
    decisions: tuple[Decision | None, Decision],
) -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=deciding(decisions[0]))
        board.hook(before_call=deciding(decisions[1]))

        assert failed(await board.call("work"), Code.DENIED).message == "no"

    assert work.ran == []


@pytest.mark.parametrize("refusal", [DENY, Cancel("no")], ids=shown)
async def test_p_070_nobody_is_asked_about_what_is_refused_anyway(refusal: Decision) -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=deciding(refusal), approve=noting(log, "asked", "once"))
        board.hook(before_call=deciding(ASK))

        assert kind(await board.call("work")) in {"denied", "cancelled"}

    assert log == []


async def test_p_071_a_question_is_stricter_than_an_allow() -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=deciding(ASK), approve=noting(log, "asked", "once"))
        board.hook(before_call=deciding(ALLOW))

        assert kind(await board.call("work")) == "ok"

    assert log == ["asked"]


async def test_p_072_a_wrapper_may_soften_what_is_inside_it() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=wrapping(ALLOW))
        board.hook(before_call=deciding(DENY))

        assert kind(await board.call("work")) == "ok"


async def test_p_072_a_wrapper_may_spare_a_question_that_is_asked_inside_it() -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=wrapping(ALLOW), approve=noting(log, "asked", "rejected"))
        board.hook(before_call=deciding(ASK))

        assert kind(await board.call("work")) == "ok"

    assert log == []


async def test_p_072_a_question_that_a_wrapper_passes_on_is_asked_once_and_told_to_who_asked() -> (
    None
):
    told: list[str] = []
    asks = [Ask(word, answered=answering(told, word)) for word in ("one", "two")]

    async def wrap(call_next: Callable[..., Any]) -> Any:
        return await call_next()

    def approve(request: ApprovalRequest) -> str:
        told.append(request.reason)
        return "once"

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=wrap, approve=approve)
        for each in asks:
            board.hook(before_call=deciding(each))

        assert kind(await board.call("work")) == "ok"

    assert says(told[0], "one", "two")
    assert told[1:] == ["one once", "two once"]


async def test_p_072_a_wrapper_is_given_allow_where_nobody_inside_has_an_opinion() -> None:
    seen: list[Any] = []

    async def wrap(call_next: Callable[..., Any]) -> None:
        seen.append(await call_next())

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=wrap)
        board.hook(before_call=deciding(None))
        await board.call("work")

    assert seen == [ALLOW]


async def test_p_073_no_wrapper_reaches_a_guard() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=wrapping(ALLOW))
        board.guard(lambda execution: "read-only")

        assert failed(await board.call("work"), Code.DENIED).message == "read-only"


@pytest.mark.parametrize(("decision", "code"), [(ALLOW, "ok"), (DENY, "denied")])
async def test_p_074_a_wrapper_that_asks_nobody_decides_alone(
    decision: Decision, code: str
) -> None:
    log: list[str] = []

    async def wrap(call_next: Callable[..., Any]) -> Decision:
        return decision

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=wrap)
        board.hook(before_call=noting(log, "inner", Cancel("inner")))

        assert kind(await board.call("work")) == code

    assert log == []


@pytest.mark.parametrize(("inner", "code"), [(DENY, "denied"), (ALLOW, "ok"), (None, "ok")])
async def test_p_075_a_wrapper_without_an_opinion_keeps_what_is_inside_it(
    inner: Decision | None, code: str
) -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=wrapping(None))
        board.hook(before_call=deciding(inner))

        assert kind(await board.call("work")) == code
