"""LangChain tools as tools for boards."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeGuard

import attrs
import pydantic_core
from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolOutputMixin
from langchain_core.runnables import ensure_config
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, ToolException
from langchain_core.tools import Tool as SimpleTool
from langchain_core.utils.function_calling import convert_to_openai_function
from pydantic import BaseModel, ValidationError

from pegboard import (
    JSON,
    Audio,
    Content,
    Image,
    InvalidToolError,
    Resource,
    RunContext,
    Text,
    Tool,
    ToolError,
    ToolResult,
)
from pegboard.errors import WrongArgumentError
from pegboard.formats._content import all_in_words
from pegboard.frameworks._read import faults_of

_IN_THREADS = (BaseTool._arun, StructuredTool._arun, SimpleTool._arun)  # noqa: SLF001 - nothing public says it
_BLOCKS = frozenset({"text", "text-plain", "image", "image_url", "audio", "video", "file"})


def from_langchain(tool: BaseTool) -> Tool:
    """A LangChain tool as a tool for boards, with the schema that LangChain shows to models.

    A `ToolException` that it raises is a `ToolError`. What it returns is the value, or what it
    gives as its artifact, and content blocks are content.

    Args:
        tool: any tool; what LangChain injects into it isn't shown.

    Raises:
        WrongArgumentError: it is something else, such as a function.
        InvalidToolError: it can't run without what only an agent of LangChain injects.
    """
    if not isinstance(tool, BaseTool):
        raise WrongArgumentError(
            f"from_langchain takes a tool of LangChain, not {type(tool).__name__}; "
            "of a function, `langchain_core.tools.tool` makes one"
        )
    injected = _injected(tool)
    for name, is_call_id in injected.items():
        if not is_call_id:
            raise InvalidToolError(
                f"tool {tool.name!r} of LangChain needs {name!r}, which an agent of LangChain "
                "injects and a board has not; give that argument a default"
            )
    is_handled = bool(tool.handle_tool_error or tool.handle_validation_error)
    has_artifact = tool.response_format == "content_and_artifact"
    body = _Body(tool, needs_id=bool(injected) or is_handled or has_artifact)
    shown = convert_to_openai_function(tool)
    return Tool(
        name=tool.name,
        description=tool.description,
        parameters=shown["parameters"],
        run=body.run if _is_async(tool) else body.run_in_thread,
    )


def _is_async(tool: BaseTool) -> bool:
    """Whether a tool runs on the loop by itself, rather than in a thread of LangChain's."""
    if isinstance(tool, (StructuredTool, SimpleTool)) and tool.coroutine is not None:
        return True
    return type(tool)._arun not in _IN_THREADS  # noqa: SLF001 - as above


def _injected(tool: BaseTool) -> dict[str, bool]:
    """The required arguments that models aren't shown, and whether each is the call's id."""
    whole, shown = tool.args_schema, tool.tool_call_schema
    if not (_is_model(whole) and _is_model(shown)):
        return {}
    return {
        name: any(_is_call_id(each) for each in field.metadata)
        for name, field in whole.model_fields.items()
        if name not in shown.model_fields and field.is_required()
    }


