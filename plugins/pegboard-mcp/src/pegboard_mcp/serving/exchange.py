"""The messages of one client on standard input and output, until it has gone."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp_types.jsonrpc import JSONRPCMessage

from pegboard_mcp.serving.refusals import read
from pegboard_mcp.serving.server import BoardServer
from pegboard_mcp.serving.wire import Lines, Writer

_TO_ANSWER = 1.0
_TO_READ = 1.0
_ENDLESS = "subscriptions/listen"


class Exchange:
    """Carries messages between a client and a server.

    What was asked before the end of the input still has a short time to be answered, and is
    cancelled then: each request has its answer. Where nobody reads them, everything ends.
    """

    def __init__(self, lines: Lines, writer: Writer) -> None:
        self._lines = lines
        self._writer = writer
        self._unanswered: set[str] = set()
        self._answered = anyio.Event()
        self._is_stopping = False

    async def serve(self, server: BoardServer) -> None:
        """Have a server answer until one end is closed.

        Being cancelled cancels every call, and the client has a second to read their outcomes.
        """
        task = asyncio.create_task(self._serve(server), name="pegboard-mcp-stdio")
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            self._is_stopping = True
            with suppress(asyncio.CancelledError, TimeoutError):
                await server.stop()
                await asyncio.wait_for(self._last_answers(), _TO_READ)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise

    async def _serve(self, server: BoardServer) -> None:
        coming, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, going = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._receive, coming, group, server.stop)
            group.start_soon(self._send, going, group)
            await server.run(incoming, outgoing, server.create_initialization_options())

    async def _receive(
        self,
        coming: MemoryObjectSendStream[SessionMessage | Exception],
        group: TaskGroup,
        stop: Callable[[], Awaitable[None]],
    ) -> None:
        async with coming:
            async for line in self._lines:
                message, refusal = read(line)
                if refusal is not None:
                    group.start_soon(self._refuse, refusal, group)
                if message is not None and not self._is_stopping:
                    self._note(message)
                    await coming.send(SessionMessage(message))
            with anyio.move_on_after(_TO_ANSWER):
                await self._last_answers()
            await stop()
            with anyio.move_on_after(_TO_READ):
                await self._last_answers()
        group.cancel_scope.deadline = anyio.current_time() + _TO_READ

    async def _send(
        self, going: MemoryObjectReceiveStream[SessionMessage], group: TaskGroup
    ) -> None:
        async with going:
            async for each in going:
                await self._write(each.message, group)
                if isinstance(each.message, JSONRPCResponse | JSONRPCError):
                    self._forget(each.message.id)

    async def _refuse(self, refusal: JSONRPCError, group: TaskGroup) -> None:
        own = f"refusal {id(refusal)}"
        self._unanswered.add(own)
        await self._write(refusal, group)
        self._forget(own)

    async def _write(self, message: JSONRPCMessage, group: TaskGroup) -> None:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._writer.write(f"{text}\n")
        except anyio.ClosedResourceError:
            group.cancel_scope.cancel()

    def _note(self, message: JSONRPCMessage) -> None:
        """Note who waits for an answer."""
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._unanswered.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method.endswith("/cancelled"):
            self._forget((message.params or {}).get("requestId"))

    def _forget(self, request_id: object) -> None:
        self._unanswered.discard(str(request_id))
        if not self._unanswered:
            self._answered.set()
            self._answered = anyio.Event()

    async def _last_answers(self) -> None:
        while self._unanswered:
            await self._answered.wait()
