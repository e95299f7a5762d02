"""Tools of pydantic-ai stand on a board."""

import base64
import datetime as dt
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pegboard import (
    Audio,
    Board,
    Host,
    Image,
    InvalidToolError,
    Resource,
    Text,
)
from pegboard.frameworks.pydantic_ai import from_pydantic_ai
from pydantic import BaseModel
from pydantic_ai import (
    ApprovalRequired,
    BinaryContent,
    ImageUrl,
    ModelRetry,
    RunContext,
    TextContent,
    Tool,
    ToolFailed,
    ToolReturn,
)
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

Given = Tool[Any] | Callable[..., Any]


@asynccontextmanager
async def a_board(given: Given, **options: Any) -> AsyncIterator[Board]:
    async with Host(discover=False) as host:
        host.register(from_pydantic_ai(given, **options))
        yield await host.board("agent", deps="ours")


async def outcome_of(given: Given, arguments: Any = None, **options: Any) -> Any:
    async with a_board(given, **options) as board:
        return await board.call(next(iter(board.tools)), arguments, id="call-1")


class Place(BaseModel):
    city: str
    zip: int = 0


async def travel(place: Place, day: dt.date, *, fast: bool = False) -> dict[str, Any]:
    """Travel somewhere.

    Args:
        place: Where to.
        day: When.
        fast: Whether in a hurry.
    """
    return {"place": place, "day": day, "fast": fast}


async def test_the_schema_of_pydantic_ai_is_shown() -> None:
    async with a_board(travel) as board:
        [shown] = board.definitions()

    assert (shown.name, shown.description) == ("travel", "Travel somewhere.")
    assert shown.parameters == Tool(travel).function_schema.json_schema
    assert shown.parameters["properties"]["day"]["description"] == "When."


async def test_arguments_have_the_types_of_the_function_and_values_are_json() -> None:
    outcome = await outcome_of(travel, {"place": {"city": "Rome"}, "day": "2026-11-30"})

    assert outcome.unwrap() == {
        "place": {"city": "Rome", "zip": 0},
        "day": "2026-11-30",
        "fast": False,
    }


async def test_a_single_model_is_its_arguments() -> None:
    def visit(place: Place) -> str:
        return place.city

    assert (await outcome_of(visit, {"city": "Oslo"})).unwrap() == "Oslo"


async def test_positional_and_further_arguments_arrive() -> None:
    def put(first: int, /, *rest: int, **named: int) -> list[Any]:
        return [first, list(rest), named]

    outcome = await outcome_of(put, {"first": 1, "rest": [2, 3], "x": 4})

    assert outcome.unwrap() == [1, [2, 3], {"x": 4}]


async def test_what_only_pydantic_refuses_is_told_without_values() -> None:
    outcome = await outcome_of(travel, {"place": {"city": "Rome"}, "day": "2026-13-77"})

    assert outcome.is_error
    assert "day" in outcome.message
    assert "13-77" not in outcome.message


async def test_a_sync_function_runs_in_a_thread_of_the_host_and_an_async_one_on_the_loop() -> None:
    def waits() -> str:
        return threading.current_thread().name

    async def awaits() -> str:
        return threading.current_thread().name

    assert (await outcome_of(waits)).unwrap().startswith("pegboard")
    assert (await outcome_of(awaits)).unwrap() == "MainThread"


@pytest.mark.parametrize("error", [ModelRetry("try a city"), ToolFailed("try a city")], ids=repr)
async def test_what_a_tool_raises_for_the_model_is_a_tool_error(error: Exception) -> None:
    def visit() -> None:
        raise error

    outcome = await outcome_of(visit)

    assert (outcome.code, outcome.message) == ("tool_error", "try a city")


async def test_what_only_a_run_can_follow_is_a_tool_error_that_says_so() -> None:
    def visit() -> None:
        raise ApprovalRequired

    outcome = await outcome_of(visit)

    assert outcome.message == "tool 'visit' raised ApprovalRequired, which only a run can follow"


async def test_any_other_exception_is_a_crash() -> None:
    def visit() -> None:
        raise KeyError("lost")

    assert (await outcome_of(visit)).code == "crashed"


async def test_files_are_content() -> None:
    def show() -> list[Any]:
        return [
            "look",
            BinaryContent(b"pixel", media_type="image/png"),
            BinaryContent(b"sound", media_type="audio/wav"),
            BinaryContent(b"page", media_type="application/pdf", identifier="1"),
            ImageUrl("https://example.com/a.png"),
            TextContent("enough"),
            {"pages": 1},
        ]

    outcome = await outcome_of(show)

    assert outcome.content == (
        Text("look"),
        Image(base64.b64encode(b"pixel").decode(), "image/png"),
        Audio(base64.b64encode(b"sound").decode(), "audio/wav"),
        Resource(
            "pydantic-ai:1",
            mime_type="application/pdf",
            data=base64.b64encode(b"page").decode(),
        ),
        Resource("https://example.com/a.png"),
        Text("enough"),
        Text('{"pages":1}'),
    )


async def test_a_tool_return_gives_value_and_further_content() -> None:
    def find() -> ToolReturn:
        return ToolReturn(return_value={"found": 2}, content=["two of them", "at last"])

    outcome = await outcome_of(find)

    assert outcome.unwrap() == {"found": 2}
    assert outcome.content == (Text('{"found":2}'), Text("two of them"), Text("at last"))


def with_context(context: RunContext[str], name: str) -> str:
    """Say who asks."""
    return f"{context.deps}: {name}"


def test_a_tool_that_takes_a_run_context_is_refused_without_one() -> None:
    with pytest.raises(InvalidToolError, match="takes a RunContext, which a board has not"):
        from_pydantic_ai(with_context)


async def test_a_tool_that_takes_a_run_context_gets_the_one_that_is_given() -> None:
    outcome = await outcome_of(
        with_context,
        {"name": "Ada"},
        context=lambda ours: RunContext(deps=ours.deps, model=TestModel(), usage=RunUsage()),
    )

    assert outcome.unwrap() == "ours: Ada"


def test_a_tool_that_is_prepared_for_each_step_is_refused() -> None:
    async def prepare(context: Any, definition: Any) -> None:
        return None

    with pytest.raises(InvalidToolError, match="has a `prepare`"):
        from_pydantic_ai(Tool(travel, prepare=prepare))


@pytest.mark.parametrize(("answer", "is_error"), [("once", False), ("rejected", True)])
async def test_a_tool_that_requires_an_approval_asks_the_approvers(
    answer: str, is_error: bool
) -> None:
    asked = []

    def wipe() -> str:
        return "wiped"

    async with a_board(Tool(wipe, requires_approval=True)) as board:
        board.hook(approve=lambda request: asked.append(request.reason) or answer)

        outcome = await board.call("wipe")

    assert asked == ["tool 'wipe' requires an approval"]
    assert outcome.is_error is is_error


async def test_a_validator_of_arguments_has_its_say() -> None:
    def check(context: Any, name: str) -> None:
        if name == "eve":
            raise ModelRetry("not eve")

    outcome = await outcome_of(
        Tool(with_context, args_validator=check),
        {"name": "eve"},
        context=lambda ours: RunContext(deps=ours.deps, model=TestModel(), usage=RunUsage()),
    )

    assert outcome.message == "not eve"


@pytest.mark.parametrize("is_sequential", [True, False])
def test_a_sequential_tool_runs_alone(is_sequential: bool) -> None:
    made = from_pydantic_ai(Tool(travel, sequential=is_sequential, timeout=3))

    assert made.concurrency_safe is not is_sequential
    assert made.timeout == 3
