"""Tools of llm as tools of pegboard."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from types import FunctionType, MethodType
from typing import Any

import llm
from pegboard import JSON, RunContext, Tool

from pegboard_llm.answers import answer_of
from pegboard_llm.asking import ASKER, Asker
from pegboard_llm.boxes import Box

_CALL = "llm_tool_call"
_Arguments = dict[str, JSON]


def tool_of(found: llm.Tool, *, loop: asyncio.AbstractEventLoop, box: Box | None = None) -> Tool:
    """A tool as pegboard knows it.

    Args:
        found: the tool as llm knows it.
        loop: the loop of the host.
        box: the toolbox whose tool it is; it runs in the thread of that.
    """
    function = found.implementation
    if function is None:
        raise TypeError("it has no implementation; a model's provider runs it")
    return _tool(found, _body(found.name, function, loop, box))


def method_of(box: Box, method: str, *, loop: asyncio.AbstractEventLoop) -> Tool:
    """A method of a toolbox that isn't made yet, as a tool."""
    name = f"{box.kind.__name__}_{method}"
    written = inspect.getattr_static(box.kind, method)
    is_plain = isinstance(written, FunctionType)
    function = MethodType(written, box) if is_plain else getattr(box.kind, method)
    found = llm.Tool.function(function, name=name)  # type: ignore[no-untyped-call]
    return _tool(found, _body(name, function, loop, box, method))


def _tool(found: llm.Tool, run: Callable[..., Any]) -> Tool:
    schema = {"type": "object", "properties": {}, **found.input_schema}
    return Tool(name=found.name, description=found.description or "", parameters=schema, run=run)


def _body(
    name: str,
    function: Callable[..., Any],
    loop: asyncio.AbstractEventLoop,
    box: Box | None,
    method: str | None = None,
) -> Callable[[_Arguments, RunContext], Any]:
    """What runs when the tool is called."""
    wants_call = _CALL in inspect.signature(function).parameters

    def given(arguments: _Arguments, context: RunContext) -> dict[str, Any]:
        ASKER.set(Asker(name, context, loop))
        call = llm.ToolCall(name, arguments, context.call_id)
        return {**arguments, **({_CALL: call} if wants_call else {})}

    def run(arguments: _Arguments, context: RunContext) -> Any:
        return answer_of(function(**given(arguments, context)))

    async def run_async(arguments: _Arguments, context: RunContext) -> Any:
        return answer_of(await function(**given(arguments, context)))

    if box is not None:
        return _body_in(box, given, lambda made: getattr(made, method) if method else function)
    return run_async if inspect.iscoroutinefunction(function) else run


def _body_in(
    box: Box,
    given: Callable[[_Arguments, RunContext], dict[str, Any]],
    bound: Callable[[llm.Toolbox], Callable[..., Any]],
) -> Callable[[_Arguments, RunContext], Any]:
    """What runs in the thread of a toolbox, once it is made."""

    async def run(arguments: _Arguments, context: RunContext) -> Any:
        values = given(arguments, context)

        def work(made: llm.Toolbox) -> Any:
            context.signal.raise_if_cancelled()
            result = bound(made)(**values)
            return _answer_later(result) if inspect.iscoroutine(result) else answer_of(result)

        return await box.call(work)

    return run


async def _answer_later(result: Coroutine[Any, Any, Any]) -> Any:
    return answer_of(await result)
