"""The cases of section Boards."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard import (
    BoardConfig,
    BoardError,
    Config,
    Execution,
    Failure,
    Host,
    PluginContext,
    RunContext,
    Success,
    UnknownNameError,
    hookimpl,
    tool,
)
from pegboard.testing import RecordingPlugin
from pegboard_cases import says
from pegboard_offers import Offering, code_of, named, offer, register


async def test_p_218_asking_for_a_board_again_gives_the_same() -> None:
    async with Host(discover=False) as host:
        assert await host.board("a") is await host.board("a")


async def test_p_219_an_unknown_parent_is_refused_with_its_name() -> None:
    async with Host(discover=False) as host:
        await host.board("lead")

        with pytest.raises(UnknownNameError, match=r"'leed'.*'lead'"):
            await host.board("a", parent="leed")


async def test_p_219_a_board_cannot_be_its_own_parent() -> None:
    boards = {"a": BoardConfig(parent="a")}
    async with Host(Config(boards=boards), discover=False) as host:
        with pytest.raises(BoardError, match="'a' can't be its own parent"):
            await host.board("a")
    async with Host(discover=False) as host:
        board = await host.board("a")
        with pytest.raises(BoardError, match="'a'"):
            await host.board("a", parent=board)


async def test_p_219_a_board_that_exists_gets_no_other_parent() -> None:
    async with Host(discover=False) as host:
        parent = await host.board("p")
        await host.board("q")
        await host.board("c", parent=parent)

        with pytest.raises(BoardError, match="'c' exists, and its parent is another"):
            await host.board("c", parent="q")


async def test_p_219_a_closed_board_cannot_be_a_parent() -> None:
    async with Host(discover=False) as host:
        parent = await host.board("p")
        await parent.close()
        await host.board("p")

        with pytest.raises(BoardError, match="'p' can't be used here: it is closed"):
            await host.board("c", parent=parent)


async def test_p_219_a_parent_that_closes_while_its_child_is_made_gets_no_child() -> None:
    go_on = asyncio.Event()

    class Slow:
        @hookimpl
        @contextlib.asynccontextmanager
        async def pegboard_board(self, board: Any) -> Any:
            if board.name == "c":
                await go_on.wait()
            yield

    async with Host(discover=False) as host:
        await host.load(Slow())
        parent = await host.board("p")
        child = asyncio.create_task(awaited(host.board("c", parent=parent)))
        await asyncio.sleep(0.05)
        go_on.set()

        await parent.close()

        with pytest.raises(BoardError, match="'p' was closed meanwhile"):
            await child
        assert not host.boards


async def test_p_220_a_board_with_children_does_not_close_and_names_them() -> None:
    async with Host(discover=False) as host:
        parent = await host.board("p")
        children = [await host.board(name, parent=parent) for name in ("c1", "c2")]

        with pytest.raises(BoardError, match="'c1', 'c2'"):
            await parent.close()
        for each in [*children, parent]:
            await each.close()

        assert not host.boards


async def test_p_220_the_host_closes_boards_and_their_children_together() -> None:
    async with Host(discover=False) as host:
        parent = await host.board("p")
        await host.board("grandchild", parent=await host.board("child", parent=parent))

    assert not host.boards


async def test_p_221_closing_a_board_takes_everything_back_in_reverse_order() -> None:
    log: list[str] = []
    async with Host(discover=False) as host:
        await host.load(LoggingPlugin("first", log), name="first")
        await host.load(LoggingPlugin("second", log), name="second")
        board = await host.board("a", deny=["x*"])
        register(board, "own")
        board.guard(lambda execution: "no")

        await board.close()
        await board.close()
        again = await host.board("a")

        assert log[:4] == ["in first", "in second", "out second", "out first"]
        assert (list(again.tools), await code_of(again, "own")) == ([], "unknown_tool")


async def test_p_221_registering_through_a_closed_board_is_an_error() -> None:
    async with Host(discover=False) as host:
        keeper = KeepingPlugin()
        await host.load(keeper)
        board = await host.board("a")
        await board.close()

        for closed in (board, keeper.boards[0]):
            with pytest.raises(BoardError, match="'a' is closed"):
                closed.register(named("late"))
        with pytest.raises(BoardError, match="'a' is closed"):
            board.restrict(deny=["x*"])


async def test_p_222_a_plugin_has_a_tool_on_each_board_and_leaves_each_once() -> None:
    plugin = Offering(per_board=("todo_add",))
    async with Host(discover=False) as host:
        await host.load(plugin, name="todo")
        boards = [await host.board("a"), await host.board("b")]
        before = [list(board.tools) for board in boards]

        await host.unload("todo")

        assert before == [["todo_add"], ["todo_add"]]
        assert [list(board.tools) for board in boards] == [[], []]
    assert sorted(plugin.left) == ["a", "b"]


async def test_p_223_one_context_that_raises_does_not_keep_the_others_entered() -> None:
    log: list[str] = []
    async with Host(discover=False) as host:
        for name in ("first", "broken", "last"):
            await host.load(LoggingPlugin(name, log), name=name)
        board = await host.board("a")

        report = await board.close()

        assert {"out first", "out last"} <= set(log)
        assert says("".join(report.errors), "broken", "kept open")


async def test_p_224_calls_drain_or_are_cancelled_when_their_board_closes() -> None:
    @tool
    async def sleep(seconds: float) -> str:
        """Sleep."""
        await asyncio.sleep(seconds)
        return "done"

    watching = RecordingPlugin()
    async with Host(discover=False) as host:
        host.register(sleep)
        await host.load(watching)
        board = await host.board("a")
        calls = [board.call("sleep", {"seconds": each}) for each in (0.05, 60)]
        running = [asyncio.create_task(each) for each in calls]
        await asyncio.sleep(0.01)

        await board.close(grace=0.2)
        outcomes = [await each for each in running]

    assert [type(each) for each in outcomes] == [Success, Failure]
    assert len(watching.finished) == 2


async def test_p_381_boards_without_a_name_are_fresh_and_closed_when_left() -> None:
    async with Host(discover=False) as host:
        taken = await host.board("board-2")
        async with host.board() as one, host.board() as other:
            names = {one.name, other.name, taken.name}

        assert len(names) == 3
        assert list(host.boards) == ["board-2"]
        assert host.boards["board-2"] is taken


async def test_p_382_a_board_stays_until_the_last_of_two_tasks_has_left_it() -> None:
    async with Host(discover=False) as host:
        first, second = asyncio.Event(), asyncio.Event()

        async def use(leave: asyncio.Event) -> None:
            async with host.board("a"):
                await leave.wait()

        tasks = [asyncio.create_task(use(each)) for each in (first, second)]
        await asyncio.sleep(0)
        first.set()
        await tasks[0]
        stays = "a" in host.boards
        second.set()
        await tasks[1]

        assert (stays, "a" in host.boards) == (True, False)


async def test_p_383_an_unknown_board_is_an_error_with_the_near_names(tmp_path: Path) -> None:
    (tmp_path / "pegboard.toml").write_text('boards = "configured"\n')
    config = Config(boards={"researcher": BoardConfig()}, unknown_boards="refuse")
    async with Host(config, discover=False) as host:
        with pytest.raises(UnknownNameError, match=r"'reseacher'.*'researcher'"):
            await host.board("reseacher")
    async with Host(tmp_path / "pegboard.toml", discover=False) as host:
        with pytest.raises(UnknownNameError, match="'reseacher'"):
            await host.board("reseacher")


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
async def test_p_384_the_order_of_loading_shows_in_no_listing(order: tuple[str, str]) -> None:
    """A reload in one step belongs to the issue of reloading."""
    async with Host(discover=False) as host:
        board = await host.board("x")
        offers = {"a": offer("z", "y"), "b": offer("c", "B")}
        for name in order:
            await host.load(offers[name], name=name)
        before = board.encoded_definitions("openai")
        await host.unload("b")
        await host.load(offers["b"], name="b")

        assert list(board.tools) == ["z", "y", "c", "B"]
        assert board.encoded_definitions("openai") == before


async def test_p_385_deps_and_labels_of_a_call_win_over_those_of_the_board() -> None:
    @tool
    async def deps(context: RunContext) -> str:
        """Give what the program gave."""
        return str(context.deps)

    watching, labels = RecordingPlugin(), {"team": "red", "run": 1}
    async with Host(discover=False) as host:
        host.register(deps)
        await host.load(watching)
        board = await host.board("a", deps="the board's", labels=labels)
        labels["team"] = "changed later"

        values = [
            (await board.call("deps")).unwrap(),
            (await board.call("deps", deps="the call's", labels={"run": 2})).unwrap(),
        ]

    assert values == ["the board's", "the call's"]
    seen: list[Execution] = [each[0] for each in watching.finished]
    assert [dict(each.labels) for each in seen] == [
        {"team": "red", "run": 1},
        {"team": "red", "run": 2},
    ]


async def test_p_386_a_tool_sees_the_state_of_its_board_and_its_plugins_resource() -> None:
    @tool
    async def look(context: RunContext) -> list[str]:
        """Give both."""
        return [context.state, context.plugin.resource]

    class Holding(Offering):
        @hookimpl
        @contextlib.contextmanager
        def pegboard_lifespan(self, plugin: PluginContext) -> Iterator[str]:
            yield "the resource"

    async with Host(discover=False) as host:
        await host.load(Holding((look,)), name="holding")
        boards = [await host.board("a"), await host.board("b")]

        values = [(await board.call("look")).unwrap() for board in boards]

    assert values == [["a", "the resource"], ["b", "the resource"]]


async def awaited(asked: Any) -> Any:
    """What an awaitable gives."""
    return await asked


class LoggingPlugin:
    """A plugin that logs when its board contexts are entered and left; `broken` raises then."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.log = log

    @hookimpl
    @contextlib.contextmanager
    def pegboard_board(self) -> Iterator[None]:
        """Log both."""
        self.log.append(f"in {self.name}")
        yield
        if self.name == "broken":
            raise OSError("kept open")
        self.log.append(f"out {self.name}")


class KeepingPlugin:
    """A plugin that keeps the boards that it was given."""

    def __init__(self) -> None:
        self.boards: list[Any] = []

    @hookimpl
    def pegboard_board(self, board: Any) -> None:
        """Keep it."""
        self.boards.append(board)
