"""Addresses of hosts, as this machine finds them."""

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from typing import Any

import attrs
from pegboard import ToolError

from pegboard_web.addresses import Address

MOST_AT_ONCE = 16
MOST_ADDRESSES = 16


@attrs.frozen
class Lookups:
    """Looks hosts up, so many at once.

    The system can't be told to stop, so each has a thread of its own, which ends with it; nobody
    else's pool is filled by a slow server of names.
    """

    _free: asyncio.Semaphore = attrs.field(
        factory=lambda: asyncio.Semaphore(MOST_AT_ONCE), init=False
    )

    async def addresses(self, host: str, port: int) -> tuple[Address, ...]:
        """The addresses of a host, the best first; an address is its own.

        Raises:
            ToolError: there are none.
        """
        with suppress(ValueError):
            return (_plain(host),)
        await self._free.acquire()
        answer = _in_a_thread(lambda: _look_up(host, port), ended=self._free.release)
        try:
            found: tuple[Address, ...] = await answer
        except (OSError, ValueError) as error:
            raise _unknown(host) from error
        if not 0 < len(found) <= MOST_ADDRESSES:
            raise _unknown(host)
        return found


def _look_up(host: str, port: int) -> tuple[Address, ...]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(_plain(str(each[4][0])) for each in found))


def _plain(text: str) -> Address:
    """The address; one of IPv4 that is written as one of IPv6 is what it is."""
    address = ip_address(text)
    return (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address


def _in_a_thread(work: Callable[[], Any], *, ended: Callable[[], object]) -> "asyncio.Future[Any]":
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def settle(found: Any, error: BaseException | None) -> None:
        ended()
        if not answer.done():
            if error is None:
                answer.set_result(found)
            else:
                answer.set_exception(error)

    def run() -> None:
        found, failed = None, None
        try:
            found = work()
        except (OSError, ValueError) as error:
            failed = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(settle, found, failed)

    threading.Thread(target=run, name="pegboard-web lookup", daemon=True).start()
    return answer


def _unknown(host: str) -> ToolError:
    return ToolError(
        f"no address of the host {host!a} can be found; check how it is written",
        code="unknown_host",
    )
