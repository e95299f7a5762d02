"""The cases of section One call."""

from collections.abc import Awaitable, Callable
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Execution,
    Outcome,
    Output,
    RunContext,
    Text,
    ToolCall,
    hookimpl,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw, success
from pegboard_policies import (
    Work,
    kind,
    noting,
    passing,
    standing,
    succeeded,
)


async def test_p_001_a_tool_that_gives_text_succeeds_with_it_and_nothing_else() -> None:
    output = Output({"type": "string"})
    greet = raw(lambda arguments, context: "hej Ada", name="greet", output=output)

    outcome = await success(greet)

    assert (outcome.value, outcome.content) == ("hej Ada", (Text("hej Ada"),))
    assert (outcome.contexts, outcome.concludes) == ((), False)
    assert (outcome.meta, outcome.notes) == (None, ())


async def test_p_002_every_stage_is_passed_once_and_in_order() -> None:
    log: list[str] = []

    async def body(arguments: JSON, context: RunContext) -> None:
        log.append("body")

    tool = raw(body, finalize=lambda arguments, outcome: log.append("finalize"))
    async with standing(tool) as (host, board):
        for name, word in (("before_call", "before"), ("after_call", "after")):
            host.hook(**{name: noting(log, word)})
        host.hook(around_call=passing(log, "around"), approve=noting(log, "approve"))
        host.hook(call_finished=noting(log, "finished"), run_body=lambda: None)
        host.guard(lambda execution: log.append("guard"))

        assert kind(await board.call("raw")) == "ok"

    before = ["before", "guard", "around-in", "body", "around-out"]
    assert log == [*before, "after", "finalize", "finished"]


async def test_p_003_hooks_that_wrap_enclose_the_rest_of_their_own_chain() -> None:
    log: list[str] = []

    def wrapping(word: str) -> Callable[..., Awaitable[None]]:
        async def wrap(call_next: Callable[..., Any]) -> None:
            log.append(f"{word}-in")
            await call_next()
            log.append(f"{word}-out")

        return wrap

    tool = raw(lambda arguments, context: log.append("body"))
    async with standing(tool) as (host, board):
        host.hook(before_call=wrapping("before"), after_call=wrapping("after"))

        assert kind(await board.call("raw")) == "ok"

    assert log == ["before-in", "before-out", "body", "after-in", "after-out"]


async def test_p_004_all_stages_of_a_call_see_one_token_and_another_call_has_another() -> None:
    seen: list[object] = []

    def see(execution: Execution) -> None:
        seen.append(execution.token)

    async def around(execution: Execution, call_next: Callable[..., Any]) -> Outcome:
        see(execution)
        outcome: Outcome = await call_next()
        return outcome

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=see, around_call=around, run_body=see)
        host.hook(after_call=see, call_finished=see)
        host.guard(see)
        for _ in range(2):
            await board.call("work")

    assert len(seen) == 12
    assert [len(set(seen[:6])), len(set(seen[6:])), len(set(seen))] == [1, 1, 2]


async def test_p_004_a_nested_call_names_the_token_of_the_call_around_it() -> None:
    async def outer(arguments: JSON, context: RunContext) -> None:
        await context.call("work")

    recorder = RecordingPlugin()
    async with standing(Work().tool(), raw(outer)) as (host, board):
        await host.load(recorder)
        await board.call("raw")

    inner, around = (execution for execution, _, _ in recorder.finished)
    assert inner.parent is around.token
    assert (around.parent, inner.token is around.token) == (None, False)


async def test_p_005_what_a_body_does_to_its_arguments_is_seen_by_nobody_else() -> None:
    kept: list[Any] = []
    recorder = RecordingPlugin()
    sent = {"k": {"n": 1}}

    def spoil(arguments: Any, context: RunContext) -> None:
        arguments["k"]["n"] = 2
        arguments["new"] = 1

    async with standing(raw(spoil, extra="keep")) as (host, board):
        await host.load(recorder)
        host.hook(before_call=lambda execution: kept.append(execution.arguments))
        assert kind(await board.call("raw", sent)) == "ok"

    assert sent == kept[0] == recorder.finished[0][0].arguments == {"k": {"n": 1}}
    sent["k"]["n"] = 3
    assert kept[0] == recorder.finished[0][0].arguments == {"k": {"n": 1}}


