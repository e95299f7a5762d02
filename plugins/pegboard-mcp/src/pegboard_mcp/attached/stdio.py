"""Messages over the pipes of a process: one JSON text a line."""

import asyncio
import json
import logging
import re
from collections import deque
from contextlib import suppress
from itertools import chain
from types import TracebackType
from typing import Self

from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from pegboard_mcp.attached.child import Child
from pegboard_mcp.attached.ends import End
from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.tail import Tail
from pegboard_mcp.attached.target import Command

LONGEST = 64 * 1024 * 1024
"""Bytes of the longest message that is read."""
_ENDS = 4096
"""Bytes at each end of a line in which its id is looked for if it can't be read."""
_LOOKED_AT = 64 * 1024
"""Bytes of such a line in which secrets are looked for before it is cut."""
_MOST_STRAY = 20
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ID = re.compile(rb'"id"\s*:\s*("[^"\\]{0,100}"|-?\d{1,18})')
_IS_ANSWER = re.compile(rb'"(?:result|error)"\s*:')


class Lines:
    """Cuts what a process writes into lines, none of them longer than memory can bear."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._lines: deque[tuple[bytes, bool]] = deque()
        self._parts: list[bytes] = []
        self._size = 0

    async def next(self) -> tuple[bytes, bool] | None:
        """The next line, and whether all of it is there; None once there are no more."""
        while not self._lines:
            chunk = await self._child.read()
            if not chunk:
                return None
            *lines, rest = chunk.split(b"\n")
            for each in lines:
                self._add(each)
                self._lines.append((b"".join(self._parts), self._size <= LONGEST))
                self._parts, self._size = [], 0
            self._add(rest)
        return self._lines.popleft()

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        self._parts.append(part)
        if self._size > LONGEST:
            line = b"".join(self._parts)
            self._parts = [line[:_ENDS], line[-_ENDS:]]


class Reading(End):
    """The messages that a server writes."""

    def __init__(self, child: Child, log: logging.Logger, masks: Masks) -> None:
        self._lines = Lines(child)
        self._log = log
        self._masks = masks
        self._strays = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while (found := await self._lines.next()) is not None:
            line, is_whole = found
            message = self._message(line.strip(), is_whole=is_whole)
            if message is not None:
                return SessionMessage(message)
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        return await self.__anext__()

    def _message(self, line: bytes, *, is_whole: bool) -> JSONRPCMessage | None:
        """What a line says; None where it says nothing that can be understood."""
        if not line:
            return None
        try:
            if is_whole:
                return _parsed(line)
            why = f"it is longer than {LONGEST} bytes"
        except ValidationError as error:
            why = str(error.errors(include_input=False, include_context=False)[0]["msg"])
        except (ValueError, RecursionError) as error:
            why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        answered = _id_in(line)
        if answered is not None:
            text = f"the answer can't be read: {why}"
            return JSONRPCError(
                jsonrpc="2.0", id=answered, error=ErrorData(code=PARSE_ERROR, message=text)
            )
        self._note_stray(line)
        return None

    def _note_stray(self, line: bytes) -> None:
        self._strays += 1
        if self._strays <= _MOST_STRAY:
            text = self._masks.hide(line[:_LOOKED_AT].decode(errors="replace"))[:200]
            self._log.warning("a line on the standard output is no message: %s", text)
        if self._strays == _MOST_STRAY:
            self._log.warning("further lines that are no messages aren't shown")


class Sending(End):
    """Takes messages for a server."""

    def __init__(self, child: Child) -> None:
        self._child = child

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message.

        Raises:
            BrokenResourceError: the server doesn't read any more.
        """
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        await self._child.write(f"{text}\n".encode())


class Stdio:
    """A transport of the SDK over a process that is started and ended with it.

    Attributes:
        child: the process, once it was started.
    """

    def __init__(self, command: Command, tail: Tail, log: logging.Logger, masks: Masks) -> None:
        self._command = command
        self._tail = tail
        self._log = log
        self._masks = masks
        self._listening: asyncio.Task[None] | None = None
        self.child: Child | None = None

    async def __aenter__(self) -> tuple[Reading, Sending]:
        self.child = await Child.start(self._command)
        self._listening = asyncio.create_task(self._listen(self.child))
        return Reading(self.child, self._log, self._masks), Sending(self.child)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.child is not None:
            await self.child.stop()
        await self.heard()

    async def heard(self) -> None:
        """Wait until the last words of a process that has ended were taken."""
        if self._listening is not None:
            with suppress(asyncio.CancelledError):
                await self._listening

    async def _listen(self, child: Child) -> None:
        while chunk := await child.read_errors():
            self._tail.feed(chunk)
        self._tail.end()


def _parsed(line: bytes) -> JSONRPCMessage:
    """A message; the standard parser takes what is nested deeper than the fast one does."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        if error.errors(include_input=False)[0]["type"] != "json_invalid":
            raise
        return jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False)


def _id_in(line: bytes) -> RequestId | None:
    """The id of the request that a line answers which is no message; None if it answers none."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return _id_near(line)
    if not isinstance(said, dict) or "jsonrpc" not in said or "method" in said:
        return None
    number = said.get("id")
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if isinstance(number, str) or type(number) is int else None


def _id_near(line: bytes) -> RequestId | None:
    """The id of the request that a line seems to answer which isn't even JSON."""
    head, tail = line[:_ENDS], line[_ENDS:][-_ENDS:]
    if b'"jsonrpc"' not in head + tail or _IS_ANSWER.search(head + tail) is None:
        return None
    # an id further inside is that of something else, and might be that of another request
    in_head = (each for each in _ID.finditer(head) if _depth(head[: each.start()]) == 1)
    in_tail = (each for each in _ID.finditer(tail) if _depth(tail[each.end() :]) == -1)
    found = next(chain(in_head, in_tail), None)
    if found is None:
        return None
    text = found[1].decode(errors="replace")
    return text[1:-1] if text.startswith('"') else int(text)


def _depth(text: bytes) -> int:
    """How many more objects and lists begin in a piece of JSON than end."""
    bare = _TEXT.sub(b"", text)
    return sum(map(bare.count, (b"{", b"["))) - sum(map(bare.count, (b"}", b"]")))
