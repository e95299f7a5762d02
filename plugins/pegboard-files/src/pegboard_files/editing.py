"""The tool that changes parts of a file."""

from typing import Annotated, Any

import attrs
from annotated_types import MaxLen, MinLen
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_files.cards import shown_edit, shown_edited
from pegboard_files.effects import CHANGES
from pegboard_files.encoding import Encoding, encoding_of, text_of
from pegboard_files.occurrences import lines_of, why_not_there
from pegboard_files.overlap import by_path
from pegboard_files.patches import patch_of
from pegboard_files.paths import on_one_line, shown
from pegboard_files.reach import Place, reach
from pegboard_files.regular import Bytes, read_place, replace
from pegboard_files.settings import Settings, root_of
from pegboard_files.text import decode
from pegboard_files.versions import Claim, version_of_bytes
from pegboard_files.writing import check_size, encode

MOST_EDITS = 1_000
MOST_COUNTS = 20


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
        version: its version now.
        patch: what changed, as a unified diff; None for nothing, and for what is too long to show.
    """

    path: str
    size: int
    replaced: list[int]
    version: str
    patch: str | None


def _render(_arguments: Any, value: Any) -> list[Text]:
    replaced = value["replaced"]
    is_short = len(replaced) <= MOST_COUNTS
    counts = " + ".join(map(str, replaced)) if is_short else f"{sum(replaced)} in all"
    edited = f"{on_one_line(value['path'])}: {counts} replaced, {value['size']} bytes now"
    return [Text(f"{edited}\n[version {value['version']}]")]


@tool(
    title="Edit a file",
    concurrency_safe=by_path,
    annotations=CHANGES,
    output=Output(render=_render),
    present_call=shown_edit,
    present_result=shown_edited,
)
def files_edit(
    context: RunContext,
    path: Annotated[str, Doc("A text file, relative to the root.")],
    edits: Annotated[
        list[Edit],
        MinLen(1),
        MaxLen(MOST_EDITS),
        Doc("Done one after another, each on what the one before left; all of them or none."),
    ],
    version: Annotated[
        str | None, Doc("The version that was read: nothing is written if the file has changed.")
    ] = None,
) -> Edited:
    """Replace exact parts of a text file, in one step. Read the file first."""
    settings: Settings = context.plugin.settings
    claim, most = Claim.of(version, settings), settings.max_file_bytes
    with reach(root_of(context.plugin), path) as place:
        claim.check_named(place)
        read = _whole(place, most=most)
        claim.check(read, path=path)
        encoding = encoding_of(read.data, fallback=settings.fallback_encoding)
        before = _text(read, encoding, path=path)
        after, replaced = before, list[int]()
        for number, edit in enumerate(edits, 1):
            context.signal.raise_if_cancelled()
            after, count = _apply(after, edit, path=path, number=number, most=most)
            replaced.append(count)
        encoded = encode(after, encoding, path=path, most=most)
        replace(place, encoded, expected=read.state)
    patch = patch_of(place.true_path, before, after)
    return Edited(place.true_path, len(encoded), replaced, version_of_bytes(encoded), patch)


def _whole(place: Place, *, most: int) -> Bytes:
    read = read_place(place, most=most)
    if not read.is_whole:
        raise ToolError(
            f"{shown(place.path)} has {read.size} bytes, and files of at most {most} can be edited",
            code="too_large",
        )
    return read


def _text(read: Bytes, encoding: Encoding, *, path: str) -> str:
    text = decode(text_of(read.data, encoding, path=path), path=path)
    if not (encoding.is_plain or encoding.brings_back(text, read.data)):
        raise ToolError(
            f"{shown(path)} is {encoding.name} text that can't be written back as it was; nothing "
            "was written",
            code="not_text",
        )
    return text


def _apply(text: str, edit: Edit, *, path: str, number: int, most: int) -> tuple[str, int]:
    fitted = _fit_line_ends(edit, text)
    count = text.count(fitted.old)
    if count == 0:
        raise _refusal(path, number, why_not_there(fitted.old, text), "not_there")
    if count > 1 and not edit.everywhere:
        lines = lines_of(fitted.old, text)
        reason = (
            f"its old text is there {count} times, on {lines}; add the lines around it, or set "
            "everywhere"
        )
        raise _refusal(path, number, reason, "ambiguous")
    check_size(len(text) + count * (len(fitted.new) - len(fitted.old)), path=path, most=most)
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