def _is_model(schema: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(schema, type) and issubclass(schema, BaseModel)


def _is_call_id(said: object) -> bool:
    return said is InjectedToolCallId or isinstance(said, InjectedToolCallId)


@attrs.frozen
class _Body:
    """Calls a tool of LangChain.

    Attributes:
        tool: the tool.
        needs_id: whether it is called as an agent does it, so that it gives a `ToolMessage`.
    """

    tool: BaseTool
    needs_id: bool

    async def run(self, arguments: dict[str, JSON], context: RunContext) -> JSON | ToolResult:
        """Run it on the loop."""
        with self.telling_failures(arguments, context):
            return _result(await self.tool.arun(arguments, **self.options(context)))

    def run_in_thread(self, arguments: dict[str, JSON], context: RunContext) -> JSON | ToolResult:
        """Run it in this thread, which is one of the host's."""
        with self.telling_failures(arguments, context):
            return _result(self.tool.run(arguments, **self.options(context)))

    @contextmanager
    def telling_failures(self, arguments: dict[str, JSON], context: RunContext) -> Iterator[None]:
        """Turn what a tool raises for LangChain into what it raises for a board."""
        try:
            yield
        except ToolException as error:
            raise ToolError(str(error)) from error
        except ValidationError as error:
            if self.takes(arguments, context):
                raise
            raise ToolError(faults_of(error), code="invalid_arguments") from error

    def takes(self, arguments: dict[str, JSON], context: RunContext) -> bool:
        """Whether LangChain reads them as the tool's arguments; the body may raise the same."""
        call_id = self.options(context)["tool_call_id"]
        try:
            self.tool._to_args_and_kwargs(dict(arguments), call_id)  # noqa: SLF001 - as above
        except ValidationError:
            return False
        return True

    def options(self, context: RunContext) -> dict[str, Any]:
        """What it is run with: inside a run of LangChain, it is a part of that."""
        config = ensure_config()
        call_id = context.call_id if self.needs_id else None
        return {
            "tool_call_id": call_id,
            "config": config,
            "callbacks": config.get("callbacks"),
        }


def _result(found: Any) -> JSON | ToolResult:
    """What a tool of LangChain gave: its value, and content where its JSON says too little."""
    if isinstance(found, ToolMessage):
        return _of_message(found)
    if _is_blocks(found):
        return ToolResult(_plain(found), content=_blocks(found))
    return _plain(found)


def _of_message(message: ToolMessage) -> JSON | ToolResult:
    content = _blocks(message.content)
    if message.status == "error":
        raise ToolError(all_in_words(content), content=content)
    value = message.content if message.artifact is None else message.artifact
    return ToolResult(_plain(value), content=content)


def _plain(value: Any) -> JSON:
    """A value as JSON; what isn't JSON in it as text."""
    plain: JSON = pydantic_core.to_jsonable_python(value, bytes_mode="base64", fallback=str)
    _check_followed(value)
    return plain


def _check_followed(value: Any) -> None:
    """Refuse a value with something in it that only an agent can follow, such as a `Command`.

    Raises:
        TypeError: names it.
    """
    if isinstance(value, ToolOutputMixin) and not isinstance(value, ToolMessage):
        kind = type(value).__name__
        raise TypeError(f"it gave a {kind}, which only an agent of LangChain can follow")
    if isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            _check_followed(each)
    elif isinstance(value, Mapping):
        _check_followed(list(value.values()))


def _is_blocks(value: Any) -> bool:
    """Whether a list is content for a model rather than a value."""
    is_list = isinstance(value, list) and bool(value)
    return is_list and all(isinstance(each, dict) and each.get("type") in _BLOCKS for each in value)


def _blocks(content: str | list[Any]) -> list[Content]:
    message = ToolMessage(content=content, tool_call_id="")
    return [_block(each) for each in message.content_blocks]


def _block(part: Any) -> Content:
    """A standard content block of LangChain as one of ours."""
    match part:
        case {"type": "text" | "text-plain", "text": str(text)}:
            return Text(text)
        case {"type": "image", "base64": str(data)}:
            return Image(data, part.get("mime_type") or "image/png")
        case {"type": "audio", "base64": str(data)}:
            return Audio(data, part.get("mime_type") or "audio/wav")
        case {"type": kind, "base64": str(data)}:
            uri = f"langchain:{part.get('id') or kind}"
            return Resource(uri, mime_type=part.get("mime_type"), data=data)
        case {"url": str(url)}:
            return Resource(url, mime_type=part.get("mime_type"))
        case _:
            return Text(pydantic_core.to_json(part, fallback=str).decode())
