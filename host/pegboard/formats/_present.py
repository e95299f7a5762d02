"""A board's tools in one provider's shape."""

from collections.abc import Iterable, Iterator, Sequence

import attrs

from pegboard.formats._board import EVERY_TOOL, Board, Loss
from pegboard.formats._shape import Shape
from pegboard.formats._show import Shown, relaxed, show, show_as_given, taken_back
from pegboard.outcomes import ToolCall
from pegboard.tools.model import Tool, ToolDefinition

_HINTS = ("read_only", "destructive", "idempotent", "open_world")


@attrs.frozen
class Presented:
    """One tool as a provider is told of it."""

    definition: ToolDefinition
    tool: Tool | None
    shown: Shown

    def relaxed(self, shape: Shape, reason: str) -> "Presented":
        """The same tool without strict mode, and why."""
        return attrs.evolve(self, shown=relaxed(self.definition.parameters, shape, [reason]))


def presented(
    board: Board,
    shape: Shape | None = None,
    *,
    with_deferred: bool = False,
    keeps_marks: bool = False,
) -> list[Presented]:
    """Every tool that the board shows, those that can't be shown too.

    Args:
        board: whose tools.
        shape: what the provider reads of a schema; None where it takes any.
        with_deferred: also those that wait to be found.
        keeps_marks: those too, and those that were found as before, at the end with them.
    """
    told = board.definitions()
    if with_deferred or keeps_marks:
        told = _with_findable(told, board.findable, keeps_marks=keeps_marks)
    return [
        Presented(
            definition=each,
            tool=board.tools.get(each.name),
            shown=show(each.parameters, shape) if shape else show_as_given(each.parameters),
        )
        for each in told
    ]


def _with_findable(
    told: Sequence[ToolDefinition], findable: Sequence[ToolDefinition], *, keeps_marks: bool
) -> Sequence[ToolDefinition]:
    """The definitions that a model is told of, then those that it is to find."""
    both = {each.name for each in told} & {each.name for each in findable}
    if keeps_marks:
        return (*(each for each in told if each.name not in both), *findable)
    return (*told, *(each for each in findable if each.name not in both))


def losses_of(
    presented_tools: Sequence[Presented], *, says: frozenset[str], results: Sequence[str]
) -> tuple[Loss, ...]:
    """What isn't said of these tools.

    Args:
        presented_tools: the tools.
        says: what of a tool the provider can be told: `title`, `annotations`, `output schema`,
            `defer_loading` or `further fields`.
        results: what holds for the results of every tool.
    """
    found: list[Loss] = []
    for each in presented_tools:
        name = each.definition.name
        found += [Loss(name, what) for what in each.shown.losses]
        found += [Loss(name, what) for key, what in _beside_the_schema(each) if key not in says]
    if presented_tools:
        found += [Loss(EVERY_TOOL, what) for what in results]
    return tuple(found)


def _beside_the_schema(presented_tool: Presented) -> Iterator[tuple[str, str]]:
    if presented_tool.definition.defer_loading:
        yield "defer_loading", "defer_loading"
    tool = presented_tool.tool
    if tool is None:
        return
    if tool.title is not None:
        yield "title", "title"
    if tool.annotations is not None:
        said = [hint for hint in _HINTS if getattr(tool.annotations, hint) is not None]
        yield from [("annotations", "annotations: " + ", ".join(said))] if said else []
    if tool.output.schema is not None:
        yield "output schema", "output schema"
    for field in tool.passthrough:
        yield "further fields", f"further field {field!a:.80}"


def as_the_tool_takes_them(
    calls: Iterable[ToolCall], board: Board | None, shape: Shape | None = None
) -> list[ToolCall]:
    """The calls with their arguments in the form of the board's own schemas."""
    if board is None or shape is None:
        return list(calls)
    known = (*board.definitions(), *board.findable)
    schemas = {each.name: each.parameters for each in known}
    return [
        attrs.evolve(call, arguments=taken_back(call.arguments, schemas[call.name], shape))
        if call.name in schemas
        else call
        for call in calls
    ]