async def test_p_006_a_direct_call_is_its_own_root() -> None:
    tool = raw(lambda arguments, context: [context.call_id, context.root_call_id])
    async with standing(tool) as (_, board):
        outcome = await board.call("raw", id="q1")

    assert succeeded(outcome).value == ["q1", "q1"]


async def test_p_007_a_nested_call_has_its_own_id_and_the_root_and_is_observed_first() -> None:
    ids: list[tuple[str, str]] = []
    recorder = RecordingPlugin()

    def inner(arguments: JSON, context: RunContext) -> None:
        ids.append((context.call_id, context.root_call_id))

    async def outer(arguments: JSON, context: RunContext) -> None:
        await context.call("inner")

    async with standing(raw(inner, name="inner"), raw(outer)) as (host, board):
        await host.load(recorder)
        await board.call("raw", id="q1")

    assert ids == [("q1:1", "q1")]
    seen = [
        (each.call_id, each.root_call_id, each.parent_call_id) for each, *_ in recorder.finished
    ]
    assert seen == [("q1:1", "q1", "q1"), ("q1", "q1", None)]


async def test_p_008_calls_without_an_id_are_given_different_ones() -> None:
    async with standing(Work().tool()) as (_, board):
        ids = [(await board.call("work", {})).call_id for _ in range(3)]

    assert all(ids)
    assert len(set(ids)) == 3


async def test_p_009_a_call_as_an_object_and_by_name_give_equal_outcomes() -> None:
    def body(arguments: JSON, context: RunContext) -> JSON:
        context.defer(arguments)
        return arguments

    async with standing(raw(body, extra="keep")) as (_, board):
        given = await board.call(ToolCall("a", "raw", {"n": [1]}))
        by_name = await board.call("raw", {"n": [1]}, id="b")

    assert attrs.evolve(by_name, call_id="a") == given
    assert (given.call_id, by_name.call_id) == ("a", "b")


async def test_p_011_a_hook_can_change_neither_the_execution_nor_the_outcome() -> None:
    refused: list[str] = []

    def change(execution: Execution) -> None:
        for field in ("tool", "arguments", "new"):
            with pytest.raises(AttributeError):
                setattr(execution, field, "other")
            refused.append(field)

    def change_outcome(execution: Execution, outcome: Outcome) -> None:
        with pytest.raises(AttributeError):
            outcome.content = ()  # type: ignore[misc]
        refused.append("content")

    async with standing(Work().tool()) as (host, board):
        host.hook(before_call=change, after_call=change_outcome)
        outcome = await board.call("work")

    assert succeeded(outcome).content == (Text("done"),)
    assert refused == ["tool", "arguments", "new", "content"]


async def test_p_011_an_observer_that_tries_is_logged_and_the_outcome_stands(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def change(execution: Any, outcome: Any) -> None:
        outcome.content = ()

    async with standing(Work().tool()) as (host, board):
        host.hook(call_finished=change)
        outcome = await board.call("work")

    assert succeeded(outcome).content == (Text("done"),)
    assert "FrozenInstanceError" in caplog.text


class Quiet:
    """A plugin without a hook for calls."""

    @hookimpl
    def pegboard_reserved_names(self) -> dict[str, str]:
        """Reserve a name."""
        return {"shell": "not for us"}


async def test_p_012_a_plugin_without_hooks_for_calls_changes_no_call_and_enters_no_chain() -> None:
    async with standing(Work().tool()) as (host, board):
        without = await board.call("work", {"x": 1}, id="a")
        await host.load(Quiet())
        chains = board._scope.chains()
        assert (chains.before, chains.guards, chains.after, chains.finished) == ((), (), (), ())

        with pytest.raises(StopIteration) as ended:
            board.call("work", {"x": 1}, id="a").send(None)

    assert ended.value.value == without
