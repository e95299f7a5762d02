"""What boards have shown is not kept once it is gone, not even by boards that nobody uses."""

import gc
import weakref

from pegboard import Host, hookimpl, tool


class Offering:
    """A plugin with one tool, whose function can be watched."""

    def __init__(self) -> None:
        def offered() -> None:
            """Do nothing."""

        self.tool = tool(offered)
        self.watched = weakref.ref(offered)

    @hookimpl
    def pegboard_tools(self) -> list[object]:
        """Give the tool."""
        return [self.tool]


async def test_boards_that_nobody_uses_any_more_keep_no_tool_of_an_unloaded_plugin() -> None:
    async with Host(discover=False) as host:
        plugin = Offering()
        await host.load(plugin, name="web")
        watched = plugin.watched
        boards = [await host.board("plain"), await host.board("masked", deny=["x*"])]
        boards.append(await host.board("child", parent=boards[1], allow=["offered"]))
        for board in boards:
            assert len(board.definitions()) == 1 + board.revision
            assert not (await board.call("offered")).is_error

        del plugin
        await host.unload("web")
        gc.collect()

        assert watched() is None


async def test_a_board_that_opened_and_closed_leaves_nothing() -> None:
    async with Host(discover=False) as host:
        parent = await host.board("p")
        async with host.board(parent=parent, deny=["x*"]) as board:
            scope = weakref.ref(board._scope)
            board.definitions()

        del board
        gc.collect()

        assert scope() is None
