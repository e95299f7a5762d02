"""Places as an operator names them: hosts by a pattern, or addresses by a network."""

import re
from fnmatch import fnmatchcase
from ipaddress import IPv4Network, IPv6Network, ip_network

import attrs

from pegboard_web.addresses import Address, meant

_PATTERN = re.compile(r"[a-z0-9.*?_-]+")
_NUMBERS = re.compile(r"[0-9a-f.:/]*[:/][0-9a-f.:/]*|[0-9.]+")
_PORT = re.compile(r"[0-9]{1,5}")


@attrs.frozen
class Place:
    """Hosts that match a pattern, or addresses of a network; on one port, or on any.

    Attributes:
        pattern: how the hosts are called; None where a network is meant.
        network: the addresses; None where hosts are meant.
        port: the one port that is meant, if it is one.
    """

    pattern: str | None
    network: IPv4Network | IPv6Network | None
    port: int | None

    def names(self, host: str, port: int) -> bool:
        """Whether it is a host of that name."""
        if self.pattern is None or self.port not in (None, port):
            return False
        return fnmatchcase(host, self.pattern)

    def holds(self, address: Address, port: int) -> bool:
        """Whether it is a network with that address, or with the one wrapped in it."""
        if self.network is None or self.port not in (None, port):
            return False
        return any(
            each.version == self.network.version and each in self.network
            for each in (address, meant(address))
        )


def place_of(text: str) -> Place:
    """The place that an operator wrote, such as `*.example.org:8443`, `10.0.0.0/8` or `[::1]:80`.

    Raises:
        ValueError: it is none.
    """
    host, port = _parts(text.lower())
    if port is not None and not 0 < port < 65536:
        raise ValueError(f"{text!a} has a port that there isn't")
    if _NUMBERS.fullmatch(host):
        try:
            return Place(None, ip_network(host), port)
        except ValueError as error:
            raise ValueError(f"{text!a} is no address and no network: {error}") from error
    if _PATTERN.fullmatch(host) is None:
        raise ValueError(
            f"{text!a} is no host, address or network; write 'example.org', '*.example.org', "
            "'10.0.0.0/8' or 'example.org:8443', other letters as xn--…"
        )
    return Place(host.rstrip("."), None, port)


def _parts(text: str) -> tuple[str, int | None]:
    host, separator, port = text.rpartition(":")
    is_bare = text.count(":") > 1 and not host.endswith("]")
    if is_bare or not separator or _PORT.fullmatch(port) is None:
        return text.removeprefix("[").removesuffix("]"), None
    return host.removeprefix("[").removesuffix("]"), int(port)
