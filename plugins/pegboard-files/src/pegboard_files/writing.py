"""The tool that writes a file."""

from typing import Annotated, Any

import attrs
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_files.cards import shown_write, shown_written
from pegboard_files.effects import REPLACES
from pegboard_files.encoding import PLAIN, Encoding, encoding_of
from pegboard_files.overlap import by_path
from pegboard_files.patches import patch_of
from pegboard_files.paths import on_one_line, shown
from pegboard_files.reach import Place, reach
from pegboard_files.regular import Bytes, read_place, replace
from pegboard_files.settings import Settings, root_of
from pegboard_files.text import is_binary
from pegboard_files.versions import Claim, read_if_possible, version_of_bytes


@attrs.frozen
class Written:
    """A file that was written.

    Attributes:
        path: the file, from the root, links resolved.
        size: its bytes.
        is_new: whether there was none of this name before.
        version: its version now.
        patch: what changed, as a unified diff; None for nothing, and for what is too long to show.
    """

    path: str
    size: int
    is_new: bool
    version: str
    patch: str | None


def _render(_arguments: Any, value: Any) -> list[Text]:
    kind = "a new file" if value["is_new"] else "in place of what was there"
    written = f"{on_one_line(value['path'])}: {value['size']} bytes written, {kind}"
    return [Text(f"{written}\n[version {value['version']}]")]


@tool(
    title="Write a file",
    concurrency_safe=by_path,
    annotations=REPLACES,
    output=Output(render=_render),
    present_call=shown_write,
    present_result=shown_written,
)
def files_write(
    context: RunContext,
    path: Annotated[str, Doc("The file, relative to the root; missing folders are made.")],
    content: Annotated[str, Doc("The whole new text of the file.")],
    version: Annotated[
        str | None, Doc("The version that was read: nothing is written if the file has changed.")
    ] = None,
) -> Written:
    """Write a whole text file, in one step; what was in the file before is lost."""
    settings: Settings = context.plugin.settings
    claim = Claim.of(version, settings)
    with reach(root_of(context.plugin), path, create=True) as place:
        claim.check_named(place)
        read = _old(place, settings, is_needed=version is not None)
        encoding, before = _known(read, settings)
        encoded = encode(content, encoding, path=path, most=settings.max_file_bytes)
        if read is not None and read.data != encoded:
            claim.check(read, path=path)
        expected = None if read is None or version is None else read.state
        replace(place, encoded, expected=expected)
    is_new = place.found is None
    has_patch = is_new or before is not None
    return Written(
        place.true_path,
        len(encoded),
        is_new,
        version_of_bytes(encoded),
        patch_of(place.true_path, before, content) if has_patch else None,
    )


def encode(text: str, encoding: Encoding, *, path: str, most: int) -> bytes:
    """Text as the bytes of a file.

    Raises:
        ToolError: the encoding can't say it, or it is too much.
    """
    try:
        encoded = encoding.encode(text)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"{shown(path)} is {encoding.name} text, which can't hold character {error.start + 1}; "
            "write it in another way, and nothing was written",
            code="not_text",
        ) from error
    check_size(len(encoded), path=path, most=most)
    return encoded


def check_size(size: int, *, path: str, most: int) -> None:
    """Let a text pass that isn't too much.

    Args:
        size: its bytes, or fewer of which it is known that it has them.
        path: the file that it is for.
        most: how many bytes are allowed.

    Raises:
        ToolError: it is too much.
    """
    if size > most:
        raise ToolError(
            f"the text for {shown(path)} would have {size} bytes, and {most} are allowed; "
            "write several files",
            code="too_large",
        )


def _old(place: Place, settings: Settings, *, is_needed: bool) -> Bytes | None:
    """What was in the file, as far as it can be read."""
    if is_needed:
        return read_place(place, most=settings.max_file_bytes)
    return read_if_possible(place, most=settings.max_file_bytes)


def _known(read: Bytes | None, settings: Settings) -> tuple[Encoding, str | None]:
    """How the file was encoded and will be, and its text; plain and None for what is no text."""
    if read is None:
        return PLAIN, None
    encoding = encoding_of(read.data, fallback=settings.fallback_encoding)
    if encoding.is_plain and is_binary(read.data):
        return PLAIN, None
    try:
        text = encoding.decode(read.data, is_cut=not read.is_whole)
    except UnicodeDecodeError:
        return PLAIN, None
    return encoding, text if read.is_whole else None
