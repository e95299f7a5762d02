"""The tool that reads a file."""

from typing import Annotated, Any

import attrs
from annotated_types import Ge
from pegboard import Doc, Image, Output, RunContext, Text, ToolError, tool

from pegboard_files.effects import READS
from pegboard_files.encoding import Encoding, encoding_of, text_of
from pegboard_files.images import Picture, kind_of_image, picture
from pegboard_files.overlap import by_path
from pegboard_files.paths import on_one_line, shown
from pegboard_files.reach import Place, reach
from pegboard_files.regular import Bytes, read_place
from pegboard_files.settings import Settings, root_of
from pegboard_files.text import Lines, count_lines, decode, line_start, take_lines
from pegboard_files.versions import version_of


@attrs.frozen
class FileText:
    """Lines of a file, or the picture in it.

    Attributes:
        path: the file, from the root, links resolved.
        text: the lines as they are, line ends included; empty for a picture.
        first_line: the number of the first, counted from 1.
        last_line: the number of the last; one less than the first where there is none.
        total_lines: how many the file has; None where it is too large to count them.
        notes: what was cut, and how to go on.
        version: the version of the file, for the tools that change it.
        image: the picture; None for text.
    """

    path: str
    text: str
    first_line: int
    last_line: int
    total_lines: int | None
    notes: list[str]
    version: str
    image: Picture | None = None


def _render(_arguments: Any, value: Any) -> list[Text | Image]:
    version = f"[version {value['version']}]"
    image = value["image"]
    if image is not None:
        said = f"{on_one_line(value['path'])}: {image['mime_type']}, {image['size']} bytes"
        return [Image(image["data"], image["mime_type"]), Text(f"{said}\n{version}")]
    text: str = value["text"] or "(the file is empty)"
    end = "" if text.endswith("\n") else "\n"
    return [Text(text + end + "\n".join([*(f"[{note}]" for note in value["notes"]), version]))]


@tool(
    title="Read a file",
    concurrency_safe=by_path,
    annotations=READS,
    output=Output(render=_render),
)
def files_read(
    context: RunContext,
    path: Annotated[str, Doc("A file, relative to the root, such as 'notes/overview.md'.")],
    offset: Annotated[int, Ge(1), Doc("The first line to read, counted from 1.")] = 1,
    limit: Annotated[int | None, Ge(1), Doc("How many lines to read at most.")] = None,
) -> FileText:
    """Read lines of a text file, or a picture. Long files are cut; a note says how to read on."""
    settings: Settings = context.plugin.settings
    with reach(root_of(context.plugin), path) as place:
        read = read_place(place, most=settings.max_file_bytes)
    kind = kind_of_image(read.data)
    if kind is not None:
        return _seen(place, read, kind, most=settings.max_image_bytes)
    encoding = encoding_of(read.data, fallback=settings.fallback_encoding)
    data = text_of(read.data, encoding, path=path, is_cut=not read.is_whole)
    start = line_start(data, offset)
    if start is None:
        raise _beyond(path, offset, read, count_lines(data))
    most, is_whole = settings.max_bytes, read.is_whole
    lines = take_lines(data, start, limit=limit, most=most, is_whole=is_whole)
    total, last = count_lines(data), offset + lines.count - 1
    return FileText(
        path=place.true_path,
        text=decode(lines.data, path=path, is_cut=lines.ends_inside),
        first_line=offset,
        last_line=last,
        total_lines=total if is_whole else None,
        notes=[*_notes(read, lines, total=total, last=last), *_said(encoding)],
        version=version_of(read),
    )


def _seen(place: Place, read: Bytes, kind: str, *, most: int) -> FileText:
    return FileText(
        path=place.true_path,
        text="",
        first_line=1,
        last_line=0,
        total_lines=None,
        notes=[],
        version=version_of(read),
        image=picture(read, kind, path=place.path, most=most),
    )


def _notes(read: Bytes, lines: Lines, *, total: int, last: int) -> list[str]:
    notes = []
    if lines.ends_inside:
        notes.append(f"line {last} was cut after {len(lines.data)} bytes")
    if last < total:
        many = f"{'' if read.is_whole else 'more than '}{total}"
        notes.append(f"up to line {last} of {many}; read on with offset={last + 1}")
    if not read.is_whole:
        notes.append(f"only the first {len(read.data)} of {read.size} bytes are looked at")
    return notes


def _said(encoding: Encoding) -> list[str]:
    is_usual = encoding.name == "utf-8"
    return (
        [] if is_usual else [f"the file is {encoding.name} text, and stays so when it is changed"]
    )


def _beyond(path: str, offset: int, read: Bytes, total: int) -> ToolError:
    if read.is_whole:
        has = f"it has {total} lines"
    else:
        has = f"only its first {len(read.data)} of {read.size} bytes are looked at"
    return ToolError(f"{shown(path)} has no line {offset}: {has}", code="beyond_the_end")
