"""Connections to the addresses that the rules admit, and to no others."""

from collections.abc import Iterable
from contextlib import suppress

import anyio
import attrs
import httpcore2

from pegboard_web.addresses import Address
from pegboard_web.lookups import Lookups
from pegboard_web.rules import Rules


@attrs.frozen
class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """A network on which a host is looked up once, and only what was checked is connected to.

    Attributes:
        rules: which hosts and addresses may be reached.
    """

    rules: Rules
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
        return await self._first_of(addresses, port, timeout)

    async def _first_of(
        self, addresses: tuple[Address, ...], port: int, seconds: float | None
    ) -> httpcore2.AsyncNetworkStream:
        share = None if seconds is None else seconds / len(addresses)
        *others, last = map(str, addresses)
        for each in others:
            with suppress(httpcore2.ConnectError, httpcore2.ConnectTimeout):
                return await self._open.connect_tcp(each, port, share)
        return await self._open.connect_tcp(last, port, share)
