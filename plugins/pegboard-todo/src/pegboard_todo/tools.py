"""The tools: each works on the list of the board that it is called on."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pegboard import Doc, Output, RunContext, ToolAnnotations, ToolError, tool

from pegboard_todo.items import Listing, Status, rendered, shown_result
from pegboard_todo.lists import BoardList

_MOST = 2**53
Number = Annotated[int, Ge(1), Le(_MOST)]
Position = Annotated[
    int | None, Ge(1), Le(_MOST), Doc("Where it stands; 1 is the top, and the end is the default.")
]

_READS = ToolAnnotations(read_only=True, destructive=False, idempotent=True, open_world=False)
_ADDS = ToolAnnotations(read_only=False, destructive=False, idempotent=False, open_world=False)
_SETS = ToolAnnotations(read_only=False, destructive=True, idempotent=True, open_world=False)
_OUTPUT = Output(render=rendered)


@tool(
    title="Look at the to-do list",
    concurrency_safe=True,
    annotations=_READS,
    output=_OUTPUT,
    present_result=shown_result,
)
def todo_list(context: RunContext) -> Listing:
    """Look at your to-do list: each item with its number, status and text."""
    state: BoardList = context.state
    return state.read(context.signal)


@tool(
    title="Add to the to-do list",
    concurrency_safe=False,
    annotations=_ADDS,
    output=_OUTPUT,
    present_result=shown_result,
)
def todo_add(
    context: RunContext,
    texts: Annotated[
        list[str], MinLen(1), MaxLen(100), Doc("What is to be done, one line an item.")
    ],
    position: Position = None,
) -> Listing:
    """Put open items on your to-do list, in the order in which they are to be done."""
    state: BoardList = context.state
    return state.add(texts, context.signal, position=position)


@tool(
    title="Change the to-do list",
    concurrency_safe=False,
    annotations=_SETS,
    output=_OUTPUT,
    present_result=shown_result,
)
def todo_update(
    context: RunContext,
    id: Annotated[Number, Doc("The number of the item.")],  # noqa: A002 - as the list says it
    status: Annotated[
        Status | None, Doc("doing when you begin with it, done as soon as it is finished.")
    ] = None,
    text: Annotated[str | None, Doc("What is to be done, in one line.")] = None,
    position: Annotated[int | None, Ge(1), Le(_MOST), Doc("Where it goes; 1 is the top.")] = None,
) -> Listing:
    """Set the status, text or position of one item of your to-do list."""
    if status is None and text is None and position is None:
        raise ToolError("say what changes: status, text or position", code="nothing_to_do")
    state: BoardList = context.state
    return state.update(id, context.signal, status=status, text=text, position=position)


@tool(
    title="Remove from the to-do list",
    concurrency_safe=False,
    annotations=_SETS,
    output=_OUTPUT,
    present_result=shown_result,
)
def todo_remove(
    context: RunContext,
    ids: Annotated[list[Number], MinLen(1), MaxLen(100), Doc("The numbers of the items.")],
) -> Listing:
    """Take items off your to-do list that need not be done any more."""
    state: BoardList = context.state
    return state.remove(ids, context.signal)


@tool(
    title="Clear the to-do list",
    concurrency_safe=False,
    annotations=_SETS,
    output=_OUTPUT,
    present_result=shown_result,
)
def todo_clear(
    context: RunContext,
    what: Annotated[Literal["done", "all"], Doc("What is done, or everything.")] = "done",
) -> Listing:
    """Take everything off your to-do list that is done, or all of it."""
    state: BoardList = context.state
    return state.clear(what, context.signal)
