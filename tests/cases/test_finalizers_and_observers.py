"""The cases of section Contexts, conclusion, finalizer, observers: the last two stages."""

import asyncio
from typing import Any

import pytest
from pegboard import (
    JSON,
    Accept,
    Block,
    Code,
    Execution,
    Host,
    Outcome,
    RunContext,
    Signal,
    Text,
    Timing,
    Tool,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw, says
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
    succeeded,
    until,
)


class Finalized:
    """A tool with a finalizer that notes what it was given, and gives what it is told."""

    def __init__(self, gives: Any = None) -> None:
        self.gives = gives
        self.seen: list[tuple[JSON, Outcome]] = []

    def finalize(self, arguments: JSON, outcome: Outcome) -> Any:
        """Note."""
        self.seen.append((arguments, outcome))
        return self.gives

    def tool(self, **options: Any) -> Tool:
        """The tool."""
        body = options.pop("body", lambda arguments, context: "done")
        return raw(body, finalize=self.finalize, extra="keep", **options)


NEEDING: JSON = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def test_p_141_a_finalizer_without_an_answer_leaves_the_content() -> None:
    given = Finalized()
    async with standing(given.tool()) as (_, board):
        outcome = succeeded(await board.call("raw", {"n": 1}))

    assert outcome.content == (Text("done"),)
    assert given.seen == [({"n": 1}, outcome)]


async def test_p_141_a_finalizer_has_the_last_word_on_the_content_and_on_nothing_else() -> None:
    given = Finalized([Text("last")])
    async with standing(given.tool()) as (host, board):
        host.hook(after_call=lambda: Accept(content=[Text("policy")], contexts=["q"]))
        outcome = succeeded(await board.call("raw"))

    assert given.seen[0][1].content == (Text("policy"),)
    assert (outcome.value, outcome.content) == ("done", (Text("last"),))
    assert outcome.contexts == ("q",)


async def test_p_141_a_finalizer_sees_a_blocked_call_without_its_value() -> None:
    given = Finalized([Text("last")])
    async with standing(given.tool(body=lambda *_: "secret")) as (host, board):
        host.hook(after_call=lambda: Block([Text("no")]))
        failure = failed(await board.call("raw"), Code.BLOCKED)

    assert "secret" not in repr(given.seen)
    assert failure.content == (Text("last"),)


@pytest.mark.parametrize("answer", [3, "last", [object()], ["last"], {"text": 1}], ids=shown)
async def test_p_142_a_finalizer_that_gives_no_content_has_failed(answer: Any) -> None:
    given = Finalized(answer)
    async with standing(given.tool()) as (_, board):
        failure = failed(await board.call("raw"), Code.POLICY_FAILED)

    assert len(given.seen) == 1
    assert failure.content == (Text(f"Error: {failure.message}"),)


@pytest.mark.parametrize("error", [RuntimeError("gate down"), SystemExit(3)], ids=shown)
async def test_p_142_a_finalizer_that_raises_has_failed(error: BaseException) -> None:
    def finalize(arguments: JSON, outcome: Outcome) -> None:
        raise error

    async with standing(raw(lambda *_: "done", finalize=finalize)) as (host, board):
        assert failed(await board.call("raw"), Code.POLICY_FAILED)
        assert host.running == ()


async def test_p_143_a_finalizer_of_a_tool_that_was_unloaded_in_the_call_still_runs() -> None:
    given = Finalized()
    async with standing() as (host, board):
        await host.load(plugin_with(given.tool()), name="p")

        async def unload() -> None:
            await host.unload("p")
            raise RuntimeError("gate down")

        host.hook(before_call=unload)
        failed(await board.call("raw"), Code.POLICY_FAILED)
        await until(lambda: host.plugins["p"].state == "unloaded")

        assert [kind(outcome) for _, outcome in given.seen] == ["policy_failed"]
        assert kind(await board.call("raw")) == "unknown_tool"


UNRESOLVED = {
    "text that isn't JSON": ("raw", "{bad", Code.INVALID_ARGUMENTS),
    "a value that isn't JSON": ("raw", {"n": object()}, Code.INVALID_ARGUMENTS),
    "an unknown name": ("rwa", {"n": 1}, Code.UNKNOWN_TOOL),
}


