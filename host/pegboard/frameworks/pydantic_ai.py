"""A board as a toolset of pydantic-ai, and tools of pydantic-ai for boards."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from pegboard import (
    JSON,
    Audio,
    Content,
    Failure,
    Image,
    InvalidToolError,
    NotJSONError,
    Resource,
    Text,
    ToolDefinition,
    ToolError,
    ToolResult,
)
from pegboard import RunContext as Context
from pegboard import Tool as BoardTool
from pegboard.errors import MissingFrameworkError, WrongArgumentError
from pegboard.formats._content import all_in_words, contexts_of, in_words, label
from pegboard.frameworks._boards import AnyBoard, check_board, is_open, make_call
from pegboard.frameworks._read import blocks_of, bytes_of, faults_of, has_bytes, only_text
from pegboard.frameworks._turns import may_always_overlap
from pegboard.values import decode_text

try:
    import pydantic_core
    from pydantic import ValidationError
    from pydantic_ai import (
        ApprovalRequired,
        BinaryContent,
        CallDeferred,
        FileUrl,
        ModelRetry,
        RunContext,
        TextContent,
        Tool,
        ToolFailed,
        ToolReturn,
    )
    from pydantic_ai.tools import AgentDepsT
    from pydantic_ai.tools import ToolDefinition as ShownTool
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
except ImportError as error:
    raise MissingFrameworkError("pydantic-ai", error) from error

_FILES = (BinaryContent, FileUrl)
_APPROVED = ("once", "board", "always")


class BoardToolset(AbstractToolset[AgentDepsT]):
    """The tools of a board for agents of pydantic-ai, at each step as the board is then.

    A call that fails, for whatever reason, is a failed tool result that the model reads; it takes
    nothing of a tool's retries.
    """

    def __init__(
        self,
        board: AnyBoard,
        *,
        id: str | None = None,  # noqa: A002 - the framework's name
        deps: Callable[[RunContext[AgentDepsT]], object] | None = None,
    ) -> None:
        """A toolset over a board.

        Args:
            board: whose tools.
            id: the toolset's id, for durable execution.
            deps: gives the `deps` of a call, such as `lambda context: context.deps`; None for the
                board's own.

        Raises:
            WrongArgumentError: it is no board.
        """
        check_board(board)
        self._board = board
        self._id = id
        self._deps = deps

    @property
    def id(self) -> str | None:
        """The toolset's id."""
        return self._id

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """The tools that are visible on the board now; none once it is closed."""
        if not is_open(self._board):
            return {}
        tools = self._board.tools
        return {
            each.name: ToolsetTool(
                toolset=self,
                tool_def=_shown(each, tools.get(each.name)),
                max_retries=ctx.max_retries,
                args_validator=_AS_SENT,
            )
            for each in self._board.definitions()
        }

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
    ) -> ToolReturn:
        """Make the call on the board.

        Raises:
            ToolFailed: the call failed; the model reads why.
        """
        del tool  # the board knows what stands there now
        outcome = await make_call(
            self._board,
            name,
            _as_sent(tool_args),
            call_id=ctx.tool_call_id,
            deps=self._deps and self._deps(ctx),
        )
        if isinstance(outcome, Failure):
            raise ToolFailed(all_in_words(blocks_of(outcome)))
        return ToolReturn(
            return_value=_returned(outcome.content),
            content=contexts_of([outcome]) or None,
            metadata={
                "value": outcome.value,
                "meta": outcome.meta,
                "notes": list(outcome.notes),
                "concludes": outcome.concludes,
            },
        )


def _shown(definition: ToolDefinition, tool: BoardTool | None) -> ShownTool:
    annotations = None if tool is None else tool.annotations
    said = attrs.asdict(annotations, filter=lambda _, each: each is not None) if annotations else {}
    return ShownTool(
        name=definition.name,
        description=definition.description,
        parameters_json_schema=definition.parameters,
        strict=False,
        sequential=tool is not None and not may_always_overlap(tool),
        metadata={"annotations": said, "tags": sorted(tool.tags) if tool else []},
        defer_loading=definition.defer_loading,
    )


def _returned(blocks: tuple[Content, ...]) -> str | list[str | BinaryContent]:
    text = only_text(blocks)
    return [part for each in blocks for part in _parts(each)] if text is None else text


def _parts(block: Content) -> list[str | BinaryContent]:
    """A block as pydantic-ai takes it; bytes that no model takes are told in words."""
    if isinstance(block, Text) or not has_bytes(block):
        return [in_words(block)]
    data = bytes_of(block.data or "")
    if data is None:
        return [in_words(block)]
    named = [label(block)] if isinstance(block, Resource) else []
    return [*named, BinaryContent(data=data, media_type=block.mime_type or "")]


class _Unread(dict[str, Any]):
    """Arguments that can't be read as an object, with the text that the model sent."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


def _as_sent(arguments: dict[str, Any]) -> JSON:
    """What the board decodes: the model's text where nobody could read it."""
    return arguments.text if isinstance(arguments, _Unread) and not arguments else arguments


class _AsSent:
    """Takes any arguments: the board validates them, and says what is wrong."""

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> dict[str, Any]:  # noqa: A002 - the framework's name
        """The arguments that a text spells."""
        text = input if isinstance(input, str) else bytes(input).decode(errors="replace")
        try:
            found = decode_text(text) if text.strip() else None
        except NotJSONError:
            return _Unread(text)
        return found if type(found) is dict else {} if found is None else _Unread(text)

    def validate_python(self, input: Any, **_: Any) -> Any:  # noqa: A002 - the framework's name
        """The same arguments."""
        return input


_AS_SENT = _AsSent()


