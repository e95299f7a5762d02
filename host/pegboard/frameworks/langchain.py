"""A board as LangChain tools, an agent's middleware that follows it, and the other way round."""

import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from pegboard import (
    JSON,
    Audio,
    Content,
    Failure,
    Image,
    Outcome,
    Resource,
)
from pegboard.errors import MissingFrameworkError
from pegboard.formats._content import in_words, label
from pegboard.frameworks._boards import (
    AnyBoard,
    check_board,
    is_open,
    make_call,
    make_call_in_thread,
)
from pegboard.frameworks._read import blocks_of, has_bytes, only_text
from pegboard.frameworks._turns import Overlap, Turn, overlap

try:
    from langchain.agents.middleware import (
        AgentMiddleware,
        AgentState,
        ModelRequest,
        ModelResponse,
        hook_config,
    )
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import BaseTool, ToolException
    from langgraph.prebuilt.tool_node import ToolCallRequest
    from langgraph.runtime import Runtime
    from langgraph.types import Command

    from pegboard.frameworks._from_langchain import from_langchain
except ImportError as error:
    raise MissingFrameworkError("langchain", error) from error

__all__ = ["BoardMiddleware", "BoardTool", "from_langchain", "tools"]

Answer = ToolMessage | Command[Any]


class BoardTool(BaseTool):
    """One tool of a board; made by `tools`.

    Called as an agent calls it, it gives a `ToolMessage`, of the status `error` where the call
    failed. Called with plain arguments, it gives the content, or the text of the failure.
    """

    board: Any
    handle_tool_error: Any = True

    def _to_args_and_kwargs(
        self, tool_input: Any, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as one value: a tool's own names never meet those of LangChain."""
        return (tool_input, tool_call_id), {}

    def _run(self, given: JSON, call_id: str | None, /) -> Any:
        outcome = make_call_in_thread(self.board, self.name, given, call_id=call_id, deps=None)
        return _returned(outcome, call_id)

    async def _arun(self, given: JSON, call_id: str | None, /) -> Any:
        outcome = await make_call(self.board, self.name, given, call_id=call_id, deps=None)
        return _returned(outcome, call_id)


def tools(board: AnyBoard) -> list[BaseTool]:
    """The tools that are visible on a board now; none where it is closed.

    The list stays as it is: a tool that leaves the board answers with an error, a new one isn't
    in it. An agent with a `BoardMiddleware` follows the board.

    Args:
        board: a board, for `ainvoke`; or one of `pegboard.blocking`, for `invoke` too.

    Raises:
        WrongArgumentError: it is no board.
    """
    check_board(board)
    shown = board.definitions() if is_open(board) else ()
    return [
        BoardTool(
            name=each.name,
            description=each.description,
            args_schema={"properties": {}, **each.parameters},  # which LangChain expects
            board=board,
        )
        for each in shown
    ]


class BoardMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Has an agent of `create_agent` follow a board.

    At each step the model is offered the tools that are visible then, beside those that the agent
    has itself, which hide others of their names. Calls that no tool of the agent is registered for
    go to the board, so that a tool that went away gives a `ToolMessage` of the status `error`.
    Calls of one message that may not overlap don't. A call that concludes ends the agent's turn.
    """

    def __init__(
        self,
        board: AnyBoard,
        *,
        deps: Callable[[ToolCallRequest], object] | None = None,
    ) -> None:
        """A middleware over a board.

        Args:
            board: whose tools; one of `pegboard.blocking` for agents that are run by `invoke`.
            deps: gives the `deps` of a call, such as `lambda request: request.runtime.context`;
                None for the board's own.

        Raises:
            WrongArgumentError: it is no board.
        """
        check_board(board)
        super().__init__()
        self._board = board
        self._deps = deps
        self._turns: WeakValueDictionary[str, Turn] = WeakValueDictionary()
        self._lock = threading.Lock()

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Offer the tools that are visible now."""
        return handler(self._offering(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Offer the tools that are visible now."""
        return await handler(self._offering(request))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        """Make a call of the board."""
        if not self._answers(request):
            return handler(request)
        call, deps = request.tool_call, self._deps and self._deps(request)
        with self._turn(request).place_in_thread(self._overlap(request)):
            outcome = make_call_in_thread(
                self._board, call["name"], call["args"], call_id=call["id"], deps=deps
            )
        return _message(outcome, call["id"])

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        """Make a call of the board."""
        if not self._answers(request):
            return await handler(request)
        call, deps = request.tool_call, self._deps and self._deps(request)
        async with self._turn(request).place(self._overlap(request)):
            outcome = await make_call(
                self._board, call["name"], call["args"], call_id=call["id"], deps=deps
            )
        return _message(outcome, call["id"])

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """End the turn after a call that concludes."""
        del runtime
        return {"jump_to": "end"} if _concludes(state["messages"]) else None

    @hook_config(can_jump_to=["end"])
    async def abefore_model(
        self, state: AgentState[Any], runtime: Runtime[Any]
    ) -> dict[str, Any] | None:
        """End the turn after a call that concludes."""
        return self.before_model(state, runtime)

    def _offering(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        own = [each for each in request.tools if not self._is_ours(each)]
        taken = {each.get("name") if isinstance(each, dict) else each.name for each in own}
        ours = [each for each in tools(self._board) if each.name not in taken]
        return request.override(tools=[*own, *ours])

    def _is_ours(self, tool: object) -> bool:
        return isinstance(tool, BoardTool) and bool(tool.board == self._board)

    def _answers(self, request: ToolCallRequest) -> bool:
        return request.tool is None or self._is_ours(request.tool)

    def _turn(self, request: ToolCallRequest) -> Turn:
        """The turn of the message that a call is in; it is kept while a call is under way."""
        key = _message_of(request)
        with self._lock:
            return self._turns.setdefault(key, Turn()) if key else Turn()

    def _overlap(self, request: ToolCallRequest) -> Overlap:
        call = request.tool_call
        return overlap(self._board.tools.get(call["name"]), call["args"])


def _message_of(request: ToolCallRequest) -> str:
    """The id of the message that a call is in, or nothing."""
    messages = request.state.get("messages", ()) if isinstance(request.state, Mapping) else ()
    for each in reversed(messages):
        if isinstance(each, AIMessage):
            return each.id or ""
    return ""


def _returned(outcome: Outcome, call_id: str | None) -> ToolMessage | str | list[Any]:
    """What a tool gives that was called as an agent does it, or with plain arguments.

    Raises:
        ToolException: it failed, and was called with plain arguments.
    """
    if call_id is not None:
        return _message(outcome, call_id)
    if isinstance(outcome, Failure):
        raise ToolException(outcome.message)
    return _content(outcome)


def _message(outcome: Outcome, call_id: str | None) -> ToolMessage:
    failed = isinstance(outcome, Failure)
    return ToolMessage(
        content=_content(outcome),
        tool_call_id=call_id or outcome.call_id,
        name=outcome.tool,
        status="error" if failed else "success",
        artifact=_artifact(outcome),
        additional_kwargs={_CONCLUDES: True} if outcome.concludes else {},
    )


_CONCLUDES = "pegboard_concludes"


def _artifact(outcome: Outcome) -> JSON:
    if isinstance(outcome, Failure):
        return {"code": str(outcome.code), "details": outcome.details}
    return outcome.value


def _content(outcome: Outcome) -> str | list[str | dict[Any, Any]]:
    blocks = blocks_of(outcome)
    text = only_text(blocks)
    return [part for each in blocks for part in _parts(each)] if text is None else text


def _parts(block: Content) -> list[str | dict[Any, Any]]:
    """A block as LangChain's standard content blocks; bytes that no model takes are in words."""
    match block:
        case Image(mime_type=kind, data=data) if has_bytes(block):
            return [{"type": "image", "base64": data, "mime_type": kind}]
        case Audio(mime_type=kind, data=data):
            return [{"type": "audio", "base64": data, "mime_type": kind}]
        case Resource(mime_type=kind, data=data) if has_bytes(block):
            file = {"type": "file", "base64": data, "mime_type": kind}
            return [{"type": "text", "text": label(block)}, file]
        case _:
            return [{"type": "text", "text": in_words(block)}]


def _concludes(messages: Sequence[object]) -> bool:
    """Whether a result that follows the last message of the model concludes."""
    for each in reversed(messages):
        if not isinstance(each, ToolMessage):
            return False
        if each.additional_kwargs.get(_CONCLUDES):
            return True
    return False
