"""Tables: drawn for people, one line a row for programs."""

from collections.abc import Iterable
from typing import Any

import attrs

from pegboard.cli.streams import Streams, legible

_NARROWEST = 10


def _rows(rows: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, row)) for row in rows)


@attrs.frozen
class Table:
    """Rows of cells under names.

    Attributes:
        columns: the names.
        rows: the cells; nothing of them is ever cut.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = attrs.field(converter=_rows)


def show(table: Table, streams: Streams) -> None:
    """Print a table: on a terminal drawn within its width, else aligned, one line a row."""
    streams.result(drawn(table, streams) if streams.is_terminal else plain(table))


def plain(table: Table) -> str:
    """The table with one line a row, columns two spaces apart."""
    rows = [table.columns, *(tuple(map(legible, row)) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_aligned(row, widths) for row in rows)


def _aligned(row: Iterable[str], widths: Iterable[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def drawn(table: Table, streams: Streams) -> str:
    """The table within the width of the terminal; long cells go on in the next line.

    A terminal too narrow for that gets the plain table, of which it can't cut anything.
    """
    if streams.width < _NARROWEST * len(table.columns):
        return plain(table)
    from rich.console import Console

    console = Console(file=streams.results, width=streams.width)
    with console.capture() as captured:
        console.print(drawing(table, streams))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def drawing(table: Table, streams: Streams) -> Any:
    """The table as rich draws it."""
    from rich import box
    from rich.table import Table as Drawing
    from rich.text import Text

    shape = box.SIMPLE_HEAD if streams.is_unicode else box.ASCII
    drawn_table = Drawing(box=shape, pad_edge=False, show_edge=False)
    for name, whole in zip(table.columns, _whole_widths(table, streams.width), strict=True):
        drawn_table.add_column(name, overflow="fold", width=whole)
    for row in table.rows:
        drawn_table.add_row(*(Text(legible(cell, keep="\n")) for cell in row))
    return drawn_table


def _whole_widths(table: Table, width: int) -> tuple[int | None, ...]:
    """How wide each column has to be; the first one stays whole where that leaves room."""
    longest = max(len(legible(row[0])) for row in (table.columns, *table.rows))
    first = longest if longest <= width // 3 else None
    return (first, *(None for _ in table.columns[1:]))
