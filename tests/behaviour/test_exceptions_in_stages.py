"""Whatever code of a plugin raises, in whatever stage, is one outcome of that call alone."""

import asyncio
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Ask,
    Board,
    Content,
    Host,
    Outcome,
    Output,
    RunContext,
    Text,
    Tool,
    ToolCall,
    ToolError,
    tool,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import raw
from pegboard_policies import PATIENCE, kind, turns


class MuteError(Exception):
    """An exception that can't say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


ERRORS: dict[str, Callable[[], BaseException]] = {
    "with text": lambda: Exception("kettle"),
    "ToolError": lambda: ToolError("kettle", code="E", details={"n": 1}),
    "without text": lambda: Exception(""),
    "mute": MuteError,
    "group": lambda: ExceptionGroup("", [ValueError("deep"), OSError()]),
    "SystemExit": lambda: SystemExit(3),
    "KeyboardInterrupt": KeyboardInterrupt,
    "CancelledError": asyncio.CancelledError,
    "GeneratorExit": GeneratorExit,
    "StopIteration": lambda: StopIteration("x"),
    "RecursionError": lambda: RecursionError("too deep"),
    "MemoryError": MemoryError,
}

Raise = Callable[[], Any]
Stage = Callable[[Host, Raise], Tool]


async def fine(arguments: JSON, context: RunContext) -> str:
    """Do it."""
    await asyncio.sleep(0)
    return "done"


def bad(run: Callable[..., Any] = fine, **options: Any) -> Tool:
    """The tool whose call fails."""
    return raw(run, name="bad", **({"concurrency_safe": True} | options))


class Odd(dict[str, Any]):
    """An object whose special methods are a plugin's code."""

    def __init__(self, fail: Raise) -> None:
        super().__init__(x=1)
        self.fail = fail

    def _fail(self, *_: object) -> Any:
        return self.fail()

    __eq__ = __iter__ = __len__ = __repr__ = __str__ = __bool__ = __getitem__ = _fail
    __hash__ = __getattr__ = keys = items = values = get = __class_getitem__ = _fail


def in_create(host: Host, fail: Raise) -> Tool:
    return bad()


def in_resolve(host: Host, fail: Raise) -> Tool:
    return bad(concurrency_safe=lambda arguments: fail())


FAILING: list[Raise] = []


@attrs.frozen
class Checked:
    """A type whose validator raises."""

    x: int = attrs.field(validator=lambda *_: FAILING[-1]())


def converted(value: int) -> int:
    """Convert, or rather not."""
    FAILING[-1]()
    return value


@attrs.frozen
class Converted:
    """A type whose converter raises."""

    x: int = attrs.field(converter=converted)


def in_validator(host: Host, fail: Raise) -> Tool:
    FAILING[:] = [fail]

    @tool(name="bad", concurrency_safe=True)
    async def checked(given: Checked) -> None:
        """Take it."""

    return checked


def in_converter(host: Host, fail: Raise) -> Tool:
    FAILING[:] = [fail]

    @tool(name="bad", concurrency_safe=True)
    async def taken(given: Converted) -> None:
        """Take it."""

    return taken


def hooking(name: str, *, is_async: bool) -> Stage:
    """A hook that raises in one call."""

    def stage(host: Host, fail: Raise) -> Tool:
        def about(execution: Any) -> Any:
            return fail() if execution.tool == "bad" else None

        async def about_later(execution: Any) -> Any:
            await asyncio.sleep(0)
            return about(execution)

        host.hook(**{name: about_later if is_async else about})
        return bad()

    return stage


def asking(*, is_async: bool) -> Stage:
    """An approver that raises in one call."""

    def stage(host: Host, fail: Raise) -> Tool:
        def approve(request: Any) -> Any:
            return fail() if request.tool == "bad" else "once"

        async def approve_later(request: Any) -> Any:
            await asyncio.sleep(0)
            return approve(request)

        approver = approve_later if is_async else approve
        host.hook(before_call=lambda: Ask("sure?"), approve=approver)
        return bad()

    return stage


def guarding(*, is_async: bool) -> Stage:
    """A guard that raises in one call."""

    def stage(host: Host, fail: Raise) -> Tool:
        def guard(execution: Any) -> Any:
            return fail() if execution.tool == "bad" else None

        async def guard_later(execution: Any) -> Any:
            await asyncio.sleep(0)
            return guard(execution)

        host.guard(guard_later if is_async else guard)
        return bad()

    return stage


def wrapping(*, is_late: bool) -> Stage:
    """A wrapper that raises in one call, before the body or after it."""

    def stage(host: Host, fail: Raise) -> Tool:
        async def around(execution: Any, call_next: Callable[..., Any]) -> Any:
            if execution.tool == "bad" and not is_late:
                fail()
            outcome = await call_next()
            if execution.tool == "bad":
                fail()
            return outcome

        host.hook(around_call=around)
        return bad()

    return stage


def in_body(host: Host, fail: Raise) -> Tool:
    async def run(arguments: JSON, context: RunContext) -> Any:
        await asyncio.sleep(0)
        return fail()

    return bad(run)


def in_first_step(host: Host, fail: Raise) -> Tool:
    async def run(arguments: JSON, context: RunContext) -> Any:
        return fail()

    return bad(run)


