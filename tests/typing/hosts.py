"""What a type checker knows of hosts and boards."""

from collections.abc import Mapping
from typing import assert_type

from pegboard import (
    Board,
    Card,
    Config,
    DiffCard,
    Explanation,
    Failure,
    GenericCard,
    Host,
    Outcome,
    PluginInfo,
    Registration,
    Select,
    Success,
    TerminalCard,
    Tool,
    ToolCall,
    ToolDefinition,
    UnloadReport,
    WatchReport,
    tool,
)


@tool
async def echo(value: str) -> str:
    """Echo one value."""
    return value


async def a_host_hands_out_boards() -> None:
    async with Host(Config(), discover=False) as host:
        assert_type(host, Host)
        assert_type(await host.board("researcher", deny=["*_write"]), Board)
        assert_type(host.boards, Mapping[str, Board])
        assert_type(host.tools, Mapping[str, Tool])
        assert_type(host.plugins, Mapping[str, PluginInfo])
        assert_type(await host.load("plugin.py", board="researcher"), PluginInfo)
        assert_type(await host.unload("plugin", grace=1), UnloadReport)


async def what_is_registered_can_be_taken_back(host: Host, board: Board) -> None:
    assert_type(host.register(echo), Registration)
    assert_type(host.restrict(deny=["echo"]), Registration)
    with board.restrict(allow=["echo", Select(read_only=True)]) as registration:
        assert_type(registration, Registration)


async def a_board_shows_and_calls(board: Board) -> None:
    assert_type(board.name, str)
    assert_type(board.revision, int)
    assert_type(board.tools, Mapping[str, Tool])
    assert_type(list(board.definitions()), list[ToolDefinition])
    assert_type(board.explain("echo"), Explanation)
    assert_type(board.present(ToolCall("call-1", "echo")), Card)
    assert_type(await board.call("echo", {"value": "Pi"}), Outcome)
    assert_type(await board.run([ToolCall("call-1", "echo", "{}")]), list[Outcome])


def every_outcome_is_one_of_two(outcome: Outcome) -> str:
    match outcome:
        case Success():
            return assert_type(outcome, Success).tool
        case Failure(code=code, message=message):
            return f"{code}: {message}"


def every_card_is_one_of_three(card: Card) -> str:
    match card:
        case TerminalCard():
            return card.command
        case DiffCard():
            return card.path
        case GenericCard():
            return card.title


def a_positional_option_is_refused(board: Board) -> None:
    board.restrict(["echo"])  # type: ignore[call-arg]


async def a_watch_gives_reports(host: Host) -> None:
    async with host.watch("pegboard.toml") as reports:
        async for report in reports:
            assert_type(report, WatchReport)
            assert_type(report.errors, tuple[str, ...])
    host.watch(on_sync=print)
