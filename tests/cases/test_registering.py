"""The cases of section Registering."""

import math
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from pegboard import (
    JSON,
    Code,
    CollisionError,
    Config,
    Execution,
    Failure,
    Host,
    InvalidToolError,
    Output,
    PluginConfig,
    PluginLoadError,
    Tool,
    hookimpl,
    tool,
)
from pegboard_cases import ANYTHING, Searching, board_with, call, named, raw, refusal, says

WEB_PREFIXED = Config(plugins={"web": PluginConfig(prefix="web_")})
WEB_RENAMED = Config(plugins={"web": PluginConfig(rename={"search": "web_search"})})


@attrs.frozen
class Offering:
    """A plugin that offers tools, refuses calls of `guarded`, and reserves `kept`."""

    tools: tuple[Tool, ...]

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tools."""
        return list(self.tools)

    @hookimpl
    def pegboard_guards(self) -> list[Callable[[Execution], str | None]]:
        """Give a guard."""
        return [lambda execution: "no" if execution.tool == "guarded" else None]

    @hookimpl
    def pegboard_reserved_names(self) -> dict[str, str]:
        """Give a name."""
        return {"kept": "it is kept"}


async def test_p_177_a_second_tool_of_a_name_is_refused_with_both_owners_and_a_way_out() -> None:
    async with Host(discover=False) as host:
        host.register(named("x"))

        with pytest.raises(CollisionError) as caught:
            host.register(named("x"))

    assert says(str(caught.value), "'x'", "already registered by the program", "another name")


async def test_p_177_plugins_that_collide_are_named_with_the_ways_out() -> None:
    async with Host(discover=False) as host:
        await host.load(Searching(), name="docs")

        with pytest.raises(PluginLoadError) as caught:
            await host.load(Searching(), name="web")

    owners = ["'search'", "'docs'", "'web'"]
    assert says(str(caught.value), *owners, "block", "prefix", "rename", "board")


async def test_p_178_a_second_tool_of_a_name_on_one_board_is_refused() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        board.register(named("x"))

        with pytest.raises(CollisionError, match="board 'a'"):
            board.register(named("x"))


async def test_p_178_two_boards_may_each_have_a_tool_of_one_name() -> None:
    async with Host(discover=False) as host:
        boards = [await host.board("a"), await host.board("b")]

        for board in boards:
            board.register(named("x"))

        assert [list(board.tools) for board in boards] == [["x"], ["x"]]


async def test_p_179_the_plugin_that_loses_a_collision_leaves_nothing() -> None:
    async with Host(discover=False) as host:
        host.register(named("x"))
        with pytest.raises(PluginLoadError):
            await host.load(Offering((named("y"), named("x"))), name="web")

        host.register(named("kept"))
        host.register(named("guarded"))
        outcome = await (await host.board("a")).call("guarded", {})

    assert host.plugins["web"].state == "failed"
    assert list(host.tools) == ["x", "kept", "guarded"]
    assert outcome.unwrap() == "guarded"


@pytest.mark.parametrize("config", [WEB_PREFIXED, WEB_RENAMED], ids=["prefix", "rename"])
async def test_p_180_a_prefix_or_a_new_name_resolves_a_collision(config: Config) -> None:
    async with Host(config, discover=False) as host:
        await host.load(Searching(), name="docs")
        await host.load(Searching(), name="web")
        board = await host.board("a")
        outcome = await board.call("web_search", {})

        assert list(board.tools) == ["search", "web_search"]
        assert (outcome.tool, outcome.unwrap()) == ("web_search", "search")
        assert says(str(board.explain("web_search")), "'web_search'", "'web'", "name is 'search'")


async def test_p_181_a_tool_of_one_board_is_nowhere_else() -> None:
    async with Host(discover=False) as host:
        one, other = await host.board("a"), await host.board("b")
        one.register(named("mine"))

        outcome = await other.call("mine", {})

        assert (list(one.tools), list(other.tools), list(host.tools)) == (["mine"], [], [])
        assert isinstance(outcome, Failure)
        assert outcome.code is Code.UNKNOWN_TOOL


def refused_tool(**options: Any) -> str:
    """The message with which making or registering a tool is refused."""
    host = Host(discover=False)
    given = {"name": "odd", "description": "Odd.", "parameters": ANYTHING, "run": print, **options}
    with pytest.raises(InvalidToolError) as caught:
        host.register(Tool(**given))
    assert list(host.tools) == []
    return str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"output": Output(render="paint")}, ["render", "called"]),  # type: ignore[arg-type]  # bad
        ({"run": None}, ["body"]),
        ({"parameters": {"type": "array"}}, ["root", "object"]),
        ({"parameters": {"anyOf": [{"type": "object"}]}}, ["root", "object"]),
        ({"parameters": {"$ref": "#/$defs/A", "$defs": {"A": ANYTHING}}}, ["root", "object"]),
        ({"parameters": True}, ["root", "object"]),
    ],
    ids=["renderer", "body", "array", "union", "reference", "boolean"],
)
def test_p_182_a_tool_that_can_not_be_called_is_refused_by_name(
    options: dict[str, Any], words: list[str]
) -> None:
    assert says(refused_tool(**options), "'odd'", *words)


CODE = {"minLength": 2, "pattern": "^[a-z]+$", "type": "string"}
PORT = {"type": "integer", "minimum": 1024}
DAY = {"type": "string", "format": "date"}
ENFORCED = {"type": "object", "properties": {"code": CODE, "port": PORT, "day": DAY}}


@pytest.mark.parametrize(
    ("sent", "place"),
    [
        ({"code": "a"}, "$.code"),
        ({"code": "A1"}, "$.code"),
        ({"port": 80}, "$.port"),
        ({"day": "2026-02-30"}, "$.day"),
    ],
    ids=["minLength", "pattern", "minimum", "format"],
)
async def test_p_183_constraints_of_a_raw_schema_are_enforced(sent: JSON, place: str) -> None:
    given = raw(lambda arguments, context: None, parameters=ENFORCED)

    assert says(await refusal(given, sent), place)


async def test_p_183_what_fulfils_the_constraints_is_accepted() -> None:
    given = raw(lambda arguments, context: None, parameters=ENFORCED)

    outcome = await call(given, {"code": "ab", "port": 8080, "day": "2026-02-28"})

    assert not outcome.is_error


@pytest.mark.parametrize("value", [{1, 2}, math.nan, (1,), b"x"], ids=["set", "nan", "tuple", ""])
async def test_p_184_a_schema_that_is_not_json_is_refused_beside_a_good_tool(value: Any) -> None:
    async with board_with(named("good")) as board:
        parameters = {"type": "object", "properties": {"x": {"enum": [value]}}}

        with pytest.raises(InvalidToolError, match="'bad'"):
            board.register(raw(print, name="bad", parameters=parameters))

        assert [each.name for each in board.definitions()] == ["good"]


def inexpressible(rate: complex) -> None:
    """Take what JSON lacks."""


def unresolved(rate: "Decimal") -> None:  # type: ignore[name-defined]  # noqa: F821 - it is missing
    """Take what isn't there."""


