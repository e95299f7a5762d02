"""Agents of three frameworks, each with a model that plays a script over a board."""

import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import attrs
from agents import Model, ModelResponse, RunConfig, Runner, Usage
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from pegboard import JSON, Board, Host, RunContext, Tool, tool
from pegboard.frameworks.langchain import BoardMiddleware
from pegboard.frameworks.openai_agents import BoardAgent
from pegboard.frameworks.pydantic_ai import BoardToolset
from pydantic_ai import Agent, BinaryContent, ModelRequest, ToolReturnPart
from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart
from pydantic_ai.messages import ModelResponse as Response
from pydantic_ai.models.function import AgentInfo, FunctionModel

Calls = Sequence[tuple[str, Any]]
Step = Callable[[], Awaitable[Calls]]


@tool
async def note(text: str, context: RunContext) -> str:
    """Take a note."""
    context.defer(f"{text} was noted")
    return f"{context.deps} noted {text}"


@asynccontextmanager
async def a_board(*tools: Tool) -> AsyncIterator[Board]:
    """The board of an agent, with these tools."""
    async with Host(discover=False) as host:
        for each in tools:
            host.register(each)
        yield await host.board("agent", deps="ours")


@attrs.frozen
class Result:
    """What the model was told of one call.

    Attributes:
        text: its text.
        is_error: whether the framework marks it as an error; None where it has no mark.
        images: the bytes of its images.
    """

    text: str
    is_error: bool | None
    images: tuple[bytes, ...] = ()


@attrs.define
class Script:
    """What a model does at each turn, and what it is shown and told.

    Attributes:
        steps: gives the calls of each turn, each by name and arguments; then the model is done.
        shown: the names of the tools that it was offered, turn by turn.
        told: the results by the id of the call, which is `<name>-<turn>-<number>`.
        name: how the ids of the calls begin.
    """

    steps: Sequence[Step]
    shown: list[list[str]] = attrs.field(factory=list)
    told: dict[str, Result] = attrs.field(factory=dict)
    name: str = "call"

    async def turn(self, names: Sequence[str]) -> list[tuple[str, str, Any]]:
        """Take the next step: id, name and arguments of its calls; none at the end."""
        self.shown.append(sorted(names))
        number = len(self.shown)
        if number > len(self.steps):
            return []
        calls = await self.steps[number - 1]()
        return [
            (f"{self.name}-{number}-{at}", name, given)
            for at, (name, given) in enumerate(calls, start=1)
        ]

    def named(self, name: str) -> list[bool]:
        """At which turns a tool was offered."""
        return [name in names for names in self.shown]


def calling(*calls: tuple[str, JSON]) -> Step:
    """A step that makes these calls."""

    async def step() -> Calls:
        return calls

    return step


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


async def with_pydantic_ai(board: Board, script: Script, **options: Any) -> Script:
    """Run an agent of pydantic-ai."""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> Response:
        calls = await script.turn([each.name for each in info.function_tools])
        made = [ToolCallPart(name, given, tool_call_id=call) for call, name, given in calls]
        return Response(parts=made) if made else Response(parts=[TextPart("done")])

    agent = Agent(FunctionModel(answer), toolsets=[BoardToolset(board)], retries=3)
    run = await agent.run("go", **options)
    requests = [each for each in run.all_messages() if isinstance(each, ModelRequest)]
    for part in [part for each in requests for part in each.parts]:
        if isinstance(part, ToolReturnPart):
            content = part.content
            given = list(content) if isinstance(content, (list, tuple)) else [content]
            script.told[part.tool_call_id] = Result(
                "\n".join(each for each in given if isinstance(each, str)),
                part.outcome != "success",
                tuple(each.data for each in given if isinstance(each, BinaryContent)),
            )
    return script


class ScriptedChatModel(BaseChatModel):
    """A chat model of LangChain that plays a script."""

    script: Any
    names: Any = ()

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self.model_copy(update={"names": [each.name for each in tools]})

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        turn = self.script.turn(self.names)
        try:
            turn.send(None)
        except StopIteration as stop:
            return _chat_result(stop.value)
        raise AssertionError("a step of an agent without async doesn't wait")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return _chat_result(await self.script.turn(self.names))


def _chat_result(calls: list[tuple[str, str, Any]]) -> ChatResult:
    made = [{"id": call, "name": name, "args": given} for call, name, given in calls]
    message = AIMessage(content="" if made else "done", tool_calls=made)
    return ChatResult(generations=[ChatGeneration(message=message)])


def langchain_agent(board: Any, script: Script, *further: Any, **options: Any) -> Any:
    """An agent of LangChain that follows a board."""
    middleware = [BoardMiddleware(board, **options)]
    return create_agent(ScriptedChatModel(script=script), further, middleware=middleware)


async def with_langchain(board: Board, script: Script, **options: Any) -> Script:
    """Run an agent of LangChain."""
    agent = langchain_agent(board, script)
    state = await agent.ainvoke({"messages": [("user", "go")]}, **options)
    for message in state["messages"]:
        if isinstance(message, ToolMessage):
            script.told[message.tool_call_id] = langchain_result(message)
    return script


def langchain_result(message: ToolMessage) -> Result:
    """What a model reads of a message of LangChain."""
    blocks = message.content_blocks
    texts = [each["text"] for each in blocks if each["type"] == "text"]
    images = [each["base64"] for each in blocks if each["type"] == "image"]
    return Result("\n".join(texts), message.status == "error", tuple(map(base64.b64decode, images)))


class ScriptedModel(Model):
    """A model of openai-agents that plays a script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002 - the framework's name
        model_settings: Any,
        tools: list[Any],
        *_: Any,
        **__: Any,
    ) -> ModelResponse:
        calls = await self.script.turn([each.name for each in tools])
        output: list[Any] = [
            ResponseFunctionToolCall(
                type="function_call", call_id=call, name=name, arguments=_text(given)
            )
            for call, name, given in calls
        ]
        text = ResponseOutputText(type="output_text", text="done", annotations=[])
        done = ResponseOutputMessage(
            id="done", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=output or [done], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def with_openai_agents(board: Board, script: Script, **options: Any) -> Script:
    """Run an agent of openai-agents."""
    agent = BoardAgent(name="scripted", model=ScriptedModel(script), board=board)
    config = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
    run = await Runner.run(agent, "go", run_config=config, **options)
    items: list[Any] = run.to_input_list()
    for item in items:
        if item.get("type") == "function_call_output":
            script.told[str(item["call_id"])] = _openai_result(item["output"])
    return script


def _openai_result(output: Any) -> Result:
    if isinstance(output, str):
        return Result(output, None)
    texts = [each["text"] for each in output if each["type"] == "input_text"]
    images = [each["image_url"] for each in output if each["type"] == "input_image"]
    data = [base64.b64decode(url.partition("base64,")[2]) for url in images]
    return Result("\n".join(texts), None, tuple(data))


PLAYERS = {
    "pydantic-ai": with_pydantic_ai,
    "langchain": with_langchain,
    "openai-agents": with_openai_agents,
}
