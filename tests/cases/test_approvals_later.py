"""The cases of section Approvals: in a batch, later and elsewhere, and in words."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    JSON,
    ApprovalRequest,
    Ask,
    Code,
    Execution,
    Host,
    Rejected,
    RunContext,
    Text,
    ToolCall,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw, says
from pegboard_policies import PATIENCE, Work, failed, kind, noting, plugin, standing, turns

ASK = Ask("are you sure?")


def ask_about_the_first(execution: Execution) -> Ask | None:
    """Ask about call `1` only."""
    return ASK if execution.call_id == "1" else None


class Answering:
    """An approver who waits for an event."""

    def __init__(self) -> None:
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def approve(self) -> str:
        """Wait, and approve."""
        self.asked.set()
        await self.may_answer.wait()
        return "once"


async def test_p_093_a_pending_approval_holds_back_no_later_call_that_may_overlap_it() -> None:
    ran: list[str] = []
    answering = Answering()

    async def body(arguments: JSON, context: RunContext) -> str:
        ran.append(context.call_id)
        if len(ran) == 2:
            answering.may_answer.set()
        return context.call_id

    async with standing(raw(body, concurrency_safe=True)) as (host, board):
        host.hook(before_call=ask_about_the_first, approve=answering.approve)
        batch = board.run([ToolCall(each, "raw") for each in "123"])
        outcomes = await asyncio.wait_for(batch, PATIENCE)

    assert [each.unwrap() for each in outcomes] == ["1", "2", "3"]
    assert ran == ["2", "3", "1"]


async def test_p_093_calls_that_may_not_overlap_it_wait_for_the_answer() -> None:
    work, answering = Work(), Answering()
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=ask_about_the_first, approve=answering.approve)
        batch = asyncio.create_task(board.run([ToolCall(each, "work") for each in "12"]))
        await answering.asked.wait()
        await turns(20)
        before = list(work.ran)
        answering.may_answer.set()
        outcomes = await asyncio.wait_for(batch, PATIENCE)

    assert [kind(each) for each in outcomes] == ["ok", "ok"]
    assert (before, work.ran) == ([], ["1", "2"])


PLUGIN = '''
import json

from pegboard import Ask, hookimpl, tool

LOG = []

@tool
async def drop(table: str) -> str:
    """Drop a table."""
    LOG.append("body")
    return f"{table} dropped"

@hookimpl
def pegboard_before_call():
    LOG.append("before")
    return Ask("it is gone then")

@hookimpl
def pegboard_approve():
    LOG.append("approve")
    return "later"

@hookimpl
def pegboard_guards():
    return [lambda execution: LOG.append("guard")]

@hookimpl
async def pegboard_around_call(call_next):
    LOG.append("around")
    return await call_next()

@hookimpl
def pegboard_after_call():
    LOG.append("after")

@hookimpl
def pegboard_call_finished():
    LOG.append("finished")
'''
PROGRAM = """
import asyncio, json, sys
from pegboard import Host, ToolCall

path, approved = sys.argv[1:]

async def main():
    lines = []
    async with Host(discover=False) as host:
        await host.load(path, name="tables")
        board = await host.board("a")
        for approvals in json.loads(approved):
            call = ToolCall("c1", "drop", {"table": "t"})
            outcome = await board.call(call, approvals=approvals)
            shown = [outcome.call_id, outcome.details] if outcome.is_error else outcome.value
            log = board.tools["drop"].function.__globals__["LOG"]
            code = str(outcome.code) if outcome.is_error else "ok"
            lines.append({"code": code, "shown": shown, "log": log[:]})
            log.clear()
    print(json.dumps(lines))

