"""The tool that writes a file."""

from typing import Annotated

import attrs
from pegboard import Doc, RunContext, ToolError, tool

from pegboard_files.effects import REPLACES
from pegboard_files.paths import shown
from pegboard_files.reach import reach
from pegboard_files.regular import replace
from pegboard_files.settings import Settings, root_of


@attrs.frozen
class Written:
    """A file that was written.

    Attributes:
        path: the file, from the root, links resolved.
        size: its bytes.
        is_new: whether there was none of this name before.
    """

    path: str
    size: int
    is_new: bool


@tool(
    title="Write a file",
    concurrency_safe=False,
    annotations=REPLACES,
)
def files_write(
    context: RunContext,
    path: Annotated[str, Doc("The file, relative to the root; missing folders are made.")],
    content: Annotated[str, Doc("The whole new text of the file.")],
) -> Written:
    """Write a whole text file (UTF-8), in one step; what was in the file before is lost."""
    settings: Settings = context.plugin.settings
    encoded = encode(content, path=path, most=settings.max_file_bytes)
    with reach(root_of(context.plugin), path, create=True) as place:
        replace(place, encoded)
    return Written(place.true_path, len(encoded), place.found is None)


def encode(text: str, *, path: str, most: int) -> bytes:
    """Text as the bytes of a file.

    Raises:
        ToolError: it isn't valid text, or too much.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            f"the text for {shown(path)} has half a character; leave it out", code="not_text"
        ) from error
    if len(encoded) > most:
        raise ToolError(
            f"the text for {shown(path)} would have {len(encoded)} bytes, and {most} are allowed; "
            "write several files",
            code="too_large",
        )
    return encoded
