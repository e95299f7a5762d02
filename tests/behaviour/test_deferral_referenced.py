"""A provider that is sent every tool at once reads what was found as references to them."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pegboard.blocking
import pytest
from pegboard import Accept, Board, Deferral, Host, Text, Tool, ToolCall, formats
from pegboard.formats import anthropic
from pegboard_finding import RARE, SCARCE, USUAL, Finding, finding
from pegboard_programs import Inside, Runtime

FOUND = ToolCall("1", "finder", {"names": ["scarce", "rare"]})


def finder(show: Callable[[list[str]], Any]) -> Tool:
    """A tool that finds the tools that it is told to."""

    def run(arguments: Any, context: object) -> dict[str, Any]:
        show(arguments["names"])
        return {"found": arguments["names"]}

    schema = {"type": "object", "properties": {"names": {}}, "required": ["names"]}
    return Tool(name="finder", description="Find.", parameters=schema, run=run)


@asynccontextmanager
async def referring(
    *tools: Tool,
    names: Callable[[Any], Iterable[str]] | None = lambda value: value["found"],
    **options: Any,
) -> AsyncIterator[tuple[Host, Board, Deferral]]:
    """The same as `finding`, with a finder whose values say what it has found."""
    kept: list[Deferral] = []
    tool = finder(lambda found: kept[0].show(set(found) & {"rare", "scarce"}))
    async with finding(*tools, finder=tool, names=names, **options) as (host, board, deferral):
        kept.append(deferral)
        yield host, board, deferral


def content(messages: list[dict[str, Any]]) -> Any:
    """What the first result of a message holds."""
    return messages[0]["content"][0]["content"]


def references(*names: str) -> list[dict[str, str]]:
    """References to tools."""
    return [{"type": "tool_reference", "tool_name": each} for each in names]


def in_words(answered: Any) -> bool:
    """Whether a result is told as text."""
    return [each["type"] for each in answered] == ["text"]


async def test_what_a_finder_has_found_is_referred_to_where_a_board_is_given() -> None:
    async with referring(USUAL, RARE, SCARCE) as (_, board, _deferral):
        outcomes = await board.run([FOUND])

        assert content(anthropic.results(outcomes, board=board)) == references("scarce", "rare")
        assert in_words(content(anthropic.results(outcomes)))


@pytest.mark.parametrize("strict", [False, True])
async def test_what_is_found_changes_nothing_of_the_definitions_that_are_referred_to(
    strict: bool,
) -> None:
    async with referring(RARE, USUAL, SCARCE) as (_, board, deferral):
        before = anthropic.definitions(board, strict=strict, referenced=True)
        for each in ("scarce", "rare"):
            deferral.show([each])

            assert anthropic.definitions(board, strict=strict, referenced=True) == before
    marks = {each["name"]: each.get("defer_loading", False) for each in before}
    assert marks == {"usual": False, "finder": False, "rare": True, "scarce": True}


async def test_every_tool_that_is_referred_to_is_among_the_marked_definitions() -> None:
    odd = attrs.evolve(RARE, name="odd", parameters={"type": "object", "not": {}})
    both = [odd, RARE, SCARCE]
    names = [each.name for each in both]
    async with referring(*both, names=lambda value: names) as (_, board, _deferral):
        sent = anthropic.definitions(board, referenced=True)
        outcomes = await board.run([FOUND])
        answered = content(anthropic.results(outcomes, board=board))

    marked = [each["name"] for each in sent if each.get("defer_loading")]
    assert answered == references(*marked)
    assert "rare" in marked


@pytest.mark.parametrize("denied", ["rare", "*"])
async def test_what_is_gone_or_hidden_is_not_referred_to(denied: str) -> None:
    async with referring(RARE, SCARCE) as (host, board, _):
        outcomes = await board.run([FOUND])
        with host.restrict(deny=[denied]):
            hidden = content(anthropic.results(outcomes, board=board))
        back = content(anthropic.results(outcomes, board=board))

    assert hidden == references("scarce") if denied == "rare" else in_words(hidden)
    assert back == references("scarce", "rare")


NAMING: dict[str, Any] = {
    "nobody says": None,
    "a fault": lambda value: value["not there"],
    "none": lambda value: [],
    "others": lambda value: ["usual", "gone", "finder", 7, None],
    "no names": lambda value: [["rare"]],
    "no list": lambda value: 7,
}


@pytest.mark.parametrize("kind", NAMING)
async def test_what_names_no_tool_that_is_to_be_found_is_told_in_words(kind: str) -> None:
    async with referring(USUAL, RARE, SCARCE, names=NAMING[kind]) as (_, board, _deferral):
        outcomes = await board.run([FOUND])

        assert board.found_by(outcomes[0]) == ()
        assert in_words(content(anthropic.results(outcomes, board=board)))


async def test_outcomes_of_other_tools_failures_and_other_boards_refer_to_nothing() -> None:
    async with referring(USUAL, RARE, SCARCE) as (host, board, _):
        calls = [ToolCall("1", "usual"), ToolCall("2", "finder", {}), ToolCall("3", "nothing")]
        outcomes = await board.run(calls)
        found = await board.run([FOUND])
        await host.unload("finding")
        bare = await host.board("bare")

        assert [board.found_by(each) for each in outcomes] == [(), (), ()]
        assert [each.found_by(found[0]) for each in (board, bare)] == [(), ()]


@pytest.mark.parametrize(
    "put",
    [{"content": [Text("Nothing for you.")]}, {"value": {"found": ["rare"]}}],
    ids=["content", "value"],
)
async def test_what_a_policy_has_put_in_the_place_of_a_result_counts(put: Any) -> None:
    async with referring(RARE, SCARCE) as (_, board, _deferral):
        with board.hook(after_call=lambda execution, outcome: Accept(**put)):
            outcomes = await board.run([FOUND])
        answered = content(anthropic.results(outcomes, board=board))

    replaced = [{"type": "text", "text": "Nothing for you."}]
    assert answered == (replaced if "content" in put else references("rare"))


async def test_without_who_finds_them_nothing_is_findable() -> None:
    async with referring(USUAL, RARE) as (host, board, deferral):
        deferral.show(["rare"])
        before = [each.name for each in board.findable], board.deferred
        await host.unload("finding")

        assert before == (["rare"], ())
        assert board.findable == ()


@pytest.mark.parametrize("options", [{"deferred": True}, {"referenced": True}], ids=str)
async def test_what_only_programs_call_is_shown_to_no_provider(options: Any) -> None:
    async def program(inside: Inside) -> None:
        """Do nothing."""

    async with referring(RARE) as (host, _, _deferral):
        await host.load(Runtime(program), name="runtime")
        board = await host.board("coded", presentation="code")
        both = await host.board("both", presentation="both")
        seen = [{d["name"] for d in anthropic.definitions(b, **options)} for b in (board, both)]
        responses = formats.openai_responses.definitions(board, deferred=True)

        assert seen == [{"run_code"}, {"run_code", "finder", "rare"}]
        assert [each["name"] for each in responses] == ["run_code"]
        assert (board.findable, [each.name for each in board.deferred]) == ((), ["rare"])


def test_a_board_without_async_refers_to_what_was_found_too() -> None:
    plugin = Finding(
        finder(lambda found: plugin.deferrals["case"].show(set(found))),
        lambda value: value["found"],
    )
    with pegboard.blocking.Host(discover=False) as host:
        host.load(plugin, name="finding")
        for each in (RARE, SCARCE):
            host.register(each)
        board = host.board("case")
        outcomes = board.run([FOUND])
        answered = content(anthropic.results(outcomes, board=board))

        assert answered == references("scarce", "rare")
        assert {each.name for each in board.findable} == {"rare", "scarce"}