def from_pydantic_ai(
    tool: Tool[Any] | Callable[..., Any],
    *,
    context: Callable[[Context], RunContext[Any]] | None = None,
) -> BoardTool:
    """A tool of pydantic-ai as a tool for boards, with the schema that pydantic-ai makes.

    A `ModelRetry` or `ToolFailed` that it raises is a `ToolError`. One that requires an approval
    asks the board's approvers.

    Args:
        tool: a `Tool`, or a function as agents of pydantic-ai take it.
        context: makes the `RunContext` of a call, for a tool that takes one: a board has no run,
            no model and no usage of pydantic-ai to make one of.

    Raises:
        WrongArgumentError: it is neither.
        InvalidToolError: it takes a `RunContext` and none is given, or it has a `prepare`.
    """
    if not callable(tool) and not isinstance(tool, Tool):
        raise WrongArgumentError(
            f"from_pydantic_ai takes a Tool of pydantic-ai or a function, not {type(tool).__name__}"
        )
    made = tool if isinstance(tool, Tool) else Tool[Any](tool)
    if made.prepare is not None:
        raise InvalidToolError(
            f"tool {made.name!r} of pydantic-ai has a `prepare`, which needs a run; "
            "give it without one, and restrict the board instead"
        )
    if context is None and (made.takes_ctx or made.args_validator is not None):
        raise InvalidToolError(
            f"tool {made.name!r} of pydantic-ai takes a RunContext, which a board has not; "
            "give `context=`, a function from the board's RunContext to one of pydantic-ai"
        )
    body = _Body(made, context)
    is_async = made.function_schema.is_async or made.requires_approval or made.args_validator
    return BoardTool(
        name=made.name,
        description=made.description or "",
        parameters=made.function_schema.json_schema,
        run=body.run if is_async else body.run_in_thread,
        timeout=made.timeout,
        concurrency_safe=not made.sequential,
        defer_loading=made.defer_loading,
    )


@attrs.frozen
class _Body:
    """Calls a tool of pydantic-ai."""

    tool: Tool[Any]
    context: Callable[[Context], RunContext[Any]] | None

    async def run(self, arguments: dict[str, JSON], context: Context) -> JSON | ToolResult:
        """Ask for approval, validate, and run it on the loop, or in a thread of pydantic-ai."""
        if self.tool.requires_approval:
            answer = await context.ask(f"tool {self.tool.name!r} requires an approval")
            if answer not in _APPROVED:
                raise ToolError(f"the approval was not given: {answer}", code="denied")
        theirs: Any = self.context and self.context(context)
        given = self.read(arguments)
        with _telling_failures(self.tool.name):
            if self.tool.args_validator is not None:
                said = self.tool.args_validator(theirs, **given)
                await said if inspect.isawaitable(said) else None
            return _result(await self.tool.function_schema.call(given, theirs))

    def run_in_thread(self, arguments: dict[str, JSON], context: Context) -> JSON | ToolResult:
        """Validate, and run it in this thread, which is one of the host's."""
        schema = self.tool.function_schema
        given = self.read(arguments)
        placed: list[Any] = [self.context(context)] if self.context and schema.takes_ctx else []
        placed += [given.pop(name) for name in schema.positional_fields]
        if schema.var_positional_field:
            placed += given.pop(schema.var_positional_field)
        with _telling_failures(self.tool.name):
            return _result(schema.function(*placed, **given))

    def read(self, arguments: dict[str, JSON]) -> dict[str, Any]:
        """The arguments with the types of the function."""
        try:
            text = pydantic_core.to_json(arguments)
            read: dict[str, Any] = self.tool.function_schema.validator.validate_json(text)
        except ValidationError as error:
            raise ToolError(faults_of(error), code="invalid_arguments") from error
        return read


@contextmanager
def _telling_failures(name: str) -> Iterator[None]:
    """Turn what a tool raises for pydantic-ai into what it raises for a board."""
    try:
        yield
    except (ModelRetry, ToolFailed) as error:
        raise ToolError(error.message) from error
    except (ApprovalRequired, CallDeferred) as error:
        kind = type(error).__name__
        raise ToolError(f"tool {name!r} raised {kind}, which only a run can follow") from error


def _result(found: Any) -> JSON | ToolResult:
    """What a tool of pydantic-ai gave: its value, and content where its JSON says too little."""
    value, further = (
        (found.return_value, found.content) if isinstance(found, ToolReturn) else (found, None)
    )
    plain = pydantic_core.to_jsonable_python(value, bytes_mode="base64")
    beside = [further] if isinstance(further, str) else further or ()
    parts = [*_parts_of(value), *beside]
    if further is None and not any(isinstance(each, _FILES) for each in parts):
        return plain
    return ToolResult(plain, content=[_block(each) for each in parts])


def _parts_of(value: Any) -> list[Any]:
    is_list = isinstance(value, (list, tuple))
    if is_list and any(isinstance(each, (*_FILES, TextContent)) for each in value):
        return list(value)
    return [] if value is None else [value]


def _block(part: Any) -> Content:
    """A part of what pydantic-ai gives a model, as a block."""
    match part:
        case str():
            return Text(part)
        case TextContent():
            return Text(part.content)
        case BinaryContent() if part.is_image:
            return Image(part.base64, part.media_type)
        case BinaryContent() if part.is_audio:
            return Audio(part.base64, part.media_type)
        case BinaryContent():
            uri = f"pydantic-ai:{part.identifier}"
            return Resource(uri, mime_type=part.media_type, data=part.base64)
        case FileUrl():
            return Resource(part.url)
        case _:
            return Text(pydantic_core.to_json(part, bytes_mode="base64").decode())
