"""A board over standard input and output, which nothing else can reach meanwhile."""

import asyncio
import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from typing import TextIO

import anyio
from pegboard import Board, PegboardError

from pegboard_mcp.serving.exchange import Exchange
from pegboard_mcp.serving.server import BoardServer
from pegboard_mcp.serving.wire import Lines, Writer


async def serve_stdio(
    board: Board, *, page_size: int | None = None, results: TextIO | None = None
) -> None:
    """Serve a board to the client at the other end of standard input and output.

    Until this ends, tools that print, and programs that they start, write on standard error, and
    find standard input empty.

    Args:
        board: what the client sees and may call.
        page_size: how many tools one `tools/list` gives at most; None for all of them.
        results: where the client reads, if standard output was put somewhere else already.

    Raises:
        PegboardError: standard input or output isn't a descriptor.
    """
    server = BoardServer(board, page_size=page_size)
    with ExitStack() as stack:
        wire_in = stack.enter_context(_taken(sys.stdin, 0))
        if results is None:
            wire_out = stack.enter_context(_taken(sys.stdout, 1))
            stack.enter_context(redirect_stdout(sys.stderr))
        else:
            results.flush()
            wire_out = _descriptor(results)
        lines, writer = Lines(wire_in), Writer(wire_out)
        stack.callback(writer.close)
        with _quiet():
            await Exchange(lines, writer).serve(server)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let it be an end like any other that messages were on their way, which the SDK raises."""
    try:
        yield
    except BaseExceptionGroup as group:
        _, others = group.split((anyio.BrokenResourceError, anyio.ClosedResourceError))
        if others is not None:
            raise
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError from None


@contextmanager
def _taken(stream: TextIO | None, number: int) -> Iterator[int]:
    """A descriptor of its own for what was standard input or output, which now leads elsewhere."""
    if _descriptor(stream) != number:
        raise PegboardError(f"descriptor {number} isn't what it was; a program can't serve here")
    kept = os.dup(number)
    elsewhere = os.open(os.devnull, os.O_RDONLY) if number == 0 else os.dup(2)
    os.dup2(elsewhere, number)
    os.close(elsewhere)
    try:
        yield kept
    finally:
        if stream is not None and number == 1:
            with suppress(OSError):
                stream.flush()
        os.dup2(kept, number)  # kept stays open: a thread may still read or write there


def _descriptor(stream: TextIO | None) -> int:
    try:
        if stream is not None:
            return stream.fileno()
    except (OSError, io.UnsupportedOperation):
        pass
    raise PegboardError("to serve a board here takes real standard streams; use serve_http instead")
