"""A board as function tools of openai-agents, and an agent that follows it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pegboard import JSON, Outcome, ToolCall
from pegboard.errors import MissingFrameworkError
from pegboard.formats import openai_responses
from pegboard.formats._content import contexts_of
from pegboard.formats._openai import STRICT
from pegboard.formats._present import as_the_tool_takes_them
from pegboard.frameworks._boards import AnyBoard, check_board, is_open, make_call
from pegboard.frameworks._turns import Turn, overlap

try:
    from agents import (
        Agent,
        FunctionTool,
        RunContextWrapper,
        TContext,
        ToolOutputFileContent,
        ToolOutputImage,
        ToolOutputText,
    )
    from agents import Tool as ShownTool
    from agents.tool_context import ToolContext
except ImportError as error:
    raise MissingFrameworkError("openai-agents", error) from error

Deps = Callable[[ToolContext[Any]], object]
Part = ToolOutputText | ToolOutputImage | ToolOutputFileContent


def tools(board: AnyBoard, *, deps: Deps | None = None) -> list[ShownTool]:
    """The tools that are visible on a board now, in the shape of OpenAI's responses.

    None where it is closed. The list stays as it is: a tool that leaves the board answers with the
    text of an error, a new one isn't in it. A `BoardAgent` follows the board.

    Args:
        board: whose tools.
        deps: gives the `deps` of a call, such as `lambda context: context.context`; None for the
            board's own.

    Raises:
        WrongArgumentError: it is no board.
    """
    check_board(board)
    shown = openai_responses.definitions(board, strict=True) if is_open(board) else []
    return _function_tools(shown, board, deps, None)


@dataclass
class BoardAgent(Agent[TContext]):
    """An agent of openai-agents that has the tools of a board at each turn as the board is then.

    Its own tools hide others of their names. A call that fails, for whatever reason, gives its text
    to the model. Calls of one turn that may not overlap don't.

    Attributes:
        board: whose tools, beside the agent's own.
        deps: gives the `deps` of a call, such as `lambda context: context.context`; None for the
            board's own.
    """

    board: AnyBoard = field(kw_only=True)
    deps: Deps | None = field(default=None, kw_only=True)
    _shown: tuple[int, list[dict[str, JSON]]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[no-untyped-call]  # it has no annotations
        check_board(self.board)

    async def get_all_tools(self, run_context: RunContextWrapper[TContext]) -> list[ShownTool]:
        """The agent's own tools, and those that are visible on the board now."""
        own = await super().get_all_tools(run_context)
        if not is_open(self.board):
            return own
        revision = self.board.revision
        if self._shown is None or self._shown[0] != revision:
            shown = openai_responses.definitions(self.board, strict=True)
            self._shown = (revision, shown)
        ours = _function_tools(self._shown[1], self.board, self.deps, Turn())
        taken = {each.name for each in own}
        return [*own, *(each for each in ours if each.name not in taken)]


def _function_tools(
    shown: Iterable[dict[str, JSON]], board: AnyBoard, deps: Deps | None, turn: Turn | None
) -> list[ShownTool]:
    return [
        FunctionTool(
            name=each["name"],
            description=each.get("description", ""),
            params_json_schema=each["parameters"],
            on_invoke_tool=_invoking(each["name"], board, deps, turn),
            strict_json_schema=each["strict"],
        )
        for each in shown
    ]


def _invoking(name: str, board: AnyBoard, deps: Deps | None, turn: Turn | None) -> Any:
    async def invoke(context: ToolContext[Any], arguments: str) -> str | list[Part]:
        given = _taken_back(name, arguments, board)
        mine = True if turn is None else overlap(board.tools.get(name), given)
        async with (turn or Turn()).place(mine):
            theirs = None if deps is None else deps(context)
            call_id = context.tool_call_id
            return _output(await make_call(board, name, given, call_id=call_id, deps=theirs))

    return invoke


def _taken_back(name: str, arguments: str, board: AnyBoard) -> JSON:
    """The arguments without the nulls that strict mode has put for optional ones."""
    if "null" not in arguments:
        return arguments
    [call] = as_the_tool_takes_them([ToolCall("", name, arguments)], board, STRICT)
    return call.arguments


def _output(outcome: Outcome) -> str | list[Part]:
    said, further = openai_responses.results([outcome])[0]["output"], contexts_of([outcome])
    if isinstance(said, str):
        return "\n".join([said, *further])
    return [*map(_part, said), *(ToolOutputText(text=each) for each in further)]


def _part(item: dict[str, str]) -> Part:
    """A part of an output as openai-agents takes it."""
    match item:
        case {"type": "input_image", "image_url": url}:
            return ToolOutputImage(image_url=url)
        case {"type": "input_file", "file_data": data, "filename": name}:
            return ToolOutputFileContent(file_data=data, filename=name)
        case _:
            return ToolOutputText(text=item["text"])
