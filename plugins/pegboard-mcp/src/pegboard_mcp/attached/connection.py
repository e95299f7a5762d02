"""The connection to one server: one task owns it, and calls go through it side by side."""

import asyncio
import contextvars
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
import attrs
from mcp import Client, MCPError
from mcp.client import IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp_types import Implementation, LoggingMessageNotificationParams, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pegboard import WorkerLostError, __version__

from pegboard_mcp.attached.backoff import BackOff
from pegboard_mcp.attached.definitions import Listing
from pegboard_mcp.attached.failures import first_leaf, start_error
from pegboard_mcp.attached.listing import fetched
from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.questions import Questions
from pegboard_mcp.attached.requests import is_broken_off
from pegboard_mcp.attached.target import Target
from pegboard_mcp.attached.transports import Way, way_to
from pegboard_mcp.attached.wire import Wire

_GATHERING = 0.05
"""Seconds in which further notices of a change count as one."""
_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a lost subscription is asked for again."""
_TO_ANSWER = 1.0
"""Seconds in which a server shows that it is still there."""
_TRIES = 5

TakeList = Callable[[Listing], Awaitable[None]]


@attrs.frozen(eq=False)
class Link:
    """One connection, as long as it stands.

    Attributes:
        client: what calls go through.
        way: how the server is reached.
        wire: knows when it has ended.
        changed: set by a notice that the list of tools has changed.
    """

    client: Client
    way: Way
    wire: Wire
    changed: asyncio.Event

    @property
    def stands(self) -> bool:
        """Whether the server can still answer."""
        return not self.wire.ended.is_set()

    async def test(self) -> None:
        """Ask something harmless; the connection of a server that is gone ends by that."""
        with suppress(TimeoutError, ValueError):
            async with asyncio.timeout(_TO_ANSWER):
                # what was kept open to a server that is gone may break before it is found closed
                for _ in range(_TRIES):
                    if not await self._breaks_off() or not self.stands:
                        return
                    await asyncio.sleep(_GATHERING)

    async def _breaks_off(self) -> bool:
        session, version = self.client.session, self.client.protocol_version
        try:
            if version in MODERN_PROTOCOL_VERSIONS:
                await session.send_discover(version)
            else:
                await session.send_ping()
        except MCPError as error:
            return is_broken_off(error.message)
        return False


class Connection:
    """Starts a server when it is needed, again after it has ended, and ends it at last."""

    def __init__(
        self,
        target: Target,
        *,
        log: logging.Logger,
        masks: Masks,
        questions: Questions,
        start_timeout: float,
        take_list: TakeList,
    ) -> None:
        self._target = target
        self._log = log
        self._masks = masks
        self._questions = questions
        self._start_timeout = start_timeout
        self._take_list = take_list
        self._back_off = BackOff()
        self._ready: asyncio.Future[Link] | None = None
        self._owners: list[asyncio.Task[None]] = []
        self._is_open = True

    async def link(self) -> Link:
        """The connection, started if it has to be.

        Raises:
            StartError: it can't be.
            WorkerLostError: the plugin is unloaded.
        """
        if not self._is_open:
            raise WorkerLostError("the plugin of this MCP server is unloaded")
        ready = self._ready
        if ready is None or (ready.done() and (ready.exception() or not ready.result().stands)):
            ready = self._begin()
        return await asyncio.shield(ready)

    async def close(self) -> None:
        """End the server, and wait until nothing of it is left."""
        self._is_open = False
        owners, self._owners = self._owners, []
        for each in owners:
            each.cancel()
        if owners:
            await asyncio.wait(owners)

    @property
    def told_break(self) -> str:
        """How an answer was lost whose server is still there, in words."""
        shown = self._target.shown
        return f"the connection to the MCP server of {shown} broke before it had answered"

    async def told_end(self, link: Link, why: str) -> str:
        """How a connection was lost, in words.

        Args:
            link: the connection.
            why: what a call was told, for where nothing better is known.
        """
        ending = await link.way.ending() or f": {why}"
        return self._masks.hide(f"the MCP server of {self._target.shown} is gone{ending}")

    def _begin(self) -> "asyncio.Future[Link]":
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[Link] = loop.create_future()
        ready.add_done_callback(_seen)
        self._ready = ready
        before = [each for each in self._owners if not each.done()]
        # a context of its own, so that nothing of the call that comes first stays behind
        owner = loop.create_task(
            self._own(ready, before), name="pegboard-mcp-owner", context=contextvars.Context()
        )
        self._owners = [*before, owner]
        return ready

    async def _own(self, ready: "asyncio.Future[Link]", before: "list[asyncio.Task[None]]") -> None:
        """Enter the client, keep it, and leave it, in one task as cancel scopes ask for."""
        try:
            if before:
                await asyncio.wait(before)
            await asyncio.sleep(self._back_off.left)
            await self._keep(ready)
        finally:
            if not ready.done():
                ready.set_exception(WorkerLostError("the plugin of this MCP server is unloaded"))

    async def _keep(self, ready: "asyncio.Future[Link]") -> None:
        link = self._new_link()
        self._back_off.start()
        try:
            async with asyncio.timeout(self._start_timeout) as limit, link.client:
                listed = await fetched(link.client, self._log, self._masks)
                limit.reschedule(None)
                await self._take_list(listed)
                if link.way.http is not None:
                    link.way.http.requests.is_in_use = True
                ready.set_result(link)
                await self._serve(link)
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises has ended the server
            if ready.done():
                self._log.warning("the connection has ended: %s", self._told(error))
            else:
                shown = self._target.shown
                failure = await start_error(error, link.way, shown=shown, masks=self._masks)
                ready.set_exception(failure)
        else:
            self._log.warning("the server has ended%s", self._masks.hide(await link.way.ending()))
        finally:
            link.wire.ended.set()
            self._back_off.end()

    def _told(self, error: BaseException) -> str:
        leaf = first_leaf(error)
        return self._masks.hide(f"{type(leaf).__name__}: {leaf}")

    def _new_link(self) -> Link:
        way = way_to(self._target, log=self._log, masks=self._masks)
        wire, changed = Wire(way.transport, way.ended), asyncio.Event()

        async def hear(message: IncomingMessage) -> None:
            if isinstance(message, ToolListChangedNotification):
                changed.set()
            elif isinstance(message, Exception):
                self._log.warning("a message can't be read: %s", type(message).__name__)

        client = Client(
            wire,
            client_info=Implementation(name="pegboard", version=__version__),
            elicitation_callback=self._questions.elicit,
            logging_callback=self._note,
            message_handler=hear,
            cache=None,
        )
        return Link(client, way, wire, changed)

    async def _note(self, params: LoggingMessageNotificationParams) -> None:
        self._log.info("%s: %s", params.level, self._masks.hide(str(params.data)))

    async def _serve(self, link: Link) -> None:
        """Follow the server's list until it says nothing more."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._follow, link)
            if _can_listen(link.client):
                group.start_soon(self._listen, link)
            await link.wire.ended.wait()
            group.cancel_scope.cancel()

    async def _follow(self, link: Link) -> None:
        """Fetch the list again after each notice, and once more after one that comes meanwhile."""
        while True:
            await link.changed.wait()
            await asyncio.sleep(_GATHERING)
            link.changed.clear()
            try:
                async with asyncio.timeout(self._start_timeout):
                    listed = await fetched(link.client, self._log, self._masks)
                await self._take_list(listed)
            except Exception as error:  # noqa: BLE001 - no list is worth the connection
                self._log.warning("the list of tools stays as it was: %s", self._told(error))

    async def _listen(self, link: Link) -> None:
        """Have the server say when its list changes, as long as it goes on."""
        pause = _PAUSE
        while True:
            began = time.monotonic()
            try:
                async with link.client.listen(tools_list_changed=True) as subscription:
                    # of a change before now nobody has told
                    link.changed.set()
                    async for _ in subscription:
                        link.changed.set()
            except (SubscriptionLost, TimeoutError, MCPError) as error:
                told = self._told(error)
                self._log.debug("the server doesn't say when its list changes: %s", told)
            if time.monotonic() - began > _LONGEST_PAUSE:
                pause = _PAUSE
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _can_listen(client: Client) -> bool:
    tools = client.server_capabilities.tools
    is_modern = client.protocol_version in MODERN_PROTOCOL_VERSIONS
    return is_modern and tools is not None and bool(tools.list_changed)


def _seen(ready: "asyncio.Future[Link]") -> None:
    """Take note of a failure that nobody waits for any more; the next call tries again."""
    if not ready.cancelled():
        ready.exception()
