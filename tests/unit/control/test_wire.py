"""Lines over a socket, in whatever pieces they come."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.control.wire import Wire
from pegboard.errors import ControlError


@pytest.fixture
def pair() -> Iterator[tuple[Wire, socket.socket]]:
    """A wire, and the socket at its other end."""
    one, other = socket.socketpair()
    with Wire(one, 100) as wire, other:
        yield wire, other


@given(st.lists(st.binary(max_size=30).filter(lambda each: b"\n" not in each)), st.integers(1, 40))
async def test_lines_come_as_they_were_sent_however_they_are_cut(
    lines: list[bytes], size: int
) -> None:
    one, other = socket.socketpair()
    text = b"".join(each + b"\n" for each in lines)
    with Wire(one, 100) as wire, other:
        for start in range(0, len(text), size):
            other.send(text[start : start + size])
        other.shutdown(socket.SHUT_WR)
        found = [line async for line in _lines(wire)]

    assert found == lines


async def _lines(wire: Wire) -> AsyncIterator[bytes]:
    while (line := await wire.read()) is not None:
        yield line


@pytest.mark.parametrize("sent", [b"x" * 101, b"x" * 101 + b"\n", b"ok\n" + b"x" * 300])
async def test_a_line_that_is_too_long_is_refused_before_it_is_whole(
    pair: tuple[Wire, socket.socket], sent: bytes
) -> None:
    wire, other = pair
    other.send(sent)

    with pytest.raises(ControlError, match="at most 100 bytes") as caught:
        [line async for line in _lines(wire)]

    assert caught.value.kind == "too_large"


async def test_a_line_of_the_most_bytes_is_read(pair: tuple[Wire, socket.socket]) -> None:
    wire, other = pair
    other.send(b"x" * 100 + b"\n")

    assert await wire.read() == b"x" * 100


async def test_half_a_line_at_the_end_is_no_line(pair: tuple[Wire, socket.socket]) -> None:
    wire, other = pair
    other.send(b"half")
    other.close()

    assert await wire.read() is None


async def test_who_does_not_read_is_given_up(pair: tuple[Wire, socket.socket]) -> None:
    wire, _ = pair

    with pytest.raises(TimeoutError):
        await wire.write(b"x" * 2**22, reading=0.05)


async def test_who_reads_slowly_gets_all(pair: tuple[Wire, socket.socket]) -> None:
    wire, other = pair
    writing = asyncio.create_task(wire.write(b"x" * 2**22, reading=5))
    left = 2**22 + 1
    while left:
        await asyncio.sleep(0)
        left -= len(other.recv(2**16))

    assert await writing is None


async def test_the_end_of_a_connection_is_seen_without_reading(
    pair: tuple[Wire, socket.socket],
) -> None:
    wire, other = pair
    before = wire.is_over()
    other.send(b"x")
    between = wire.is_over()
    await asyncio.wait_for(asyncio.get_running_loop().sock_recv(wire._sock, 9), 5)
    other.close()

    assert (before, between, wire.is_over()) == (False, False, True)