def in_thread(host: Host, fail: Raise) -> Tool:
    return bad(lambda arguments, context: fail())


def in_render(host: Host, fail: Raise) -> Tool:
    def render(arguments: JSON, value: JSON) -> list[Content]:
        fail()
        return [Text("never")]

    return bad(output=Output(render=render))


def in_meta(host: Host, fail: Raise) -> Tool:
    return bad(output=Output(meta=lambda arguments, value: fail()))


def in_project(host: Host, fail: Raise) -> Tool:
    return bad(project=lambda arguments, outcome: fail())


def in_finalize(host: Host, fail: Raise) -> Tool:
    return bad(finalize=lambda arguments, outcome: fail())


STAGES: dict[str, tuple[Stage, str]] = {
    "1 create": (in_create, "invalid_arguments"),
    "2 resolve": (in_resolve, "ok"),
    "3 validate, validator": (in_validator, "invalid_arguments"),
    "3 validate, converter": (in_converter, "invalid_arguments"),
    "4 before": (hooking("before_call", is_async=False), "policy_failed"),
    "4 before, async": (hooking("before_call", is_async=True), "policy_failed"),
    "5 approve": (asking(is_async=False), "denied"),
    "5 approve, async": (asking(is_async=True), "denied"),
    "6 guard": (guarding(is_async=False), "policy_failed"),
    "6 guard, async": (guarding(is_async=True), "policy_failed"),
    "7 around, in": (wrapping(is_late=False), "policy_failed"),
    "7 around, out": (wrapping(is_late=True), "policy_failed"),
    "8 body": (in_body, "crashed"),
    "8 body, first step": (in_first_step, "crashed"),
    "8 body, thread": (in_thread, "crashed"),
    "8 body, run_body": (hooking("run_body", is_async=False), "policy_failed"),
    "9 render": (in_render, "invalid_output"),
    "9 meta": (in_meta, "invalid_output"),
    "9 project": (in_project, "invalid_output"),
    "10 after": (hooking("after_call", is_async=False), "policy_failed"),
    "10 after, async": (hooking("after_call", is_async=True), "policy_failed"),
    "11 finalize": (in_finalize, "policy_failed"),
    "12 finished": (hooking("call_finished", is_async=False), "ok"),
    "12 finished, async": (hooking("call_finished", is_async=True), "ok"),
}
GOOD = raw(fine, name="good", concurrency_safe=True)


def raising(name: str) -> Raise:
    """What raises an exception of this name."""

    def fail() -> Any:
        error = ERRORS[name]()
        raise error

    return fail


def expected(stage: str, error: str) -> str:
    """The code that this stage gives a call in which this was raised."""
    is_of_tool = stage.startswith("8 body") and STAGES[stage][1] == "crashed"
    return "tool_error" if is_of_tool and error == "ToolError" else STAGES[stage][1]


def arguments_for(stage: str, fail: Raise) -> Any:
    """What the call is sent."""
    if stage.startswith("3"):
        return {"given": {"x": 1}}
    return {"a": [Odd(fail)]} if stage.startswith("1 ") else {}


async def batch(board: Board, stage: str, fail: Raise) -> list[Outcome]:
    """The outcomes of the call between two siblings."""
    calls = [
        ToolCall("c0", "good"),
        ToolCall("c1", "bad", arguments_for(stage, fail)),
        ToolCall("c2", "good"),
    ]
    return await asyncio.wait_for(board.run(calls), PATIENCE)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("stage", STAGES)
async def test_an_exception_is_one_outcome_with_the_right_code_and_touches_nobody_else(
    stage: str, error: str
) -> None:
    recorder, fail = RecordingPlugin(), raising(error)
    async with Host(discover=False) as host:
        await host.load(recorder)
        board = await host.board("a")
        host.register(STAGES[stage][0](host, fail))
        host.register(GOOD)
        outcomes = await batch(board, stage, fail)
        assert host.running == ()
    await turns(2)

    assert [(each.call_id, each.tool) for each in outcomes] == [
        ("c0", "good"),
        ("c1", "bad"),
        ("c2", "good"),
    ]
    assert [kind(each) for each in outcomes] == ["ok", expected(stage, error), "ok"]
    assert [seen for _, seen, _ in recorder.finished] == outcomes
    assert asyncio.all_tasks() == {asyncio.current_task()}
    if outcomes[1].is_error:
        assert outcomes[1].message.strip()


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("stage", STAGES)
async def test_the_next_call_of_the_same_tool_goes_its_usual_way(stage: str, error: str) -> None:
    fail, is_failing = raising(error), [True]

    def fail_at_first() -> Any:
        return fail() if is_failing[0] else None

    async with Host(discover=False) as host:
        board = await host.board("a")
        host.register(STAGES[stage][0](host, fail_at_first))
        first = await board.call("bad", arguments_for(stage, fail_at_first), id="c1")
        is_failing[0] = False
        again = await board.call("bad", {"given": {"x": 1}}, id="c1")

    assert first.call_id == again.call_id == "c1"
    assert kind(first) == expected(stage, error)
    assert kind(again) == ("denied" if stage.startswith("5") else "ok")
