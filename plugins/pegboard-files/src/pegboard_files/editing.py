"""The tool that changes parts of a file."""

from typing import Annotated

import attrs
from annotated_types import MinLen
from pegboard import Doc, RunContext, ToolError, tool

from pegboard_files.effects import CHANGES
from pegboard_files.paths import shown
from pegboard_files.reach import reach
from pegboard_files.regular import read_place, replace
from pegboard_files.settings import Settings, root_of
from pegboard_files.text import decode
from pegboard_files.writing import encode


@attrs.frozen
class Edit:
    """One exact replacement.

    Attributes:
        old: The text to replace, exactly as it stands in the file, line ends included.
        new: What stands there afterwards.
        everywhere: Whether to replace every occurrence; otherwise there must be exactly one.
    """

    old: Annotated[str, MinLen(1)]
    new: str
    everywhere: bool = False


@attrs.frozen
class Edited:
    """A file that was edited.

    Attributes:
        path: the file, from the root, links resolved.
        size: its bytes now.
        replaced: how many occurrences each edit replaced.
    """

    path: str
    size: int
    replaced: list[int]


@tool(
    title="Edit a file",
    concurrency_safe=False,
    annotations=CHANGES,
)
def files_edit(
    context: RunContext,
    path: Annotated[str, Doc("A text file, relative to the root.")],
    edits: Annotated[
        list[Edit],
        MinLen(1),
        Doc("Done one after another, each on what the one before left; all of them or none."),
    ],
) -> Edited:
    """Replace exact parts of a text file (UTF-8), in one step. Read the file first."""
    settings: Settings = context.plugin.settings
    most = settings.max_file_bytes
    with reach(root_of(context.plugin), path) as place:
        read = read_place(place, most=most)
        if not read.is_whole:
            raise _too_large(path, read.size, most)
        text, replaced = decode(read.data, path=path), []
        for number, edit in enumerate(edits, 1):
            text, count = _apply(text, edit, path=path, number=number)
            replaced.append(count)
        encoded = encode(text, path=path, most=most)
        replace(place, encoded, expected=read.state)
    return Edited(place.true_path, len(encoded), replaced)


def _apply(text: str, edit: Edit, *, path: str, number: int) -> tuple[str, int]:
    fitted = _fit_line_ends(edit, text)
    count = text.count(fitted.old)
    if count == 0:
        raise _refusal(path, number, "its old text isn't there; read the file again", "not_there")
    if count > 1 and not edit.everywhere:
        reason = f"its old text is there {count} times; add the lines around it, or set everywhere"
        raise _refusal(path, number, reason, "ambiguous")
    return text.replace(fitted.old, fitted.new), count


def _fit_line_ends(edit: Edit, text: str) -> Edit:
    if not 0 < text.count("\n") == text.count("\r\n"):
        return edit
    return attrs.evolve(edit, old=_with_crlf(edit.old), new=_with_crlf(edit.new))


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _refusal(path: str, number: int, reason: str, code: str) -> ToolError:
    return ToolError(
        f"edit {number} of {shown(path)} can't be done: {reason}; nothing was written", code=code
    )


def _too_large(path: str, size: int, most: int) -> ToolError:
    return ToolError(
        f"{shown(path)} has {size} bytes, and files of at most {most} can be edited",
        code="too_large",
    )
