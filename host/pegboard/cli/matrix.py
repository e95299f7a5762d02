"""`tools --matrix`: boards beside tools, with what is hidden and by what."""

from collections.abc import Iterator, Sequence

import attrs

from pegboard import Board, Config, Explanation, Host
from pegboard.cli.asked import Asked, chosen_board, opened_host
from pegboard.cli.jsons import print_json
from pegboard.cli.listing import warn_of_failures
from pegboard.cli.mistakes import config_mistakes, refuse
from pegboard.cli.streams import Streams
from pegboard.cli.tables import Table, show
from pegboard.values import JSON

_ALL_OTHERS = "*"
_HIDING = ("restricted", "reserved", "shadowed", "unknown")
_COLUMN = 10


@attrs.frozen
class Column:
    """One board.

    Attributes:
        title: its name, or `*` for every board without a table of its own.
        cells: why each tool is visible on it or isn't, by the tool's name.
    """

    title: str
    cells: dict[str, Explanation]


async def matrix(streams: Streams, *, asked: Asked) -> int:
    """Print boards beside tools."""
    config = asked.read_config()
    async with opened_host(streams, config) as host:
        refuse(config_mistakes(host))
        boards = [(name, await _board(host, name)) for name in _names(config, asked.board)]
        tools = list(dict.fromkeys(name for _, board in boards for name in board.standing))
        columns = [
            Column(name, {tool: board.explain(tool) for tool in tools}) for name, board in boards
        ]
        warn_of_failures(host, streams)
    if asked.is_json:
        print_json([each for column in columns for each in _jsons(column)], streams)
    elif tools:
        _show(columns, tools, streams)
    else:
        streams.message("no board has a tool")
    return 0


def _names(config: Config, asked: str | None) -> list[str]:
    """The boards of the configuration, and the one that was asked for."""
    known = [name for name in config.boards if name != _ALL_OTHERS]
    others = [_ALL_OTHERS] if _ALL_OTHERS in config.boards else []
    named = [asked] if asked is not None and asked not in known else []
    return [*known, *others, *named] or [chosen_board(config, None)]


async def _board(host: Host, name: str) -> Board:
    return await host.board(None if name == _ALL_OTHERS else name)


def _jsons(column: Column) -> Iterator[JSON]:
    for tool, explained in column.cells.items():
        hiding = [] if explained.visible else _hiding(explained)
        yield {
            "board": column.title,
            "tool": tool,
            "visible": explained.visible,
            "reasons": [{"kind": kind, "text": text} for kind, text in hiding],
        }


def _hiding(explained: Explanation) -> list[tuple[str, str]]:
    """What keeps a tool from being visible: kinds and texts."""
    start = f"{explained.name!r} is "
    return [
        (each.kind, each.text.removeprefix(start))
        for each in explained.reasons
        if each.kind in _HIDING
    ]


def _show(columns: Sequence[Column], tools: Sequence[str], streams: Streams) -> None:
    """Print as many boards beside each other as there is room for, then what hides what."""
    notes: dict[str, int] = {}
    marks = {column.title: _marks(column, notes, streams) for column in columns}
    beside = len(columns)
    if streams.is_terminal:
        longest = min(max(map(len, tools)), streams.width // 3)
        beside = max(1, min(streams.width // _COLUMN - 1, (streams.width - longest) // _COLUMN))
    for first in range(0, len(columns), beside):
        titles = [each.title for each in columns[first : first + beside]]
        rows = [(tool, *(marks[title][tool] for title in titles)) for tool in tools]
        show(Table(("tool", *titles), rows), streams)
        streams.result("")
    for note, number in notes.items():
        streams.result(f"{number}: {note}")


def _marks(column: Column, notes: dict[str, int], streams: Streams) -> dict[str, str]:
    """By tool: whether it is visible, or the number of the note that says what hides it."""
    shown = "●" if streams.is_unicode and streams.is_terminal else "yes"
    found = {}
    for tool, explained in column.cells.items():
        why = "; ".join(text for _, text in _hiding(explained))
        is_seen = explained.visible
        found[tool] = shown if is_seen else str(notes.setdefault(why, len(notes) + 1))
    return found
