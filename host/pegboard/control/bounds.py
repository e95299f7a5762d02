"""What both ends of the control channel know; and what a peer may take: memory, time, places."""

import attrs

PROTOCOL = 1
"""The version of the protocol, which stands in every frame."""

READING = frozenset({"boards", "explain", "plugins", "running", "status", "tools"})
"""The methods that change nothing."""

MOST_KEYS = 16
"""Keys of a table in params."""
MOST_ITEMS = 256
"""Items of a list in params; saying what is wrong with many of them would hold calls up."""


@attrs.frozen
class Bounds:
    """The bounds of one control channel.

    Attributes:
        connections: how many peers are served at once; at most a quarter of the descriptors that
            the process may have.
        request: bytes of one request.
        parts: keys, values and brackets of one request; reading more would hold calls up.
        answer: bytes of one answer.
        patience: seconds for the next whole request of a peer.
        reading: seconds for a peer to read on.
        leaving: seconds for what runs to be answered once the channel is closed.
    """

    connections: int = 64
    request: int = 2**20
    parts: int = 4096
    answer: int = 2**26
    patience: float = 60.0
    reading: float = 10.0
    leaving: float = 1.0