asyncio.run(main())
"""


def in_another_process(plugin: Path, *approvals: dict[str, str] | None) -> list[dict[str, Any]]:
    """What a process with a host of its own says of the same call, with each of these approvals."""
    command = [sys.executable, "-c", PROGRAM, str(plugin), json.dumps(approvals)]
    ran = subprocess.run(command, check=True, env=os.environ, stdout=subprocess.PIPE, timeout=60)
    lines: list[dict[str, Any]] = json.loads(ran.stdout)
    return lines


def test_p_368_an_approval_that_comes_days_later_is_used_once_in_another_process(
    tmp_path: Path,
) -> None:
    plugin = tmp_path / "tables.py"
    plugin.write_text(PLUGIN)

    (asked,) = in_another_process(plugin, None)
    request = asked["shown"][1]["request"]
    approvals = {request["digest"]: "once"}
    used, again = in_another_process(plugin, approvals, approvals)

    assert (asked["code"], asked["shown"][0]) == ("approval_required", "c1")
    assert asked["log"] == ["before", "approve", "after", "finished"]
    assert (used["code"], used["shown"]) == ("ok", "t dropped")
    assert used["log"] == ["before", "guard", "around", "body", "after", "finished"]
    assert again["code"] == "approval_required"
    assert again["shown"][1]["request"] == request


def test_p_368_an_approval_for_something_else_is_none(tmp_path: Path) -> None:
    plugin = tmp_path / "tables.py"
    plugin.write_text(PLUGIN)

    (asked,) = in_another_process(plugin, {"0" * 64: "once"})

    assert asked["code"] == "approval_required"


REQUEST: dict[str, JSON] = {
    "board": "case",
    "tool": "work",
    "owner": {"plugin": None, "distribution": None, "version": None, "generation": 0},
    "arguments": {"n": [1]},
    "call_id": "a1",
    "reason": "are you sure?",
    "labels": {"team": "red"},
}


async def test_p_368_the_request_in_the_details_is_what_the_approver_was_shown() -> None:
    asked: list[ApprovalRequest] = []

    def approve(request: ApprovalRequest) -> str:
        asked.append(request)
        return "later"

    work = Work()
    async with standing(work.tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=approve)
        outcome = await board.call("work", {"n": [1]}, id="a1", labels={"team": "red"})

    shown = failed(outcome, Code.APPROVAL_REQUIRED).details["request"]
    assert (shown, work.ran) == (REQUEST | {"digest": asked[0].digest}, [])


async def test_p_368_an_approval_spares_a_call_no_policy() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=lambda: "later")
        asked = failed(await board.call("work", id="a1"), Code.APPROVAL_REQUIRED)
        approvals = {asked.details["request"]["digest"]: "once"}
        with host.guard(lambda execution: "read-only"):
            refused = await board.call("work", id="a1", approvals=approvals)

    assert failed(refused, Code.DENIED).message == "read-only"


async def test_p_368_an_approval_is_good_for_one_of_two_calls_at_once() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=lambda: "later")
        asked = failed(await board.call("work", id="a1"), Code.APPROVAL_REQUIRED)
        approvals = {asked.details["request"]["digest"]: "once"}
        calls = [board.call("work", id="a1", approvals=approvals) for _ in range(3)]
        codes = [kind(each) for each in await asyncio.gather(*calls)]

    assert sorted(codes) == ["approval_required", "approval_required", "ok"]


async def test_p_368_an_approval_may_come_with_a_batch() -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), approve=lambda: "later")
        asked = await board.run([ToolCall(each, "work") for each in "12"])
        digests = [failed(each, Code.APPROVAL_REQUIRED).details["request"] for each in asked]
        approvals = {digests[1]["digest"]: "once"}
        again = await board.run([ToolCall(each, "work") for each in "12"], approvals=approvals)

    assert [kind(each) for each in again] == ["approval_required", "ok"]


async def test_p_369_who_answered_is_told_to_who_observes() -> None:
    events: list[str] = []

    def observe(event: object) -> None:
        events.append(f"{type(event).__name__} {event!r}")

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ASK), event=observe)
        await host.load(plugin(approve=lambda: "rejected"), name="gatekeeper")
        assert failed(await board.call("work", id="a1"), Code.DENIED)
        await turns(3)

    told = [each for each in events if each.startswith("Approval")]
    assert len(told) == 2
    assert says(told[-1], "rejected", "gatekeeper", "a1")


async def test_p_369_a_policy_that_raises_when_it_is_told_the_answer_harms_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def answered(request: ApprovalRequest, answer: object) -> None:
        raise LookupError("memory full")

    ask = Ask("sure?", answered=answered)
    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=noting([], "", ask), approve=lambda: "always")

        assert kind(await board.call("work")) == "ok"

    assert says(caplog.text, "memory full")


async def test_p_369_the_model_reads_the_words_of_who_rejected() -> None:
    recorder = RecordingPlugin()
    async with Host(discover=False) as host:
        work = Work()
        host.register(work.tool())
        await host.load(recorder)
        answer = Rejected("use the test table")
        host.hook(before_call=noting([], "", ASK), approve=lambda: answer)
        failure = failed(await (await host.board("a")).call("work"), Code.DENIED)

    assert failure.message == "use the test table"
    assert failure.content == (Text("Error: use the test table"),)
    assert [seen for _, seen, _ in recorder.finished] == [failure]
