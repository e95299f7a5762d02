"""The cases of section Approvals: who is asked what, and what the answer does."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    ApprovalRequest,
    Ask,
    Board,
    Code,
    Config,
    Execution,
    Host,
    Rejected,
    Signal,
    Timing,
    tool,
)
from pegboard_cases import says
from pegboard_policies import (
    PATIENCE,
    Work,
    failed,
    kind,
    noting,
    plugin_with,
    raising,
    shown,
    standing,
    turns,
    until,
)

ASK = Ask("are you sure?")


def asking(host: Host | Board, answer: Any, log: list[ApprovalRequest] | None = None) -> None:
    """Have every call asked about, and answered so."""
    kept: list[ApprovalRequest] = [] if log is None else log

    def approve(request: ApprovalRequest) -> Any:
        kept.append(request)
        return answer

    host.hook(before_call=noting([], "", ASK), approve=approve)


async def test_p_082_an_approved_call_runs_and_the_request_told_all_about_it() -> None:
    asked: list[ApprovalRequest] = []
    async with standing() as (host, board):
        asking(host, "once", asked)
        await host.load(plugin_with(Work().tool()), name="p")
        outcome = await board.call("work", {"n": 1}, id="a1", labels={"team": "red"})

    (request,) = asked
    assert kind(outcome) == "ok"
    assert (request.board, request.tool, request.call_id) == ("case", "work", "a1")
    assert (request.owner.plugin, request.owner.generation) == ("p", 1)
    assert (request.arguments, request.reason) == ({"n": 1}, "are you sure?")
    assert request.labels == {"team": "red"}
    assert request.digest


async def test_p_082_an_approver_is_shown_the_final_arguments_and_cannot_change_them() -> None:
    @tool
    async def depth(n: int, deep: bool = False) -> list[Any]:
        """Give back what arrived."""
        return [n, deep]

    def approve(request: ApprovalRequest) -> str:
        assert request.arguments == {"n": 3}
        request.arguments["n"] = 4
        with pytest.raises(AttributeError):
            request.arguments = {}  # type: ignore[misc]
        return "once"

    async with standing(depth) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=approve)
        outcome = await board.call("depth", {"n": 3.0, "zz": 1})

    assert outcome.unwrap() == [3, False]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("answer", ["once", "board", "always"])
async def test_p_082_the_policy_that_asked_is_told_the_answer(answer: str, is_async: bool) -> None:
    told: list[tuple[str, Any]] = []

    def answered(request: ApprovalRequest, given: Any) -> None:
        told.append((request.call_id, given))

    async def answered_later(request: ApprovalRequest, given: Any) -> None:
        await asyncio.sleep(0)
        answered(request, given)

    ask = Ask("sure?", answered=answered_later if is_async else answered)
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ask), approve=lambda: answer)
        assert kind(await board.call("work", id="a1")) == "ok"

    assert told == [("a1", answer)]


@pytest.mark.parametrize("answer", ["once", "board", "always"])
async def test_p_082_an_approval_goes_on_to_the_guards(answer: str) -> None:
    async with standing(Work().tool()) as (host, board):
        asking(host, answer)
        host.guard(lambda execution: "read-only")

        assert failed(await board.call("work"), Code.DENIED).message == "read-only"


async def test_p_083_a_question_that_no_approver_takes_is_told_from_one_without_approvers() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK))
        nobody = failed(await board.call("work"), Code.DENIED)
        host.hook(approve=lambda: None)
        silent = failed(await board.call("work"), Code.DENIED)

    assert nobody.message != silent.message
    assert says(nobody.message, "approver")


ANSWERS = ["yes", "ONCE", True, 1, object(), ["once"], "rejected", "cancelled", Rejected]


@pytest.mark.parametrize("answer", ANSWERS, ids=shown)
async def test_p_083_every_other_answer_is_a_refusal(answer: Any) -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        asking(host, answer)

        assert failed(await board.call("work"), Code.DENIED)

    assert work.ran == []


async def test_p_083_each_kind_of_refusal_has_words_of_its_own() -> None:
    messages = []
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK))
        for answer in (None, "rejected", "cancelled"):
            with host.hook(approve=noting([], "", answer)):
                messages.append(failed(await board.call("work"), Code.DENIED).message)
        messages.append(failed(await board.call("work"), Code.DENIED).message)
        host.hook(approve=raising(RuntimeError("gate down")))
        messages.append(failed(await board.call("work"), Code.DENIED).message)

    assert len(set(messages)) == len(messages) == 5


FAULTS = [RuntimeError("gate down"), SystemExit(3), asyncio.CancelledError()]


@pytest.mark.parametrize("error", FAULTS, ids=shown)
async def test_p_084_an_approver_that_raises_has_not_approved(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    work = Work()
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=raising(error))

        assert failed(await board.call("work"), Code.DENIED)

    assert work.ran == []
    assert type(error).__name__ in caplog.text


@pytest.mark.parametrize(("second", "code"), [("once", "ok"), ("rejected", "denied")])
async def test_p_085_the_nearest_approver_with_an_answer_decides(second: str, code: str) -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, parent):
        board = await host.board("child", parent=parent)
        host.hook(before_call=noting([], "", ASK), approve=noting(log, "host", "once"))
        parent.hook(approve=noting(log, "parent", second))
        board.hook(approve=noting(log, "board"))

        assert kind(await board.call("work")) == code

    assert log == ["board", "parent"]


OTHER = {"type": "object", "properties": {"c": {}}}


class Pending:
    """An approver whose answer is given by the test."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.requests: list[ApprovalRequest] = []

    async def approve(self, request: ApprovalRequest) -> Any:
        """Wait for the answer."""
        self.requests.append(request)
        self.asked.set()
        return await asyncio.shield(self.answer)

    async def approve_stubbornly(self, request: ApprovalRequest) -> Any:
        """The same, and approve when the waiting is cancelled."""
        try:
            return await self.approve(request)
        except asyncio.CancelledError:
            return "once"


