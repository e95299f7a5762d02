"""The tool by which models search."""

from collections.abc import Iterator
from typing import Annotated, Any

import attrs
from annotated_types import Interval
from pegboard import Doc, GenericCard, RunContext, Tool, ToolAnnotations, ToolError, tool

from pegboard_search.finder import LONGEST, Finder, Hits
from pegboard_search.settings import MOST
from pegboard_search.words import words

_LONGEST_DESCRIPTION = 400
_LONGEST_TITLE = 120
_MOST_PARAMETERS = 40


@attrs.frozen
class FoundTool:
    """A tool that was found.

    Attributes:
        name: what to call it by.
        description: what it does, cut where it is long.
        required: the parameters that a call must give.
        optional: those that it may give.
    """

    name: str
    description: str
    required: list[str]
    optional: list[str]


@attrs.frozen
class Found:
    """What a search has found.

    Attributes:
        tools: the best first.
        notes: what to do where there is none, and what needn't be searched for.
    """

    tools: list[FoundTool]
    notes: list[str]


def _card(arguments: Any, outcome: Any = None) -> GenericCard | None:
    query = " ".join(str(arguments.get("query", "")).split())[:_LONGEST_TITLE]
    title = f"Find tools: {query}"
    if outcome is None:
        return GenericCard(title)
    value = None if outcome.is_error else outcome.value
    if not isinstance(value, dict) or not isinstance(value.get("tools"), list):
        return None
    lines = [_line(each) for each in value["tools"]] + list(map(str, value.get("notes") or []))
    return GenericCard(title, content="\n".join(lines))


def _line(found: Any) -> str:
    if not isinstance(found, dict):
        return str(found)
    return f"{found.get('name')}: {found.get('description')}".replace("\n", " ")


@tool(
    title="Find tools",
    concurrency_safe=True,
    annotations=ToolAnnotations(read_only=True, destructive=False, open_world=False),
    present_call=_card,
    present_result=_card,
)
async def tools_search(
    context: RunContext,
    query: Annotated[
        str, Doc("What the tool should do, in a few words; or its name, or how that begins.")
    ],
    limit: Annotated[
        int | None, Interval(ge=1, le=MOST), Doc("How many tools to find at most.")
    ] = None,
) -> Found:
    """Find tools by what they do, and get to use them.

    There are more tools than you are shown. Search before you say that something can't be done.
    What is found is among your tools from your next turn on, and needn't be searched for again.
    """
    finder: Finder = context.state
    asked = query[:LONGEST]
    if not words(asked):
        raise ToolError(
            "there is no word in query; say in a few words what the tool should do",
            code="no_words",
        )
    hits = await finder.show(asked, most=limit or finder.settings.limit)
    visible = finder.board.tools
    found = [_found(name, visible[name]) for name in hits.names]
    return Found(found, list(_notes(hits)))


def found_names(value: Any) -> list[str]:
    """The tools of which a value of the search tells, whatever version of it gave that."""
    return [each["name"] for each in value["tools"]]


def _found(name: str, found: Tool) -> FoundTool:
    schema: Any = found.parameters
    asked = [str(each) for each in schema.get("required", ())]
    offered = [each for each in schema.get("properties", {}) if each not in asked]
    return FoundTool(
        name, _short(found.description), asked[:_MOST_PARAMETERS], offered[:_MOST_PARAMETERS]
    )


def _short(text: str) -> str:
    """A description without what a model reads in the definition anyway."""
    first = text.strip().partition("\n\n")[0]
    return first if len(first) <= _LONGEST_DESCRIPTION else f"{first[:_LONGEST_DESCRIPTION]}…"


def _notes(hits: Hits) -> Iterator[str]:
    if hits.shown:
        yield f"among your tools already: {', '.join(map(repr, hits.shown))}"
    elif not hits.of:
        yield "nothing waits to be found: every tool is among your tools already"
    elif not hits.names:
        yield _way_out(hits.near)


def _way_out(near: list[str]) -> str:
    names = ", ".join(map(repr, near))
    nearest = f"the nearest names are {names}: search for one, or " if near else ""
    return (
        f"no tool was found; {nearest}search in other words, such as what is to be done and with "
        "what, or the service that does it"
    )
