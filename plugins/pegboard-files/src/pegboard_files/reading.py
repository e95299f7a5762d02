"""The tool that reads a file."""

from typing import Annotated, Any

import attrs
from annotated_types import Ge
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_files.effects import READS
from pegboard_files.paths import shown
from pegboard_files.reach import reach
from pegboard_files.regular import Bytes, read_place
from pegboard_files.settings import Settings, root_of
from pegboard_files.text import Lines, count_lines, decode, line_start, take_lines

_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


@attrs.frozen
class FileText:
    """Lines of a file.

    Attributes:
        path: the file, from the root, links resolved.
        text: the lines as they are, line ends included.
        first_line: the number of the first, counted from 1.
        last_line: the number of the last; one less than the first where there is none.
        total_lines: how many the file has; None where it is too large to count them.
        notes: what was cut, and how to go on.
    """

    path: str
    text: str
    first_line: int
    last_line: int
    total_lines: int | None
    notes: list[str]


def _render(_arguments: Any, value: Any) -> list[Text]:
    text: str = value["text"] or "(the file is empty)"
    end = "" if text.endswith("\n") else "\n"
    notes = "\n".join(f"[{note}]" for note in value["notes"])
    return [Text(f"{text}{end}{notes}" if notes else text)]


@tool(
    title="Read a file",
    concurrency_safe=True,
    annotations=READS,
    output=Output(render=_render),
)
def files_read(
    context: RunContext,
    path: Annotated[str, Doc("A text file, relative to the root, such as 'notes/overview.md'.")],
    offset: Annotated[int, Ge(1), Doc("The first line to read, counted from 1.")] = 1,
    limit: Annotated[int | None, Ge(1), Doc("How many lines to read at most.")] = None,
) -> FileText:
    """Read lines of a text file (UTF-8). Long files are cut; a note says how to read on."""
    settings: Settings = context.plugin.settings
    with reach(root_of(context.plugin), path) as place:
        read = read_place(place, most=settings.max_file_bytes)
    start = line_start(read.data, offset)
    if start is None:
        raise _beyond(path, offset, read)
    most, is_whole = settings.max_bytes, read.is_whole
    lines = take_lines(read.data, start, limit=limit, most=most, is_whole=is_whole)
    text = decode(lines.data, path=path, is_cut=lines.ends_inside)
    last = offset + lines.count - 1
    return FileText(
        path=place.true_path,
        text=text.removeprefix(_BYTE_ORDER_MARK) if start == 0 else text,
        first_line=offset,
        last_line=last,
        total_lines=count_lines(read.data) if read.is_whole else None,
        notes=_notes(read, lines, last=last),
    )


def _notes(read: Bytes, lines: Lines, *, last: int) -> list[str]:
    notes = []
    total = count_lines(read.data)
    if lines.ends_inside:
        notes.append(f"line {last} was cut after {len(lines.data)} bytes")
    if last < total:
        notes.append(f"up to line {last} of {_many(read)}; read on with offset={last + 1}")
    if not read.is_whole:
        notes.append(f"only the first {len(read.data)} of {read.size} bytes are looked at")
    return notes


def _many(read: Bytes) -> str:
    return f"{'' if read.is_whole else 'more than '}{count_lines(read.data)}"


def _beyond(path: str, offset: int, read: Bytes) -> ToolError:
    if read.is_whole:
        has = f"it has {count_lines(read.data)} lines"
    else:
        has = f"only its first {len(read.data)} of {read.size} bytes are looked at"
    return ToolError(f"{shown(path)} has no line {offset}: {has}", code="beyond_the_end")
