"""The cases of section Registering: what stands, and how it goes again."""

from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from pegboard import (
    JSON,
    Code,
    CollisionError,
    Execution,
    Failure,
    Host,
    RunContext,
    Success,
    Tool,
    formats,
    tool,
    toolbox,
)
from pegboard_cases import Searching, board_with, call, giving, named, raw, says

SHAPES = [formats.anthropic, formats.openai, formats.openai_responses, formats.gemini, formats.mcp]


async def test_p_187_an_observer_that_raises_is_logged_and_registering_and_closing_stand(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The hook that is told of changed tools doesn't exist yet; observers of calls do."""

    def observe(execution: Execution) -> None:
        raise RuntimeError("no ink")

    async with board_with() as board:
        board.hook(call_finished=observe)
        registration = board.register(named("x"))
        outcomes = [await board.call("x", {})]
        registration.close()
        outcomes.append(await board.call("x", {}))

    assert [each.is_error for each in outcomes] == [False, True]
    assert caplog.text.count("RuntimeError: no ink") == 2


@pytest.mark.parametrize("error", [None, RuntimeError("out")], ids=["left", "raised"])
async def test_p_188_a_tool_is_gone_when_its_with_block_is_left(error: Exception | None) -> None:
    async with board_with() as board:
        with suppress(RuntimeError), board.register(named("x")):
            inside = list(board.tools)
            if error is not None:
                raise error

        assert (inside, list(board.tools)) == (["x"], [])


async def test_p_189_closing_a_registration_twice_is_harmless() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        registration = board.register(named("x"))
        await board.close()

        registration.close()
        registration.close()

        assert not registration.is_open


async def test_p_189_closing_twice_does_not_touch_a_later_tool_of_the_name() -> None:
    async with board_with() as board:
        first = board.register(named("x"))
        first.close()
        board.register(named("x"))

        first.close()

        assert list(board.tools) == ["x"]


def diving(levels: int) -> tuple[Tool, list[Any]]:
    """A tool that calls itself so often, each call inside the one before, and its outcomes."""
    outcomes: list[Any] = []

    async def dive(arguments: JSON, context: RunContext) -> JSON:
        left = arguments["left"]
        if left:
            outcomes.append(await context.call("dive", {"left": left - 1}))
        return left

    parameters = {"type": "object", "properties": {"left": {"type": "integer"}}}
    return raw(dive, name="dive", parameters=parameters), outcomes


async def test_p_190_a_tool_may_call_itself_fifty_levels_deep() -> None:
    dive, outcomes = diving(50)

    outcome = await call(dive, {"left": 50})

    assert outcome.unwrap() == 50
    assert [each.unwrap() for each in outcomes] == [*range(50)]


async def test_p_190_a_sync_tool_deep_inside_is_reached_too() -> None:
    async def outer(arguments: JSON, context: RunContext) -> JSON:
        name = "outer" if arguments["left"] else "leaf"
        return (await context.call(name, {"left": arguments["left"] - 1})).unwrap()

    async with board_with(raw(outer, name="outer", extra="keep"), named("leaf")) as board:
        outcome = await board.call("outer", {"left": 50})

    assert outcome.unwrap() == "leaf"


async def test_p_191_tools_are_listed_in_order_of_registration_and_global_ones_first() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        for name in ("own_z", "own_a"):
            board.register(named(name))
        for name in ("zeta", "alpha", "mid"):
            host.register(named(name))

        assert list(board.tools) == ["zeta", "alpha", "mid", "own_z", "own_a"]
        assert [each.name for each in board.definitions()] == list(board.tools)


class Drawer:
    """An object with methods."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def put(self, thing: str) -> int:
        """Put a thing in."""
        self.kept.append(thing)
        return len(self.kept)

    def count(self) -> int:
        """Count the things."""
        return len(self.kept)

    def clear(self) -> None:
        """Throw everything out."""
        self.kept.clear()

    def _secret(self) -> str:
        return "hidden"


async def test_p_192_a_toolbox_has_the_public_methods_in_order_and_no_self() -> None:
    async with board_with(*toolbox(Drawer(), prefix="drawer_")) as board:
        definitions = {each.name: each.parameters for each in board.definitions()}

    assert list(definitions) == ["drawer_put", "drawer_count", "drawer_clear"]
    assert list(definitions["drawer_put"]["properties"]) == ["thing"]


async def test_p_192_a_toolbox_takes_what_it_is_told_to_include_in_the_order_of_the_class() -> None:
    async with board_with(*toolbox(Drawer(), include={"count", "put"})) as board:
        assert list(board.tools) == ["put", "count"]


async def test_p_192_the_tools_of_a_toolbox_share_the_object() -> None:
    drawer = Drawer()
    async with board_with(*toolbox(drawer)) as board:
        await board.call("put", {"thing": "key"})

        outcome = await board.call("count", {})

    assert (outcome.unwrap(), drawer.kept) == (1, ["key"])


async def test_p_193_one_tool_may_stand_on_two_hosts_and_leave_one_of_them() -> None:
    shared = named("x")
    async with Host(discover=False) as one, Host(discover=False) as other:
        registration = one.register(shared)
        other.register(shared)
        boards = [await one.board("a"), await other.board("a")]
        before = [(await each.call("x", {})).unwrap() for each in boards]

        registration.close()

        assert before == ["x", "x"]
        assert [list(each.tools) for each in boards] == [[], ["x"]]
        assert (await boards[1].call("x", {})).unwrap() == "x"


async def test_p_193_closing_one_host_leaves_the_tool_on_the_other() -> None:
    shared = giving(1)
    async with board_with(shared) as board:
        await call(shared)

        assert (await board.call("raw", {})).unwrap() == 1


def forecast(token: str, city: str) -> str:
    """Tell the weather.

    Args:
        token: Who asks.
        city: Where.
    """
    return city


async def test_p_194_two_partials_of_one_function_with_names_of_their_own_are_two_tools() -> None:
    async with board_with(tool(partial(forecast, "T0P"))) as board:
        board.register(tool(partial(forecast, "0TH3R"), name="other"))

        assert list(board.tools) == ["forecast", "other"]


async def test_p_194_the_second_of_two_partials_without_names_of_their_own_is_refused() -> None:
    async with Host(discover=False) as host:
        host.register(tool(partial(forecast, "T0P")))

        with pytest.raises(CollisionError, match="'forecast'"):
            host.register(tool(partial(forecast, token="0TH3R")))


@pytest.mark.parametrize(
    "made", [partial(forecast, "T0P"), partial(forecast, token="T0P")], ids=["place", "name"]
)
async def test_p_194_what_a_partial_binds_is_in_no_schema_and_no_export(made: Any) -> None:
    async with board_with(tool(made)) as board:
        shown = [repr(shape.definitions(board)) for shape in SHAPES]
        shown += [repr(board.definitions()), repr(board.tools), repr(board.tools["forecast"])]

    assert not any("T0P" in each or "token" in each for each in shown)


async def test_p_195_a_tool_of_an_unloaded_plugin_is_unknown_though_somebody_holds_it() -> None:
    async with Host(discover=False) as host:
        await host.load(Searching(), name="web")
        board = await host.board("a")
        held = board.tools["search"]
        await host.unload("web")

        outcome = await board.call(held.name, {})

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.UNKNOWN_TOOL


async def test_p_375_a_decorated_function_is_still_that_function() -> None:
    @tool
    def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    @tool
    async def later(a: int) -> int:
        """Wait."""
        return a

    assert (add(1), add(1, b=2), await later(3)) == (2, 3, 3)
    with pytest.raises(TypeError):
        add()


async def test_p_376_the_call_65_levels_deep_is_invalid_and_names_the_limit() -> None:
    dive, outcomes = diving(65)

    outcome = await call(dive, {"left": 65})

    innermost = outcomes[0]
    assert isinstance(innermost, Failure)
    assert innermost.code is Code.INVALID_CALL
    assert says(innermost.message, "64")
    assert all(isinstance(each, Success) for each in [*outcomes[1:], outcome])
