"""Which hosts, ports and addresses may be reached."""

from collections.abc import Iterable, Sequence

import attrs
from pegboard import ToolError

from pegboard_web.addresses import Address, Nature, nature
from pegboard_web.places import Place

_NEVER = (Nature.UNSPECIFIED, Nature.MULTICAST)
_BY_ADDRESS_ONLY = (Nature.LINK_LOCAL, Nature.METADATA)
"""A name that is allowed to be private might be pointed there by whoever runs its DNS."""


@attrs.frozen
class Rules:
    """What an operator allows.

    Attributes:
        allow: the only places that may be reached; None for all.
        deny: places that may not, whatever else is said.
        allow_private: places that may be reached though they are private.
        ports: the ports that may be reached anywhere.
    """

    allow: tuple[Place, ...] | None = None
    deny: tuple[Place, ...] = ()
    allow_private: tuple[Place, ...] = ()
    ports: frozenset[int] = frozenset({80, 443})

    def check_name(self, host: str, port: int) -> None:
        """Refuse a host by its name, so that nobody is asked for the addresses of one that is.

        Raises:
            ToolError: it may not be reached.
        """
        if any(place.names(host, port) for place in self.deny):
            raise _denied(host)
        if self.allow is not None and not self._may_be_allowed(self.allow, host, port):
            raise _denied(host)

    def check_addresses(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """Refuse a host whose addresses may not be reached; one such address is enough.

        Raises:
            ToolError: an address, or the port, may not be reached.
        """
        if any(place.holds(each, port) for place in self.deny for each in addresses):
            raise _denied(host)
        if self.allow is not None and not _covers(self.allow, host, port, addresses):
            raise _denied(host)
        for address in addresses:
            self._check_nature(host, port, address)
        if port not in self.ports and not self._opens(host, port, addresses):
            raise self._denied_port(host, port)

    def _denied_port(self, host: str, port: int) -> ToolError:
        names = [name for name in ("allow", "allow_private") if getattr(self, name)]
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        others = f", or write {place!a} in {' or '.join(names)}," if names else ""
        return ToolError(
            f"port {port} of {host!a} may not be reached; an operator can add it to ports{others} "
            "of the plugin's settings",
            code="denied_port",
        )

    def _may_be_allowed(self, allow: tuple[Place, ...], host: str, port: int) -> bool:
        return any(place.network is not None or place.names(host, port) for place in allow)

    def _opens(self, host: str, port: int, addresses: Sequence[Address]) -> bool:
        places = (*(self.allow or ()), *self.allow_private)
        return _covers([each for each in places if each.port], host, port, addresses)

    def _check_nature(self, host: str, port: int, address: Address) -> None:
        kind = nature(address)
        if kind is Nature.PUBLIC:
            return
        is_held = any(place.holds(address, port) for place in self.allow_private)
        is_named = any(place.names(host, port) for place in self.allow_private)
        if kind in _NEVER or not (is_held or (is_named and kind not in _BY_ADDRESS_ONLY)):
            article = "an" if kind is Nature.UNSPECIFIED else "a"
            raise ToolError(
                f"{host!a} has {article} {kind} address, and only public ones may be reached; an "
                "operator can name others in allow_private of the plugin's settings",
                code="private_address",
            )


def _covers(places: Iterable[Place], host: str, port: int, addresses: Sequence[Address]) -> bool:
    known = tuple(places)
    if any(place.names(host, port) for place in known):
        return True
    return all(any(place.holds(each, port) for place in known) for each in addresses)


def _denied(host: str) -> ToolError:
    return ToolError(
        f"{host!a} may not be reached: the settings of the plugin don't allow it", code="denied"
    )
