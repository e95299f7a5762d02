"""The cases of section Around hooks: what a wrapper gives."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Code,
    Execution,
    Failure,
    Outcome,
    Output,
    Progress,
    RunContext,
    Signal,
    Success,
    Text,
    Tool,
    ToolError,
)
from pegboard_cases import raw, says
from pegboard_policies import TEXT, Work, failed, kind, made, passing, shown, standing, succeeded

Next = Callable[..., Any]


def substituting(value: Any, **rest: Any) -> Callable[..., Any]:
    """A wrapper that answers by itself."""

    async def around(execution: Execution, call_next: Next) -> Outcome:
        return made(execution, value, **rest)

    return around


def giving(answer: Any) -> Callable[..., Any]:
    """A wrapper that gives this."""

    async def around(call_next: Next) -> Any:
        return answer

    return around


def rendered(value: Any, schema: JSON = None) -> Tool:
    """A tool `shown` with a renderer and a meta."""
    output = Output(
        schema,
        render=lambda arguments, found: [Text(f"<{found}>")],
        meta=lambda arguments, found: {"length": len(found)},
    )
    return raw(lambda arguments, context: value, name="shown", output=output)


async def test_p_104_content_and_meta_of_a_wrappers_success_are_made_from_its_value() -> None:
    wrapper = substituting("made", content=(Text("hand"),), meta={"m": 1}, concludes=True)
    async with standing(rendered("body")) as (host, board):
        host.hook(around_call=wrapper)
        outcome = succeeded(await board.call("shown"))

    assert (outcome.value, outcome.content) == ("made", (Text("<made>"),))
    assert (outcome.meta, outcome.concludes) == ({"length": 4}, False)
    assert outcome.contexts == ()


async def test_p_105_a_wrappers_edit_of_the_content_does_not_count() -> None:
    async def around(call_next: Next) -> Outcome:
        outcome = await call_next()
        return attrs.evolve(outcome, content=(Text("edited"),), meta={"m": 1}, notes=("n",))

    async with standing(rendered("body")) as (host, board):
        host.hook(around_call=around)
        outcome = succeeded(await board.call("shown"))

    assert (outcome.value, outcome.content) == ("body", (Text("<body>"),))
    assert outcome.meta == {"length": 4}


@pytest.mark.parametrize("value", [3, None, ["made"], {"x": "made"}], ids=shown)
async def test_p_106_a_wrappers_value_that_breaks_the_schema_is_invalid(value: Any) -> None:
    async with standing(Work().tool(output=TEXT)) as (host, board):
        host.hook(around_call=substituting(value))

        assert failed(await board.call("work"), Code.INVALID_OUTPUT)


class Cache:
    """An around hook that gives the first outcome again."""

    def __init__(self) -> None:
        self.kept: Outcome | None = None

    async def around(self, call_next: Next) -> Outcome:
        """Give it."""
        self.kept = self.kept or await call_next()
        return self.kept


async def test_p_107_a_cached_outcome_becomes_that_of_the_second_call() -> None:
    work, cache = Work(), Cache()
    async with standing(work.tool(output=TEXT)) as (host, board):
        host.hook(around_call=cache.around)
        first, second = [await board.call("work", id=each) for each in ("c1", "c2")]

    assert (first.call_id, second.call_id, work.ran) == ("c1", "c2", ["c1"])
    assert succeeded(second) == attrs.evolve(succeeded(first), call_id="c2")


async def test_p_107_a_cached_value_is_validated_by_the_tool_that_is_called() -> None:
    cache = Cache()
    other = raw(lambda *_: 1, name="other", output=Output({"type": "integer"}))
    async with standing(Work().tool(output=TEXT), other) as (host, board):
        host.hook(around_call=cache.around)
        first, second = [await board.call(each) for each in ("work", "other")]

    assert kind(first) == "ok"
    assert failed(second, Code.INVALID_OUTPUT).tool == "other"


async def test_p_107_a_cached_failure_becomes_that_of_the_second_call() -> None:
    cache = Cache()

    def fail(arguments: JSON, context: RunContext) -> None:
        raise ToolError("m", code="E")

    async with standing(raw(fail)) as (host, board):
        host.hook(around_call=cache.around)
        outcomes = [await board.call("raw", id=each) for each in ("c1", "c2")]

    failures = [failed(each, Code.TOOL_ERROR) for each in outcomes]
    assert [each.call_id for each in failures] == ["c1", "c2"]
    assert [each.details for each in failures] == [{"code": "E"}] * 2


@pytest.mark.parametrize("answer", [None, {}, {"value": 1}, 3, "done", True, Success], ids=shown)
async def test_p_108_a_wrapper_that_gives_no_outcome_has_failed(answer: Any) -> None:
    async with standing(Work().tool()) as (host, board):
        host.hook(around_call=giving(answer))

        assert failed(await board.call("work"), Code.POLICY_FAILED)


async def test_p_108_even_where_it_has_called_what_is_inside() -> None:
    work = Work()

    async def around(call_next: Next) -> None:
        await call_next()

    async with standing(work.tool()) as (host, board):
        host.hook(around_call=around)

        assert failed(await board.call("work"), Code.POLICY_FAILED)

    assert len(work.ran) == 1


async def test_p_109_no_wrapper_is_entered_for_an_unknown_tool() -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, board):
        host.hook(around_call=passing(log, "around"))

        assert failed(await board.call("wrok"), Code.UNKNOWN_TOOL)

    assert log == []


async def test_p_110_a_wrapper_cannot_conclude_the_turn() -> None:
    async def around(call_next: Next) -> Outcome:
        return attrs.evolve(await call_next(), concludes=True)

    async with standing(Work().tool()) as (host, board):
        host.hook(around_call=around)

        assert not succeeded(await board.call("work")).concludes


async def test_p_111_a_substituted_success_concludes_as_the_body_asked() -> None:
    async def around(execution: Execution, call_next: Next) -> Outcome:
        await call_next()
        return made(execution, "made")

    async with standing(raw(lambda arguments, context: context.conclude())) as (host, board):
        host.hook(around_call=around)
        outcome = succeeded(await board.call("raw"))

    assert (outcome.value, outcome.concludes) == ("made", True)


class Attempts:
    """A tool that fails, defers and concludes as often as it is told, and then gives a number."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.number = 0

    async def run(self, arguments: JSON, context: RunContext) -> int:
        """Try."""
        self.number += 1
        context.defer(self.number)
        context.report(self.number)
        if self.number <= self.failures:
            context.conclude()
            raise ToolError(f"attempt {self.number}")
        return self.number