@pytest.mark.parametrize("is_stubborn", [False, True])
async def test_p_086_cancelling_ends_a_pending_approval_and_a_late_answer_is_nothing(
    is_stubborn: bool,
) -> None:
    work, signal, pending = Work(), Signal(), Pending()
    approve = pending.approve_stubbornly if is_stubborn else pending.approve
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=approve)
        task = asyncio.create_task(board.call("work", signal=signal))
        await pending.asked.wait()
        signal.cancel("enough")
        failure = failed(await asyncio.wait_for(task, PATIENCE), Code.ABORTED_BEFORE_START)
        if not pending.answer.done():
            pending.answer.set_result("once")
        await turns(5)
        assert host.running == ()

    assert (failure.message, work.ran) == ("enough", [])


async def test_p_087_nobody_is_asked_for_a_caller_who_has_cancelled() -> None:
    asked: list[ApprovalRequest] = []
    signal = Signal()
    signal.cancel("enough")
    async with standing(Work().tool()) as (host, board):
        asking(host, "once", asked)

        assert failed(await board.call("work", signal=signal), Code.ABORTED_BEFORE_START)

    assert asked == []


async def test_p_087_nobody_is_asked_when_the_caller_cancels_while_policies_decide() -> None:
    log: list[str] = []
    signal = Signal()

    def ask(execution: Execution) -> Ask:
        signal.cancel("enough")
        return ASK

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=ask, approve=noting(log, "asked", "once"))

        assert failed(await board.call("work", signal=signal), Code.ABORTED_BEFORE_START)

    assert log == []


async def test_p_088_an_approval_of_a_tool_that_was_upgraded_meanwhile_is_void() -> None:
    old, new, pending = Work(), Work(), Pending()
    async with standing() as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=pending.approve)
        await host.load(plugin_with(old.tool()), name="p")
        task = asyncio.create_task(board.call("work"))
        await pending.asked.wait()

        unloading = asyncio.create_task(host.unload("p"))
        await until(lambda: "work" not in board.tools)
        await turns(5)
        if not pending.answer.done():
            pending.answer.set_result("once")
        failure = failed(await asyncio.wait_for(task, PATIENCE), Code.DENIED)
        await unloading
        await host.load(plugin_with(new.tool(parameters=OTHER)), name="p")

        assert kind(await board.call("work")) == "ok"

    assert (old.ran, len(new.ran)) == ([], 1)
    assert "unloaded" in failure.message or "upgraded" in failure.message


async def test_p_089_an_approval_is_for_one_call_only() -> None:
    asked: list[ApprovalRequest] = []
    async with standing(Work().tool()) as (host, board):
        asking(host, "once", asked)
        for _ in range(2):
            await board.call("work", {"n": 1})

    assert len(asked) == 2


async def test_p_092_waiting_for_an_approval_is_not_the_tools_time() -> None:
    async def approve() -> str:
        await asyncio.sleep(0.3)
        return "once"

    async with standing(Work().tool(timeout=0.1)) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=approve)

        assert kind(await board.call("work")) == "ok"


async def test_p_092_what_was_waited_for_people_is_told_apart() -> None:
    told: list[Timing] = []

    async def approve() -> str:
        await asyncio.sleep(0.05)
        return "once"

    def tell(timing: Timing) -> None:
        told.append(timing)

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=approve, call_finished=tell)
        await board.call("work")

    assert 0.04 < told[0].waited <= told[0].total
    assert told[0].body < told[0].waited


async def test_p_092_an_approver_has_no_limit_of_its_own() -> None:
    async def approve() -> str:
        await asyncio.sleep(0.2)
        return "once"

    async with standing(Work().tool(), config=Config(hook_timeout=0.05)) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=approve)

        assert kind(await board.call("work")) == "ok"
