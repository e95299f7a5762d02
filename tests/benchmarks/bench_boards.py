"""What boards cost: flat in the number of tools and boards, and in proportion to what changes."""

import gc
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

import pytest
from pegboard import Board, Host, Tool
from pydantic_ai import FunctionToolset
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import RunContext
from pydantic_ai.usage import RunUsage
from side_by_side import Way, measure

SIZES = {
    "10 tools": (10, 1),
    "10,000 tools": (10_000, 1),
    "1 board": (100, 1),
    "10,000 boards": (100, 10_000),
}
FLAT = [("10,000 tools", "10 tools"), ("10,000 boards", "1 board")]
MASKS: dict[str, list[str]] = {
    "every second name": [f"tool_{number}" for number in range(0, 1002, 2)],
    "a pattern": ["*[02468]"],
}


async def body(a: int, b: int = 0, label: str | None = None) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


def made(number: int) -> Tool:
    """A small tool with a number."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    return Tool(name=f"tool_{number}", description="Add.", parameters=schema, run=body)


@asynccontextmanager
async def a_host(tools: int) -> AsyncIterator[Host]:
    """A host with that many tools on its global layer."""
    async with Host(discover=False) as host:
        for number in range(tools):
            host.register(made(number))
        yield host


async def boards_of(host: Host, count: int) -> list[Board]:
    """That many boards, each of them listed once."""
    boards = [await host.board(f"board-of-{number}") for number in range(count)]
    for board in boards:
        board.definitions()
        assert board.revision == 0
    return boards


def looking_up(board: Board) -> Way:
    """Ask a board for one tool by its name."""

    async def look_up() -> Any:
        return board.tools.get("tool_5")

    return look_up


def listing(board: Board) -> Way:
    """Ask a board for its definitions."""

    async def definitions() -> Any:
        return board.definitions()

    return definitions


def calling(board: Board) -> Way:
    """Make a call that ends before its body, so that all of it is the board's own."""
    return lambda: board.call("tool_5", {"a": "no number"})


@pytest.mark.parametrize("way", [looking_up, listing, calling])
async def test_a_board_is_as_fast_among_ten_thousand(
    way: Callable[[Board], Way], capsys: pytest.CaptureFixture[str]
) -> None:
    ways = {}
    async with AsyncExitStack() as stack:
        for name, (tools, boards) in SIZES.items():
            host = await stack.enter_async_context(a_host(tools))
            ways[name] = way((await boards_of(host, boards))[-1])

        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table(way.__name__.replace("_", " "), "10 tools"))
    assert [pair for pair in FLAT if figures.ratio(*pair) > 1.2] == []


@pytest.mark.parametrize("mask", MASKS)
async def test_a_restricted_view_of_a_thousand_tools_beside_a_filtered_toolset(
    mask: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with a_host(1000) as host:
        board = await host.board("bench")
        board.restrict(allow=MASKS[mask], pending=True)
        shown, hidden = toggling(host, 1000), toggling(host, 1001)
        ways = {
            "again": listing(board),
            "two changes": shown(None),
            "two changes, each with the view": shown(board),
            "two hidden changes": hidden(None),
            "two hidden changes, each with the view": hidden(board),
            "pydantic-ai `FilteredToolset`": await filtered(1000),
        }
        assert len(board.definitions()) == 500

        figures = await measure(ways, rounds=21)

    with capsys.disabled():
        print("\n\n" + figures.table(f"500 of 1,000 tools by {mask}", "again"))
        for kind in ("two changes", "two hidden changes"):
            views = figures.microseconds(f"{kind}, each with the view")
            print(f"a view after {kind}: {(views - figures.microseconds(kind)) / 2:.0f} µs")
    assert figures.ratio("pydantic-ai `FilteredToolset`", "again") >= 100


def toggling(host: Host, number: int) -> Callable[[Board | None], Way]:
    """Register a tool, list a board if there is one, take the tool back, and list again."""
    tool = made(number)

    def way(board: Board | None) -> Way:
        async def toggle() -> None:
            registration = host.register(tool)
            if board is not None:
                board.definitions()
            registration.close()
            if board is not None:
                board.definitions()

        return toggle

    return way


async def filtered(count: int) -> Way:
    """pydantic-ai: every second of as many tools, as an agent's step asks for them."""
    toolset = FunctionToolset[None]()
    for number in range(count):
        toolset.add_function(body, name=f"tool_{number}")
    keep = {f"tool_{number}" for number in range(0, count, 2)}
    narrow = toolset.filtered(lambda context, definition: definition.name in keep)
    context = RunContext[None](deps=None, model=TestModel(), usage=RunUsage())
    assert len(await narrow.get_tools(context)) == count // 2
    return lambda: narrow.get_tools(context)


async def test_one_registration_costs_the_same_with_ten_thousand_boards(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with a_host(100) as few, a_host(100) as many:
        await boards_of(few, 1)
        await boards_of(many, 10_000)
        ways = {"1 board": toggling(few, 100)(None), "10,000 boards": toggling(many, 100)(None)}

        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("registering, and taking back", "1 board"))
    assert figures.ratio("10,000 boards", "1 board") <= 2


async def test_what_ten_thousand_boards_take_in_memory(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {}
    async with a_host(1000) as host:
        await boards_of(host, 1)
        with traced() as size:
            boards = [await host.board(f"b{number}") for number in range(10_000)]
            sizes["made"] = size() / 10_000
            for board in boards:
                board.definitions()
                assert board.revision == 0
            sizes["listed"] = size() / 10_000
            for board in boards:
                await board.call("tool_5", {"a": 1.5})
            sizes["called"] = size() / 10_000

    with capsys.disabled():
        print("\n\n| a board that adds nothing | bytes |\n|---|---:|")
        for name, each in sizes.items():
            print(f"| {name} | {each:.0f} |")
    assert max(sizes.values()) <= 2048


async def test_what_a_restricted_view_takes_in_memory(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {}
    async with a_host(2000) as host:
        await boards_of(host, 1)
        for count in (500, 683, 700, 1000, 1366, 2000):
            with traced() as size:
                names = [f"tool_{number}" for number in range(count)]
                boards = [await host.board(allow=names) for _ in range(5)]
                before = size()
                assert {len(board.definitions()) + board.revision for board in boards} == {count}
                sizes[count] = (size() - before) / 5 / count

    with capsys.disabled():
        print("\n\n| a restricted view of | bytes a tool |\n|---|---:|")
        for count, each in sizes.items():
            print(f"| {count} tools | {each:.1f} |")
    assert max(sizes.values()) <= 48


@contextmanager
def traced() -> Iterator[Callable[[], int]]:
    """What Python objects take that were made inside the block."""

    def size() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    gc.collect()
    tracemalloc.start()
    try:
        yield size
    finally:
        tracemalloc.stop()
