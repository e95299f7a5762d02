"""What a batch of a thousand calls costs, beside its bare bodies and beside pegboard's peers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from agents import Agent as Runnable
from agents import ModelResponse as Answer
from agents import RunConfig, Runner, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from pegboard import Host, ToolCall, tool
from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits
from side_by_side import Figures, Way, measure
from ways import ARGUMENTS, TEXT, add

COUNT = 1000
FEW_ROUNDS = 9
Body = Callable[..., Awaitable[Any]]


async def add_later(a: int, b: int = 0, label: str | None = None) -> dict:  # type: ignore[type-arg]  # as authors write
    """Add two numbers, once the loop has turned.

    Args:
        a: The first.
        b: The second.
        label: What to call the sum.
    """
    await asyncio.sleep(0)
    return {"sum": a + b, "label": label}


@asynccontextmanager
async def batches(body: Body) -> AsyncIterator[dict[str, Way]]:
    """A batch of calls that may overlap, run and streamed."""
    async with Host(discover=False) as host:
        host.register(tool(concurrency_safe=True)(body))
        board = await host.board("bench")
        name = body.__name__
        calls = [ToolCall(f"call-{number}", name, TEXT) for number in range(COUNT)]

        async def stream() -> int:
            return len([outcome async for outcome in board.stream(calls)])

        yield {"pegboard `run`": lambda: board.run(calls), "pegboard `stream`": stream}


def gather(body: Body) -> Way:
    """The bodies alone, all at once."""

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(body(**ARGUMENTS) for _ in range(COUNT)))

    return all_at_once


def pydantic_ai(body: Body) -> Way:
    """pydantic-ai: a run in which the model makes the calls, and then says that it is done."""
    toolset = FunctionToolset[None]([body])
    parts = [
        ToolCallPart(body.__name__, TEXT, tool_call_id=f"call-{number}") for number in range(COUNT)
    ]

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=parts if len(messages) == 1 else [TextPart("done")])

    agent = Agent(FunctionModel(answer), toolsets=[toolset])
    limits = UsageLimits(request_limit=None, tool_calls_limit=None)
    return lambda: agent.run("add", usage_limits=limits)


class _Model(Model):
    """A model that makes the calls, and then says that it is done."""

    def __init__(self, name: str) -> None:
        self._is_asked = False
        self._calls = [
            ResponseFunctionToolCall(
                arguments=TEXT, call_id=f"call-{number}", name=name, type="function_call"
            )
            for number in range(COUNT)
        ]

    async def get_response(self, *_: Any, **__: Any) -> Answer:
        self._is_asked = not self._is_asked
        return Answer([*self._calls] if self._is_asked else [_DONE], Usage(), "response")

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


_DONE = ResponseOutputMessage(
    id="done",
    type="message",
    role="assistant",
    status="completed",
    content=[ResponseOutputText(text="done", type="output_text", annotations=[])],
)


def openai_agents(body: Body) -> Way:
    """openai-agents: what its runner does with the same."""
    set_tracing_disabled(True)
    agent = Runnable("bench", model=_Model(body.__name__), tools=[function_tool(body)])
    settings = RunConfig(tracing_disabled=True)
    return lambda: Runner.run(agent, "add", run_config=settings)


async def figures_of(body: Body, title: str, capsys: pytest.CaptureFixture[str]) -> Figures:
    """Every way of making the calls, each once in a round."""
    async with batches(body) as ways:
        ways |= {
            "gather of bare bodies": gather(body),
            "pydantic-ai `Agent.run`": pydantic_ai(body),
            "openai-agents `Runner.run`": openai_agents(body),
        }
        figures = (await measure(ways, rounds=FEW_ROUNDS, warming=0)).per(COUNT)
    with capsys.disabled():
        print("\n\n" + figures.table(f"{COUNT} calls in a batch, {title}", "pegboard `run`"))
    return figures


@pytest.mark.parametrize(
    ("body", "title", "times"), [(add, "none suspends", 5), (add_later, "each suspends once", 4)]
)
async def test_a_call_in_a_batch_costs_a_small_part_of_one_at_the_peers(
    body: Body, title: str, times: float, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = await figures_of(body, title, capsys)

    for peer in ("pydantic-ai `Agent.run`", "openai-agents `Runner.run`"):
        assert figures.ratio(peer, "pegboard `run`") >= times
