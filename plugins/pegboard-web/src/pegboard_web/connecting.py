"""Connections to the addresses that the rules admit, and to no others."""

from collections.abc import Iterable
from contextlib import suppress
from ssl import SSLContext
from typing import Any

import anyio
import attrs
import httpcore2

from pegboard_web.addresses import Address
from pegboard_web.lookups import Lookups
from pegboard_web.rules import Rules
from pegboard_web.trust import Trust

_STEP = 4_096
"""How much is read at once, so that no flood of tiny parts holds up the loop."""


@attrs.frozen
class Steps(httpcore2.AsyncNetworkStream):
    """A connection that gives a little at a time, and lets others run in between.

    Attributes:
        trust: which certificates are believed, should it come to TLS.
    """

    _stream: httpcore2.AsyncNetworkStream
    trust: Trust

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the network's own signature
    ) -> bytes:
        """The next bytes; none at the end."""
        return await self._stream.read(min(max_bytes, _STEP), timeout)

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - the same
    ) -> None:
        """Send bytes."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: SSLContext,  # noqa: ARG002 - the pool's own believes nobody
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the same
    ) -> httpcore2.AsyncNetworkStream:
        """The same connection, from now on in TLS."""
        context = self.trust.context()
        return Steps(await self._stream.start_tls(context, server_hostname, timeout), self.trust)

    def get_extra_info(self, info: str) -> Any:
        """What is known of the connection."""
        return self._stream.get_extra_info(info)


@attrs.frozen
class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """A network on which a host is looked up once, and only what was checked is connected to.

    Attributes:
        rules: which hosts and addresses may be reached.
        trust: which certificates of servers are believed.
    """

    rules: Rules
    trust: Trust
    _lookups: Lookups = attrs.field(factory=Lookups)
    _open: httpcore2.AsyncNetworkBackend = attrs.field(factory=httpcore2.AnyIOBackend)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the network's own signature
        local_address: str | None = None,  # noqa: ARG002 - the same
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002 - the same
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first address of a host that answers.

        Raises:
            ToolError: the host may not be reached, or isn't known.
            httpcore2.ConnectError: no address answers.
            httpcore2.ConnectTimeout: they take too long.
        """
        name = host.rstrip(".")
        self.rules.check_name(name, port)
        try:
            with anyio.fail_after(timeout):
                addresses = await self._lookups.addresses(name, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout("looking the host up") from error
        self.rules.check_addresses(name, port, addresses)
        return Steps(await self._first_of(addresses, port, timeout), self.trust)

    async def _first_of(
        self, addresses: tuple[Address, ...], port: int, seconds: float | None
    ) -> httpcore2.AsyncNetworkStream:
        share = None if seconds is None else seconds / len(addresses)
        *others, last = map(str, addresses)
        for each in others:
            with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
                return await self._open.connect_tcp(each, port, share)
        return await self._open.connect_tcp(last, port, share)
