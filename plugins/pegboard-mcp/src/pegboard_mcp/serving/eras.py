"""The two eras of the protocol: one with a handshake, and one in which each request says all."""

from mcp_types.version import (
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)


def is_modern(version: str) -> bool:
    """Whether a protocol version is of the era without a handshake."""
    return version in MODERN_PROTOCOL_VERSIONS


def newest(*, modern: bool) -> str:
    """The newest protocol version of an era."""
    return LATEST_MODERN_VERSION if modern else LATEST_HANDSHAKE_VERSION
