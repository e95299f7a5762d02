"""What happens in the demo; everything in it comes from the host."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs

from pegboard import (
    Board,
    BoardConfig,
    Config,
    Explanation,
    Host,
    Outcome,
    PluginConfig,
    RunningCall,
    Select,
    ToolCall,
    UnloadReport,
)
from pegboard.cli.demo.courier import Courier
from pegboard.cli.mistakes import UsageError
from pegboard.formats import anthropic

PLUGINS = ("clock", "echo", "files")
READER, WRITER = "reader", "writer"
_TOOL, _PLUGIN = "courier_deliver", "courier"
_REFUSED = "files_write"


@attrs.frozen
class Answered:
    """One board, what it shows, and what it answered.

    Attributes:
        board: its name.
        tools: the names of its tools.
        calls: what was called.
        outcomes: one for each call.
    """

    board: str
    tools: tuple[str, ...]
    calls: tuple[ToolCall, ...]
    outcomes: tuple[Outcome, ...]


@attrs.frozen
class Unloading:
    """A plugin that goes while one of its calls runs.

    Attributes:
        before: the tools of the board before.
        running: the calls that ran when the unloading began.
        calls: the call that ran, and one that was made while the plugin went.
        outcomes: what each of them ended in.
        report: what the unloading did and left.
        after: the tools of the board afterwards.
    """

    before: tuple[str, ...]
    running: tuple[RunningCall, ...]
    calls: tuple[ToolCall, ...]
    outcomes: tuple[Outcome, ...]
    report: UnloadReport
    after: tuple[str, ...]


@attrs.frozen
class Story:
    """All that happened.

    Attributes:
        reader: the message, answered for a board that only reads.
        explanation: why that board doesn't show one of the tools.
        writer: the call that was refused, answered for a board without restriction.
        files: what is in the folder then.
        unloading: a plugin that goes while one of its calls runs.
    """

    reader: Answered
    explanation: Explanation
    writer: Answered
    files: tuple[str, ...]
    unloading: Unloading


async def play() -> Story:
    """Let it happen, on a folder that is gone afterwards.

    Raises:
        UsageError: a plugin that it needs isn't there; says how to get it.
    """
    with _folder() as folder:
        async with _host(folder) as host:
            reader, writer = await host.board(READER), await host.board(WRITER)
            calls = tuple(anthropic.calls(_message(), reader))
            answered = await _answered(reader, calls)
            again = await _answered(writer, [each for each in calls if each.name == _REFUSED])
            found = _files_of(folder)
            unloading = await _unloading(host, writer)
            return Story(answered, reader.explain(_REFUSED), again, found, unloading)


@contextmanager
def _folder() -> Iterator[Path]:
    with _temporary() as name:
        notes = Path(name) / "notes"
        notes.mkdir()
        (notes / "overview.md").write_text(_packaged("overview.md"), encoding="utf-8")
        yield Path(name)


def _temporary() -> TemporaryDirectory[str]:
    """A folder that is removed again.

    Raises:
        UsageError: there is no room for one.
    """
    try:
        return TemporaryDirectory(prefix="pegboard-demo-")
    except OSError as error:
        raise UsageError(f"the demo can't write its files anywhere: {error.strerror}") from error


def _packaged(name: str) -> str:
    return (files("pegboard.cli.demo") / name).read_text(encoding="utf-8")


def _message() -> object:
    return json.loads(_packaged("message.json"))


def _files_of(folder: Path) -> tuple[str, ...]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return tuple(sorted(path.relative_to(folder).as_posix() for path in found))


@asynccontextmanager
async def _host(folder: Path) -> AsyncIterator[Host]:
    config = Config(
        only=PLUGINS,
        prefer=tuple(map(_distribution, PLUGINS)),
        boards={READER: BoardConfig(allow=(Select(read_only=True),))},
        plugins={"files": PluginConfig({"root": str(folder)})},
    )
    async with Host(config) as host:
        for name in PLUGINS:
            _check(host, name)
        yield host


def _check(host: Host, name: str) -> None:
    info = host.plugins.get(name)
    if info is None:
        missing = " ".join(_distribution(each) for each in PLUGINS if each not in host.plugins)
        raise UsageError(f"the demo needs plugin {name!r}: python -m pip install {missing}")
    if info.state not in ("deferred", "loaded"):
        raise UsageError(f"the demo needs plugin {name!r}, which is {info.state}: {info.error}")


def _distribution(plugin: str) -> str:
    return f"pegboard-{plugin}"


async def _answered(board: Board, calls: "tuple[ToolCall, ...] | list[ToolCall]") -> Answered:
    outcomes = await board.run(calls)
    return Answered(board.name, tuple(board.tools), tuple(calls), tuple(outcomes))


async def _unloading(host: Host, board: Board) -> Unloading:
    courier = Courier()
    await host.load(courier, name=_PLUGIN)
    before = tuple(board.tools)
    calls = (
        ToolCall("call-1", _TOOL, {"parcel": "a letter"}),
        ToolCall("call-2", _TOOL, {"parcel": "a book"}),
    )
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(board.call(calls[0]))
        await courier.has_left.wait()
        running = board.running
        going = tasks.create_task(host.unload(_PLUGIN))
        await _gone(board)
        second = await board.call(calls[1])
        courier.road.set()
    outcomes = (first.result(), second)
    return Unloading(before, running, calls, outcomes, going.result(), tuple(board.tools))


async def _gone(board: Board) -> None:
    """Wait until the board no longer shows the tool: the first step of an unloading."""
    async with asyncio.timeout(10):
        while _TOOL in board.tools:  # noqa: ASYNC110 - nobody is told of this step alone
            await asyncio.sleep(0)