@pytest.mark.parametrize("given", [0, 1])
async def test_p_112_the_contexts_are_those_of_the_attempt_that_the_wrapper_gives(
    given: int,
) -> None:
    async def around(call_next: Next) -> Outcome:
        attempts = [await call_next(), await call_next()]
        return attempts[given]

    async with standing(raw(Attempts().run)) as (host, board):
        host.hook(around_call=around)
        outcome = succeeded(await board.call("raw"))

    assert (outcome.value, outcome.contexts) == (given + 1, (given + 1,))


async def test_p_112_nothing_of_a_failed_attempt_is_left_after_a_retry() -> None:
    attempts, log = Attempts(failures=2), []

    async def around(call_next: Next) -> Outcome:
        outcome = await call_next()
        while isinstance(outcome, Failure):
            log.append("again")
            outcome = await call_next()
        return outcome

    async with standing(raw(attempts.run)) as (host, board):
        host.hook(around_call=around)
        board.hook(around_call=passing(log, "inner"))
        outcome = succeeded(await board.call("raw"))

    assert (outcome.value, outcome.contexts, outcome.concludes) == (3, (3,), False)
    assert log == [*["inner-in", "inner-out", "again"] * 2, "inner-in", "inner-out"]


async def test_p_112_a_retry_does_not_see_the_signal_of_the_attempt_before() -> None:
    front, seen = Signal(), []

    async def body(arguments: JSON, context: RunContext) -> None:
        if not seen:
            front.cancel("attempt over")
        seen.append(context.signal.cancelled)

    async def around(call_next: Next) -> Outcome:
        assert failed(await call_next(signal=front), Code.ABORTED).message == "attempt over"
        outcome: Outcome = await call_next()
        return outcome

    async with standing(raw(body)) as (host, board):
        host.hook(around_call=around)

        assert kind(await board.call("raw", signal=Signal())) == "ok"

    assert seen == [True, False]


async def test_p_112_reports_of_a_finished_attempt_are_dropped() -> None:
    told: list[Any] = []
    kept: list[RunContext] = []

    async def body(arguments: JSON, context: RunContext) -> int:
        kept.append(context)
        kept[0].report(len(kept))
        return len(kept)

    async def around(call_next: Next) -> Outcome:
        await call_next()
        return await call_next()

    def tell(progress: Progress) -> None:
        told.append(progress.progress)

    async with standing(raw(body)) as (host, board):
        host.hook(around_call=around)
        await board.call("raw", on_progress=tell)

    assert told == [1]


async def test_p_113_the_global_wrapper_is_outside_of_the_boards() -> None:
    log: list[str] = []
    async with standing(Work().tool()) as (host, parent):
        board = await host.board("child", parent=parent)
        for side, word in ((board, "child"), (parent, "parent"), (host, "host")):
            side.hook(around_call=passing(log, word))

        assert kind(await board.call("work")) == "ok"

    inwards = ["host-in", "parent-in", "child-in"]
    assert log == [*inwards, "child-out", "parent-out", "host-out"]


async def test_p_113_a_wrapper_that_raises_is_a_failed_policy_and_after_hooks_are_passed_by() -> (
    None
):
    log: list[str] = []

    async def around(call_next: Next) -> Outcome:
        await call_next()
        raise ToolError("gate down")

    async with standing(Work().tool()) as (host, board):
        host.hook(around_call=around, after_call=lambda: log.append("after"))
        failure = failed(await board.call("work"), Code.POLICY_FAILED)

    assert log == []
    assert says(failure.message, "the program")
