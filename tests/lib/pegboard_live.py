"""What a host shows under a configuration, to compare one that follows with one that starts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from hypothesis import strategies as st
from pegboard import (
    Board,
    BoardConfig,
    Code,
    Config,
    Failure,
    Host,
    PluginConfig,
    RunContext,
    Select,
    Success,
    ToolAnnotations,
    ToolConfig,
    ToolError,
    tool,
)

BOARDS = ("a", "b", "c")


@tool(annotations=ToolAnnotations(read_only=True))
async def files_read(path: str = "") -> str:
    """Read a file."""
    return path


@tool
def files_delete(path: str = "") -> str:
    """Delete a file."""
    raise ValueError(f"no file {path!r}")


@tool(timeout=7)
async def web_search(context: RunContext, depth: int = 0) -> int:
    """Search the web, and further from there."""
    if depth == 0:
        return 0
    match await context.call("web_search", {"depth": depth - 1}):
        case Success(value=value):
            return int(value) + 1
        case Failure(message=message):
            raise ToolError(message)


@asynccontextmanager
async def host_of(config: Config) -> AsyncIterator[Host]:
    """A host with a few tools, and its boards open."""
    async with Host(config, discover=False) as host:
        for each in (files_read, files_delete, web_search):
            host.register(each)
        for name in BOARDS:
            await host.board(name)
        yield host


def shown(host: Host) -> dict[str, Any]:
    """Everything of a host that its configuration decides and that can be looked at."""
    boards = {name: _of_board(board) for name, board in host.boards.items()}
    plugins = {name: (info.state, info.error) for name, info in host.plugins.items()}
    return {"boards": boards, "plugins": plugins, "config": host.config}


def _of_board(board: Board) -> dict[str, Any]:
    names = [each.name for each in (files_read, files_delete, web_search)]
    return {
        "definitions": board.definitions(),
        "explained": [str(board.explain(name)) for name in names],
        "options": [
            (name, each.timeout, each.annotations, each.concurrency_safe)
            for name, each in board.tools.items()
        ],
    }


async def called(host: Host) -> list[tuple[str, Code | None, str]]:
    """How calls end on a host, whatever they show."""
    ended: list[tuple[str, Code | None, str]] = []
    calls: list[tuple[str, Any]] = [
        ("files_delete", {"path": "x"}),
        ("files_read", {"path": "y" * 300}),
        ("web_search", {"depth": 3}),
    ]
    for board in host.boards.values():
        for name, arguments in calls:
            match await board.call(name, arguments):
                case Success(value=value):
                    ended.append((name, None, str(value)))
                case Failure(code=code, message=message):
                    ended.append((name, code, message))
    return ended


SELECTORS = st.lists(
    st.sampled_from(
        ["files_*", "*_delete", "web_search", Select(read_only=True), Select(destructive=True)]
    ),
    max_size=2,
    unique=True,
)
_BOARD = st.builds(BoardConfig, allow=st.none() | SELECTORS, deny=SELECTORS)
_TOOL = st.builds(
    ToolConfig,
    timeout=st.none() | st.just(3.0),
    description=st.none() | st.sampled_from(["One.", "Two."]),
    annotations=st.none() | st.builds(ToolAnnotations, read_only=st.booleans()),
    concurrency_safe=st.none() | st.booleans(),
    max_running=st.none() | st.just(2),
)
_REPEATS = st.fixed_dictionaries({"after": st.integers(2, 4)}).map(PluginConfig)

CONFIGS: st.SearchStrategy[Config] = st.builds(
    Config,
    deny=SELECTORS,
    boards=st.dictionaries(st.sampled_from(["a", "b", "*"]), _BOARD),
    tools=st.dictionaries(st.sampled_from(["*", "files_*", "web_search"]), _TOOL),
    reserved=st.dictionaries(st.sampled_from(["own", "other"]), st.just("It is ours.")),
    plugins=st.dictionaries(st.just("repeats"), _REPEATS),
    block=st.sampled_from([(), ("repeats",)]),
    default_timeout=st.none() | st.just(5.0),
    mask_errors=st.booleans(),
    max_nesting=st.sampled_from([1, 2, 64]),
    max_bytes=st.sampled_from([200, 10 * 2**20]),
    hook_timeout=st.sampled_from([1.0, 30.0]),
    max_threads=st.sampled_from([1, 16]),
)
"""Configurations of which each is valid."""
