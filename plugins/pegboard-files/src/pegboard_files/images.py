"""Pictures, told by the first bytes of a file; nothing of them is ever decoded."""

from base64 import b64encode

import attrs
from pegboard import ToolError

from pegboard_files.paths import shown
from pegboard_files.regular import Bytes

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


@attrs.frozen
class Picture:
    """A picture in a file.

    Attributes:
        mime_type: its kind, by its first bytes and not by its name.
        data: the bytes of the file, base64.
        size: how many bytes the file has.
    """

    mime_type: str
    data: str = attrs.field(repr=False)
    size: int


def kind_of_image(data: bytes) -> str | None:
    """The kind of picture that begins with these bytes; None for anything else."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


def picture(read: Bytes, kind: str, *, path: str, most: int) -> Picture:
    """The picture in a file that was read.

    Raises:
        ToolError: it is larger than a model is shown.
    """
    if read.size > most or not read.is_whole:
        allowed = min(most, len(read.data))
        raise ToolError(
            f"{shown(path)} is a picture ({kind}) of {read.size} bytes, and at most {allowed} are "
            "shown; make it smaller",
            code="too_large",
        )
    return Picture(kind, b64encode(read.data).decode(), read.size)
