"""Answers as they were before a server compressed them, unpacked a little at a time."""

import zlib
from collections.abc import Iterator

import attrs
import httpx2
from pegboard import ToolError

CODINGS = ("gzip", "deflate")
STEP = 1 << 16
"""How many bytes are unpacked before they are looked at."""

_SAME = {"x-gzip": "gzip"}
_GZIP, _ZLIB, _RAW = 31, 15, -15
_BEGINS_A_PART = b"\x1f"


@attrs.define
class Unpacking:
    """One answer, being unpacked.

    Attributes:
        coding: `gzip` or `deflate`; empty where the answer isn't compressed.
    """

    coding: str
    _stream: "zlib._Decompress | None" = None
    _has_ended: bool = False

    def unpack(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes hold, in parts of `STEP` bytes at most.

        Raises:
            httpx2.DecodingError: they aren't compressed as the server says.
        """
        if not self.coding:
            yield data
            return
        try:
            yield from self._parts(data)
        except zlib.error as error:
            raise httpx2.DecodingError("the bytes aren't compressed as is said") from error

    def check_end(self) -> None:
        """Refuse an answer that ends before what was compressed does.

        Raises:
            httpx2.DecodingError: it does.
        """
        if self._stream is not None:
            raise httpx2.DecodingError("what was compressed breaks off")

    def _parts(self, data: bytes) -> Iterator[bytes]:
        while self._stream or self._begins(data):
            stream = self._stream = self._stream or zlib.decompressobj(_window(self.coding, data))
            part = stream.decompress(data, STEP)
            yield part
            if stream.eof:
                self._stream, self._has_ended, data = None, True, stream.unused_data
            elif stream.unconsumed_tail or len(part) == STEP:
                data = stream.unconsumed_tail
            else:
                return

    def _begins(self, data: bytes) -> bool:
        """Whether something compressed begins; behind the end, only another part of `gzip` does."""
        is_next = self.coding == "gzip" and data[:1] == _BEGINS_A_PART
        return bool(data) and (is_next or not self._has_ended)


def unpacking_of(answer: httpx2.Response) -> Unpacking:
    """How an answer is unpacked.

    Raises:
        ToolError: it is compressed in a way that wasn't asked for.
    """
    said = answer.headers.get_list("content-encoding", split_commas=True)
    names = [_SAME.get(name, name) for name in (each.strip().lower() for each in said)]
    codings = [name for name in names if name not in ("", "identity")]
    if len(codings) > 1 or not set(codings) <= set(CODINGS):
        raise ToolError(
            f"the answer is compressed as {', '.join(codings)[:80]!a}, which wasn't asked for",
            code="unsupported_type",
        )
    return Unpacking(*codings or ("",))


def _window(coding: str, data: bytes) -> int:
    if coding == "gzip":
        return _GZIP
    return _ZLIB if data[0] & 0x0F == zlib.DEFLATED else _RAW
