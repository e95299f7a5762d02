"""Compressed answers: whole, in parts, broken off, and larger than they look."""

import gzip
import tracemalloc
import zlib
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard_web.unpacking import STEP, Unpacking


def raw(data: bytes) -> bytes:
    """Data as some servers understand `deflate`, without the frame of zlib."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": ("gzip", gzip.compress),
    "gzip in two parts": ("gzip", lambda data: gzip.compress(data[:5]) + gzip.compress(data[5:])),
    "gzip with more behind": ("gzip", lambda data: gzip.compress(data) + b"\0\0more"),
    "deflate": ("deflate", zlib.compress),
    "deflate without a frame": ("deflate", raw),
    "nothing": ("", bytes),
}


def unpacked(coding: str, data: bytes, size: int) -> bytes:
    """What data holds that comes in parts of a size."""
    unpacking = Unpacking(coding)
    parts = [data[start : start + size] for start in range(0, len(data), size)]
    found = b"".join(each for part in parts for each in unpacking.unpack(part))
    unpacking.check_end()
    return found


@pytest.mark.parametrize("name", PACKED)
@given(data=st.binary(max_size=200) | st.just(bytes(STEP + 300)), size=st.integers(1, 400))
def test_what_was_compressed_is_the_same_however_it_comes(
    name: str, data: bytes, size: int
) -> None:
    coding, pack = PACKED[name]

    assert unpacked(coding, pack(data), size) == data


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_nothing_at_all_is_whole(coding: str) -> None:
    assert unpacked(coding, b"", 1) == b""


@pytest.mark.parametrize("name", ["gzip", "deflate", "deflate without a frame"])
@given(cut=st.integers(1, 20))
def test_what_breaks_off_is_never_taken_for_the_whole(name: str, cut: int) -> None:
    coding, pack = PACKED[name]
    data = pack(bytes(range(256)))

    with pytest.raises(httpx2.DecodingError):
        unpacked(coding, data[:-cut], 100)


def test_a_bomb_is_unpacked_a_little_at_a_time() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    try:
        largest = max(len(part) for part in Unpacking("gzip").unpack(bomb))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert largest == STEP
    assert most < 2_000_000


@pytest.mark.parametrize("name", ["gzip", "deflate", "deflate without a frame"])
@pytest.mark.parametrize("kind", ["text/plain", "text/html", "image/png"])
async def test_an_answer_whose_compression_breaks_off_is_broken(
    refusal: Any, reply: Any, name: str, kind: str
) -> None:
    coding, pack = PACKED[name]
    body = pack(b"word " * 1_000)[:-6]

    assert await refusal({"/": reply(body, kind, content_encoding=coding)}) == "broken_answer"


@pytest.mark.parametrize("coding", ["x-gzip", "GZIP", "gzip, identity", "gzip,"])
async def test_gzip_is_known_by_its_other_names(fetch: Any, reply: Any, coding: str) -> None:
    answer = reply(gzip.compress(b"hello"), "text/plain", content_encoding=coding)

    assert (await fetch({"/": answer})).unwrap()["text"] == "hello"
