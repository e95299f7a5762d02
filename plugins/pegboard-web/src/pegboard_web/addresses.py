"""What kind of address an IP address is: public, or one that pages must not lead to."""

from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
_RELAYS = IPv4Network("192.88.99.0/24")
"""Of 6to4, given up; they lead to whoever answers first."""

_METADATA = frozenset(
    map(IPv4Address, ("100.100.100.200", "168.63.129.16", "169.254.169.254", "192.0.0.192"))
) | {IPv6Address("fd00:ec2::254")}
"""Where clouds tell a machine about itself; one of them lies among public addresses."""


class Nature(StrEnum):
    """What kind of address it is, in a word."""

    PUBLIC = "public"
    METADATA = "metadata"
    UNSPECIFIED = "unspecified"
    MULTICAST = "multicast"
    LOOPBACK = "loopback"
    LINK_LOCAL = "link-local"
    PRIVATE = "private"
    RESERVED = "reserved"


def meant(address: Address) -> Address:
    """The IPv4 address inside an IPv6 address that only wraps it; else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    inside = address.ipv4_mapped or address.sixtofour
    if inside is not None:
        return inside
    number = int(address)
    is_compatible = address in _COMPATIBLE and number > 1
    return IPv4Address(number & 0xFFFF_FFFF) if is_compatible or address in _NAT64 else address


def nature(address: Address) -> Nature:
    """What kind of address it is; one that is wrapped counts as what is inside."""
    inner = meant(address)
    found = (
        (inner in _METADATA, Nature.METADATA),
        (inner.is_unspecified, Nature.UNSPECIFIED),
        (inner.is_multicast, Nature.MULTICAST),
        (inner.is_loopback, Nature.LOOPBACK),
        (inner.is_link_local, Nature.LINK_LOCAL),
        (inner.is_reserved or inner in _RELAYS, Nature.RESERVED),
        (inner.is_private or not inner.is_global, Nature.PRIVATE),
        (isinstance(inner, IPv6Address) and inner.is_site_local, Nature.PRIVATE),
    )
    return next((kind for holds, kind in found if holds), Nature.PUBLIC)
