"""Pictures, told by the first bytes of a file; nothing of them is ever decoded.

What has a size and an end is shown: providers refuse a whole conversation for a picture without.
"""

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
_PNG_END = b"IEND\xaeB`\x82"


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
        ToolError: it is larger than a model is shown, or no whole picture.
    """
    if read.size > most or not read.is_whole:
        allowed = min(most, len(read.data))
        raise ToolError(
            f"{shown(path)} is a picture ({kind}) of {read.size} bytes, and at most {allowed} are "
            "shown; make it smaller",
            code="too_large",
        )
    if not _is_whole(read.data, kind):
        raise ToolError(
            f"{shown(path)} begins like a picture ({kind}) and isn't a whole one, so it can't be "
            "shown",
            code="broken_picture",
        )
    return Picture(kind, b64encode(read.data).decode(), read.size)


def _is_whole(data: bytes, kind: str) -> bool:
    """Whether a picture has a size and an end, as far as that is seen without decoding it."""
    match kind:
        case "image/png":
            return data[12:16] == b"IHDR" and _are_sizes(data[16:24]) and _PNG_END in data[24:]
        case "image/gif":
            return _are_sizes(data[6:10]) and b";" in data[13:]
        case "image/webp":
            return 12 < int.from_bytes(data[4:8], "little") + 8 <= len(data)
        case _:
            return b"\xff\xd9" in data[4:]


def _are_sizes(data: bytes) -> bool:
    """Whether neither the width nor the height is nothing."""
    half = len(data) // 2
    return any(data[:half]) and any(data[half:])
