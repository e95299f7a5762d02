"""The cases of section Restrictions: selections, what plugins put on boards, grants."""

import pytest
from pegboard import Host, Select
from pegboard_cases import says
from pegboard_offers import Offering, named, register


async def test_p_377_only_tools_that_say_they_only_read_are_admitted() -> None:
    async with Host(discover=False) as host:
        host.register(named("reads", read_only=True))
        host.register(named("writes", read_only=False))
        register(host, "says_nothing")

        board = await host.board("x", allow=[Select(read_only=True)])

        assert list(board.tools) == ["reads"]


async def test_p_377_a_tool_of_a_later_generation_is_judged_by_its_own_annotation() -> None:
    """The upgrade in one step belongs to the issue of reloading."""
    async with Host(discover=False) as host:
        board = await host.board("x", allow=[Select(read_only=True)])
        await host.load(Offering((named("one", read_only=True),)), name="web")
        await host.unload("web")

        tools = (named("one"), named("two", read_only=True))
        await host.load(Offering(tools), name="web")

        assert list(board.tools) == ["two"]


async def test_p_378_a_selection_takes_the_destructive_tools_of_one_plugin_only() -> None:
    async with Host(discover=False) as host:
        tools = (named("post", destructive=True), named("get", destructive=False), named("del"))
        await host.load(Offering(tools), name="web")
        await host.load(Offering((named("web_post", destructive=True),)), name="other")

        board = await host.board("x", deny=[Select(plugin="web", destructive=True)])

        assert list(board.tools) == ["web_post", "get"]


async def test_p_379_masks_reach_what_a_global_plugin_puts_on_the_board() -> None:
    async with Host(discover=False) as host:
        await host.load(Offering(per_board=("todo_add",)), name="todo")
        board = await host.board("x", deny=["todo_*"])

        assert list(board.tools) == []
        assert says(str(board.explain("todo_add")), "'todo_add' is denied by 'todo_*' of board 'x'")


async def test_p_379_masks_of_a_parent_reach_what_it_puts_on_the_child() -> None:
    async with Host(discover=False) as host:
        await host.load(Offering(per_board=("todo_add",)), name="todo")
        parent = await host.board("p")
        child = await host.board("c", parent=parent)

        with parent.restrict(deny=["todo_*"]):
            hidden = list(child.tools)
            why = str(child.explain("todo_add"))

        assert hidden == []
        assert says(why, "denied by 'todo_*' of board 'p'")
        assert list(child.tools) == ["todo_add"]


async def test_p_379_a_plugin_of_the_board_itself_puts_there_what_masks_do_not_reach() -> None:
    async with Host(discover=False) as host:
        board = await host.board("x", deny=["*"])
        child = await host.board("c", parent=board, deny=["todo_*"])

        await board.load(Offering(("own",), per_board=("todo_add",)), name="todo")

        assert (sorted(board.tools), list(child.tools)) == (["own", "todo_add"], ["own"])


async def test_p_380_a_grant_lifts_the_boards_own_mask_while_it_is_open() -> None:
    async with Host(discover=False) as host:
        register(host, "shell_run")
        board = await host.board("x", deny=["shell_*"])

        with board.grant("shell_run"):
            granted = list(board.tools)

        assert (granted, list(board.tools)) == (["shell_run"], [])


@pytest.mark.parametrize("side", ["parent", "host"])
async def test_p_380_a_grant_lifts_no_mask_of_a_parent_or_the_host(side: str) -> None:
    async with Host(discover=False) as host:
        register(host, "shell_run")
        parent = await host.board("p")
        board = await host.board("x", parent=parent)
        farther = host if side == "host" else parent

        with board.grant("shell_run"), farther.restrict(deny=["shell_run"]):
            granted = list(board.tools)

        assert (granted, list(board.tools)) == ([], ["shell_run"])
