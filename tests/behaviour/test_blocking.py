"""A host without async does what the host does, and waits for it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import (
    BoardError,
    CollisionError,
    Config,
    HostClosedError,
    PluginLoadError,
    Progress,
    Select,
    Started,
    Success,
    ToolCall,
    UnknownNameError,
    formats,
    hookimpl,
    tool,
)
from pegboard.blocking import Board, Host
from pegboard_blocking import echo, shout, steps


class Greeter:
    """A plugin."""

    @hookimpl
    def pegboard_tools(self) -> list[object]:
        """Give one tool."""

        @tool
        async def greet(name: str) -> str:
            """Greet."""
            return f"hello {name}"

        return [greet]


async def more() -> str:
    """Give more."""
    return "more"


@pytest.fixture
def host() -> Iterator[Host]:
    """An open host with a few tools."""
    with Host(discover=False) as host:
        for each in (echo, shout, steps):
            host.register(each)
        yield host


@pytest.fixture
def board(host: Host) -> Board:
    """A board of it."""
    return host.board("b")


@pytest.mark.parametrize(("name", "value"), [("echo", "Pi"), ("shout", "PI")])
def test_a_call_gives_its_outcome(board: Board, name: str, value: str) -> None:
    outcome = board.call(ToolCall("call-1", name, {"value": "Pi"}))

    assert isinstance(outcome, Success)
    assert (outcome.call_id, outcome.unwrap()) == ("call-1", value)


def test_a_failed_call_is_an_outcome_and_no_exception(board: Board) -> None:
    outcome = board.call("ecco", {})

    assert outcome.is_error
    assert outcome.code == "unknown_tool"


def test_a_host_can_be_prepared_before_it_is_open() -> None:
    host = Host(discover=False)
    with host.register(echo) as registration, host:
        assert list(host.board("b").tools) == ["echo"]

    assert not registration.is_open
    assert list(host.tools) == []


def test_what_needs_an_open_host_says_so_before_and_after() -> None:
    host = Host(discover=False)

    with pytest.raises(HostClosedError, match=r"isn't open; use `with Host\(…\) as host`"):
        host.board("b")
    with host:
        board = host.board("b")
    for use in (host.open, lambda: host.load(Greeter()), lambda: board.call("echo")):
        with pytest.raises(HostClosedError, match="closed; make another one"):
            use()


def test_what_is_closed_can_be_closed_again_and_read(host: Host) -> None:
    board = host.board("b")
    registration = host.register(tool(more))

    assert host.close() == []
    assert (host.close(), board.close().unloaded, host.boards) == ([], (), {})
    registration.close()
    assert not registration.is_open
    assert repr(board) == "<board 'b' (closed)>"


def test_a_registration_is_taken_back_from_the_board_that_has_it(board: Board) -> None:
    own = board.register(tool(more))
    with board.restrict(deny=[Select(plugin="nobody"), "echo"]) as mask:
        assert list(board.tools) == ["shout", "steps", "more"]

    own.close()
    own.close()

    assert (own.is_open, mask.is_open) == (False, False)
    assert list(board.tools) == ["echo", "shout", "steps"]


def test_what_the_host_refuses_is_raised_where_it_was_asked_for(host: Host) -> None:
    with pytest.raises(CollisionError, match="'echo'") as caught:
        host.register(echo)

    shown = [each.name for each in caught.traceback]
    assert shown[0] == "test_what_the_host_refuses_is_raised_where_it_was_asked_for"
    assert "register" in shown


def test_a_plugin_is_loaded_and_unloaded(host: Host, board: Board) -> None:
    info = host.load(Greeter(), name="greeter")

    assert (info.state, info.tools) == ("loaded", ("greet",))
    assert board.call("greet", {"name": "Pi"}).unwrap() == "hello Pi"
    assert host.unload("greeter").leaked == ()
    assert "greet" not in board.tools
    with pytest.raises(UnknownNameError):
        host.unload("greeter-2")


def test_a_plugin_is_loaded_for_one_board(host: Host, board: Board) -> None:
    host.load(Greeter(), board=board)

    assert "greet" in board.tools
    assert "greet" not in host.board("other").tools
    assert "greet" in host.board("child", parent=board).tools


def test_a_plugin_that_can_t_be_loaded_is_an_error_with_its_cause(
    host: Host, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text("raise OSError('no disk')")

    with pytest.raises(PluginLoadError) as caught:
        host.load(tmp_path / "broken.py")

    assert isinstance(caught.value.__cause__, PluginLoadError)
    assert isinstance(caught.value.__cause__.__cause__, OSError)
    assert host.plugins["broken"].state == "failed"


def test_what_is_shown_of_a_board_is_what_formats_take(board: Board) -> None:
    definitions = formats.anthropic.definitions(board)

    assert [each["name"] for each in definitions] == ["echo", "shout", "steps"]
    assert [each.name for each in board.definitions()] == ["echo", "shout", "steps"]
    assert board.encoded_definitions("anthropic").startswith(b'[{"name":"echo"')
    assert board.explain("echo").visible
    assert board.revision == board.revision


def test_boards_of_one_name_are_equal(host: Host, board: Board) -> None:
    again = host.board("b")

    assert again == board == host.boards["b"]
    assert len({again, board, host.board()}) == 2
    with pytest.raises(BoardError, match="its deps is another"):
        host.board("b", deps=object())


def test_the_last_one_to_leave_closes_a_board(host: Host) -> None:
    with host.board("shared") as outer:
        with host.board("shared") as inner:
            assert inner == outer
        assert "shared" in host.boards

    assert "shared" not in host.boards
    with pytest.raises(BoardError, match="board 'shared' is closed"), outer:
        pass


def test_a_board_without_a_name_is_a_fresh_one_that_leaving_closes(host: Host) -> None:
    with host.board() as board, board:
        assert list(host.boards) == [board.name]

    assert list(host.boards) == []


def test_a_board_that_somebody_else_has_left_meanwhile_is_made_again(host: Host) -> None:
    waiting = host.board("shared", deps="mine")
    with host.board("shared"):
        pass

    with waiting as board:
        assert board.call("echo", {"value": "Pi"}).unwrap() == "Pi"

    assert "shared" not in host.boards


def test_a_batch_gives_one_outcome_a_call(board: Board) -> None:
    calls = (ToolCall(each, "echo", {"value": each}) for each in "abc")

    assert [each.unwrap() for each in board.run(calls)] == ["a", "b", "c"]


def test_the_calls_of_a_batch_may_come_from_code_that_calls_the_board(board: Board) -> None:
    def calls() -> Iterator[ToolCall]:
        for each in "ab":
            value = board.call("shout", {"value": each}).unwrap()
            yield ToolCall(each, "echo", {"value": value})

    assert [each.unwrap() for each in board.run(calls())] == ["A", "B"]


def test_what_happens_on_the_way_is_iterated_as_it_happens(board: Board) -> None:
    events = list(board.events([ToolCall("1", "steps", {"count": 2})]))

    assert [type(each) for each in events] == [Started, Progress, Progress, Success]


@pytest.mark.parametrize("number", [0, True, "3"])
def test_a_batch_that_can_t_be_is_refused_before_it_begins(board: Board, number: int) -> None:
    for begin in (board.run, board.stream, board.events):
        with pytest.raises(BoardError, match="max_parallel is a whole number"):
            begin([], max_parallel=number)


def test_a_host_serves_a_thread_that_runs_a_loop_of_its_own() -> None:
    async def notebook() -> str:
        with Host(discover=False) as host:
            host.register(echo)
            return str(host.board("b").call("echo", {"value": "Pi"}).unwrap())

    assert asyncio.run(notebook()) == "Pi"


def test_hosts_beside_each_other_share_nothing() -> None:
    with Host(discover=False) as one, Host(discover=False) as other:
        one.register(echo)

        assert one.board("b").call("echo", {"value": "Pi"}).unwrap() == "Pi"
        assert other.board("b").call("echo", {"value": "Pi"}).is_error


def test_a_board_of_another_host_is_refused(board: Board) -> None:
    with Host(discover=False) as other:
        with pytest.raises(BoardError, match="board 'b' is one of another host"):
            other.load(Greeter(), board=board)
        with pytest.raises(BoardError, match="board 'b' is one of another host"):
            other.board("child", parent=board)

        assert "Greeter@b" not in other.plugins
    assert list(board.tools) == ["echo", "shout", "steps"]


def test_a_board_that_is_left_more_often_than_entered_says_so(host: Host) -> None:
    with host.board("other") as board:
        pass

    with pytest.raises(BoardError, match="board 'other' is left more often than it was entered"):
        board.__exit__(None, None, None)


def test_a_time_limit_ends_a_call(host: Host) -> None:
    @tool(timeout=0.05)
    async def linger() -> None:
        """Take long."""
        await asyncio.sleep(60)

    host.register(linger)

    assert host.board("b").call("linger").code == "timed_out"


def test_a_host_that_lacks_what_it_requires_raises_and_is_closed() -> None:
    host = Host(Config(required=["absent"]))

    with pytest.raises(PluginLoadError, match="absent"):
        host.open()
    with pytest.raises(HostClosedError):
        host.open()
