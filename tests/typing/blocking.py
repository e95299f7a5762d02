"""What a type checker knows of hosts and boards without async."""

from collections.abc import Generator, Mapping
from typing import assert_type

from pegboard import (
    ApprovalAsked,
    CloseReport,
    Config,
    Explanation,
    Outcome,
    PluginInfo,
    Progress,
    Registration,
    Started,
    SyncReport,
    Tool,
    ToolCall,
    ToolDefinition,
    UnloadReport,
    WatchReport,
    formats,
    tool,
)
from pegboard.blocking import Board, Host


@tool
async def echo(value: str) -> str:
    """Echo one value."""
    return value


def a_host_hands_out_boards() -> None:
    with Host(Config(), discover=False) as host:
        assert_type(host, Host)
        assert_type(host.board("researcher", deny=["*_write"]), Board)
        assert_type(host.boards, Mapping[str, Board])
        assert_type(host.tools, Mapping[str, Tool])
        assert_type(host.plugins, Mapping[str, PluginInfo])
        assert_type(host.load("plugin.py", board=host.board("b")), PluginInfo)
        assert_type(host.unload("plugin", grace=1), UnloadReport)
        assert_type(host.sync(), SyncReport)
        with host.board("editor", parent=host.board("b")) as board:
            assert_type(board, Board)


def what_is_registered_can_be_taken_back(host: Host, board: Board) -> None:
    assert_type(host.register(echo), Registration)
    with board.restrict(allow=["echo"]) as registration:
        assert_type(registration, Registration)


def a_board_shows_and_calls(board: Board) -> None:
    calls = [ToolCall("call-1", "echo", "{}")]
    assert_type(board.revision, int)
    assert_type(board.definitions(), tuple[ToolDefinition, ...])
    assert_type(board.explain("echo"), Explanation)
    assert_type(board.call("echo", {"value": "Pi"}), Outcome)
    assert_type(board.run(calls), list[Outcome])
    assert_type(board.stream(calls), Generator[Outcome, None, None])
    for event in board.events(calls):
        assert_type(event, Started | Progress | ApprovalAsked | Outcome)
    assert_type(board.close(), CloseReport)


def formats_take_a_board(board: Board) -> None:
    formats.anthropic.definitions(board)
    formats.openai.calls({}, board)


def a_watch_gives_reports(host: Host) -> None:
    with host.watch("pegboard.toml") as reports:
        for report in reports:
            assert_type(report, WatchReport)


def a_positional_option_is_refused(board: Board) -> None:
    board.restrict(["echo"])  # type: ignore[call-arg]