def bare(rate) -> None:  # type: ignore[no-untyped-def]  # the annotation that is missing
    """Take anything."""


def starred(*rate: int) -> None:
    """Take many."""


def function_inside(rate: dict[str, list[Callable[[], int]]]) -> None:
    """Take functions."""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (inexpressible, ["'inexpressible'", "complex"]),
        (unresolved, ["'unresolved'", "Decimal"]),
        (bare, ["'bare'", "annotation"]),
        (starred, ["'starred'", "*rate"]),
        (function_inside, ["'function_inside'", "Callable"]),
    ],
)
def test_p_185_what_can_not_be_expressed_is_refused_by_function_parameter_and_annotation(
    function: Callable[..., Any], words: list[str]
) -> None:
    with pytest.raises(InvalidToolError) as caught:
        tool(function)

    assert says(str(caught.value), "rate", *words)


@pytest.mark.parametrize("hidden", ["\x07", "\u202e", "\U000e0041", "\x1b"], ids=ascii)
@pytest.mark.parametrize("place", ["description", "title"])
def test_p_186_a_hidden_character_in_a_text_is_refused_with_its_place(
    hidden: str, place: str
) -> None:
    message = refused_tool(**{place: f"Harmless{hidden}."})

    assert says(message, "'odd'", place)
    assert hidden not in message


@pytest.mark.parametrize("hidden", ["\x07", "\u202e", "\U000e0041"], ids=ascii)
def test_p_186_a_hidden_character_in_a_schema_is_refused_with_its_place(hidden: str) -> None:
    part = {"type": "string", "description": f"Harmless{hidden}."}

    message = refused_tool(parameters={"type": "object", "properties": {"where": part}})

    assert says(message, "'odd'", "where", "description")
