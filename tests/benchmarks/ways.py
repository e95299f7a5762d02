"""One small tool, the floor below any way of calling it, and pegboard's peers calling it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import jsonschema_rs
import msgspec
import orjson
from agents import FunctionTool, function_tool, set_tracing_disabled
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext
from cattrs import Converter
from langchain_core.tools import BaseTool, StructuredTool
from pegboard import Board, Host, tool
from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.messages import ToolCallPart, ToolReturnPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.tools import RunContext
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage
from side_by_side import Way


async def add(a: int, b: int = 0, label: str | None = None) -> dict:  # type: ignore[type-arg]  # as authors write
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
        label: What to call the sum.
    """
    return {"sum": a + b, "label": label}


ARGUMENTS = {"a": 3, "b": 4, "label": "hello"}
TEXT = json.dumps(ARGUMENTS)
ID = "call-1"


@attrs.define
class _Arguments:
    a: int
    b: int = 0
    label: str | None = None


@attrs.frozen
class _Result:
    call_id: str
    tool: str
    is_error: bool
    value: Any


class Floor:
    """The least that a call by name has to do about values, as plain code over the same libraries.

    It knows no boards, hooks, limits, leases, cancellation or failures, and its body sees the task
    and the context of its caller.
    """

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder().decode
        self._tools = {
            "add": (
                jsonschema_rs.validator_for(tool(add).parameters).is_valid,
                jsonschema_rs.validator_for({"type": "object"}).is_valid,
                Converter(detailed_validation=False).get_structure_hook(_Arguments),
                lambda given: add(given.a, given.b, given.label),
            )
        }

    async def call(self, name: str, sent: Any, call_id: str) -> _Result:
        """Decode, validate, build, run, copy the value, validate it, freeze."""
        admits, admits_value, build, body = self._tools[name]
        read = self._decode(sent) if type(sent) is str else orjson.loads(orjson.dumps(sent))
        if not admits(read):
            raise ValueError("arguments")
        value = orjson.loads(orjson.dumps(await body(build(read, _Arguments))))
        if not admits_value(value):
            raise ValueError("value")
        return _Result(call_id, name, False, value)


@asynccontextmanager
async def a_board(*functions: Any) -> AsyncIterator[Board]:
    """A board with these functions as tools, and nothing else."""
    async with Host(discover=False) as host:
        for each in functions:
            host.register(tool(each))
        yield await host.board("bench")


def langchain(given: BaseTool | None = None) -> Way:
    """LangChain: a tool call as its agents make it, and the message that comes back."""
    made = given or StructuredTool.from_function(coroutine=add, name="add")
    call = {"name": "add", "args": ARGUMENTS, "id": ID, "type": "tool_call"}
    return lambda: made.ainvoke(call)


def openai_agents(given: FunctionTool | None = None) -> Way:
    """openai-agents: what its runner does with one call of a model."""
    set_tracing_disabled(True)
    made = given or function_tool(add)

    async def call() -> Any:
        context = ToolContext(None, tool_name="add", tool_call_id=ID, tool_arguments=TEXT)
        return await invoke_function_tool(function_tool=made, context=context, arguments=TEXT)

    return call


async def pydantic_ai(
    arguments: str | dict[str, Any], given: AbstractToolset[None] | None = None
) -> Way:
    """pydantic-ai: the tool manager of one step of a run, and the part that goes to the model."""
    toolset, model = given or FunctionToolset[None]([add]), TestModel()
    capability = Agent(model, toolsets=[toolset])._root_capability
    context = RunContext[None](deps=None, model=model, usage=RunUsage())
    manager = await ToolManager(toolset, root_capability=capability).for_run_step(context)

    async def call() -> ToolReturnPart:
        part = ToolCallPart("add", arguments, tool_call_id=ID)
        validated = await manager.validate_tool_call(part)
        value = await manager.execute_tool_call(validated)
        return ToolReturnPart("add", value, tool_call_id=ID)

    return call