@pytest.mark.parametrize("way", UNRESOLVED)
async def test_p_144_a_call_that_found_no_tool_is_observed_and_not_finalized(way: str) -> None:
    name, arguments, code = UNRESOLVED[way]
    given, recorder = Finalized(), RecordingPlugin()
    async with standing(given.tool()) as (host, board):
        await host.load(recorder)
        failure = failed(await board.call(name, arguments), code)

    assert given.seen == []
    assert [outcome for _, outcome, _ in recorder.finished] == [failure]


async def test_p_145_a_call_that_ends_at_its_arguments_is_finalized_once() -> None:
    given = Finalized()
    async with standing(given.tool(parameters=NEEDING)) as (_, board):
        failure = failed(await board.call("raw", {"n": "x"}), Code.INVALID_ARGUMENTS)

    assert [outcome for _, outcome in given.seen] == [failure]


async def test_p_145_a_call_whose_caller_had_cancelled_is_finalized_once() -> None:
    given, signal = Finalized(), Signal()
    signal.cancel("enough")
    async with standing(given.tool()) as (_, board):
        failure = failed(await board.call("raw", signal=signal), Code.ABORTED_BEFORE_START)

    assert [outcome for _, outcome in given.seen] == [failure]


@pytest.mark.parametrize("ending", ["denied", "timed_out", "crashed"])
async def test_p_145_a_finalizer_runs_once_for_every_other_end(ending: str) -> None:
    async def body(arguments: JSON, context: RunContext) -> None:
        if ending == "crashed":
            raise ValueError("kettle")
        await asyncio.sleep(PATIENCE)

    given = Finalized()
    async with standing(given.tool(body=body, timeout=0.02)) as (host, board):
        if ending == "denied":
            host.guard(lambda execution: "read-only")
        outcome = await board.call("raw")

    assert kind(outcome) == ending
    assert [seen for _, seen in given.seen] == [outcome]


async def test_p_146_an_observer_that_fails_later_is_logged_and_harms_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log: list[str] = []

    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError("lens dirty")

    async with standing(Work().tool()) as (host, board):
        host.hook(call_finished=noting(log, "host"))
        host.hook(call_finished=fail)
        board.hook(call_finished=noting(log, "board"))
        outcome = await board.call("work")

    assert (kind(outcome), log) == ("ok", ["host", "board"])
    assert says(caplog.text, "lens dirty")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()])
async def test_p_146_whatever_it_raises(error: BaseException) -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, board):
        host.hook(call_finished=raising(error))
        board.hook(call_finished=noting(log, "board"))

        assert kind(await board.call("work")) == "ok"

    assert log == ["board"]


async def test_p_146_an_observer_is_told_how_long_the_call_took() -> None:
    told: list[Timing] = []

    def tell(timing: Timing) -> None:
        told.append(timing)

    async def body(arguments: JSON, context: RunContext) -> None:
        await asyncio.sleep(0.02)

    async with standing(raw(body)) as (host, board):
        host.hook(call_finished=tell)
        await board.call("raw")

    assert 0.015 < told[0].body <= told[0].total < PATIENCE
    assert told[0].waited == 0


async def test_p_147_an_observer_that_changes_the_execution_is_refused_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log: list[str] = []

    def change(execution: Execution) -> None:
        execution.tool = "other"  # type: ignore[misc]

    async with standing(Work().tool()) as (host, board):
        host.hook(call_finished=change)
        board.hook(call_finished=noting(log, "board"))
        outcome = await board.call("work")

    assert (kind(outcome), outcome.tool, log) == ("ok", "work", ["board"])
    assert says(caplog.text, "FrozenInstanceError")


async def test_p_148_an_observer_may_make_a_call_of_its_own() -> None:
    inner: list[Outcome] = []
    async with Host(discover=False) as host:
        host.register(Work().tool())
        board = await host.board("case")

        async def again(execution: Execution) -> None:
            if execution.call_id == "c1":
                inner.append(await board.call("work", id="c2"))

        host.hook(call_finished=again)
        outer = await asyncio.wait_for(board.call("work", id="c1"), PATIENCE)

    assert [(each.call_id, kind(each)) for each in (outer, *inner)] == [("c1", "ok"), ("c2", "ok")]
