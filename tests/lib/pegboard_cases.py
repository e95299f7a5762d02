"""What the tests of the cases share: a board with tools, raw tools, and readable refusals."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
from pegboard import (
    JSON,
    Board,
    Code,
    Config,
    Execution,
    Failure,
    Host,
    Outcome,
    Output,
    RunContext,
    Success,
    Tool,
    ToolCall,
    hookimpl,
)

ANYTHING: JSON = {"type": "object"}


@asynccontextmanager
async def board_with(*tools: Tool, config: Config | None = None) -> AsyncIterator[Board]:
    """A board of an open host on whose global layer these tools stand."""
    async with Host(config, discover=False) as host:
        for each in tools:
            host.register(each)
        yield await host.board("case")


async def call(given: Tool, arguments: JSON = None, *, config: Config | None = None) -> Outcome:
    """The outcome of one call of one tool, which has the call's own id and name."""
    async with board_with(given, config=config) as board:
        outcome = await board.call(ToolCall("call-1", given.name, arguments))
    assert (outcome.call_id, outcome.tool) == ("call-1", given.name)
    return outcome


async def refusal(
    given: Tool,
    arguments: JSON = None,
    *,
    code: Code = Code.INVALID_ARGUMENTS,
    config: Config | None = None,
) -> str:
    """The message of a call that has to fail with this code."""
    outcome = await call(given, arguments, config=config)
    assert isinstance(outcome, Failure)
    assert outcome.code is code, outcome.message
    assert outcome.message.strip()
    return outcome.message


async def success(given: Tool, arguments: JSON = None, *, config: Config | None = None) -> Success:
    """The outcome of a call that has to succeed."""
    outcome = await call(given, arguments, config=config)
    assert isinstance(outcome, Success), getattr(outcome, "message", "")
    return outcome


async def shown(made: Tool) -> JSON:
    """The parameters of a tool as a model is shown them."""
    async with board_with(made) as board:
        (definition,) = board.definitions()
    return definition.parameters


def says(message: str, *words: str) -> bool:
    """Whether every one of these words is in a message, as it is written or quoted."""
    missing = [each for each in words if each not in message]
    assert not missing, f"{missing} not in: {message[:2000]}"
    return True


def raw(
    run: Callable[..., Any], *, name: str = "raw", parameters: JSON = None, **options: Any
) -> Tool:
    """A tool made by hand; by default it takes any object."""
    shown = ANYTHING if parameters is None else parameters
    return Tool(name=name, description="Do it.", parameters=shown, run=run, **options)


def named(name: str) -> Tool:
    """A tool of this name that answers with it."""
    return raw(lambda arguments, context: name, name=name)


class Searching:
    """A plugin that offers `search`."""

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tool."""
        return [named("search")]


def taking(schema: JSON, **options: Any) -> Tool:
    """A raw tool that gives back its one argument `x`, which has this schema."""
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    return raw(lambda arguments, context: arguments["x"], parameters=parameters, **options)


def giving(value: Any, schema: JSON = None, *, render: Any = None, meta: Any = None) -> Tool:
    """A raw tool whose body gives one value; without a schema any JSON value is right."""
    return raw(lambda arguments, context: value, output=Output(schema, render, meta))


@attrs.frozen
class Keeper:
    """A raw tool that keeps every argument that reaches its body, and gives them back.

    Attributes:
        kept: the arguments of each call that ran.
    """

    kept: list[JSON] = attrs.field(factory=list)

    def run(self, arguments: JSON, context: RunContext) -> JSON:
        """Keep the arguments."""
        self.kept.append(arguments)
        return arguments

    def tool(self, parameters: JSON = None, **options: Any) -> Tool:
        """The tool."""
        return raw(self.run, name="keep", parameters=parameters, **options)


@attrs.frozen
class Watcher:
    """A guard and an observer that keep what they see.

    Attributes:
        guarded: the executions that the guard was asked about.
        finished: the executions and outcomes that the observer was told of.
    """

    guarded: list[Execution] = attrs.field(factory=list)
    finished: list[tuple[Execution, Outcome]] = attrs.field(factory=list)

    def on(self, board: Board) -> None:
        """Watch the calls on a board."""
        board.guard(self.guarded.append)
        board.hook(call_finished=self._note)

    def _note(self, execution: Execution, outcome: Outcome) -> None:
        self.finished.append((execution, outcome))


def nested(levels: int, innermost: JSON = None) -> JSON:
    """That many lists inside each other."""
    value: JSON = [] if innermost is None else [innermost]
    for _ in range(levels - 1):
        value = [value]
    return value
