"""How large one JSON value may be."""

import attrs

MAX_DIGITS = 4300
"""Digits of an integer: as many as Python converts to and from text by default."""


@attrs.frozen
class Limits:
    """The limits of one JSON value.

    Attributes:
        max_depth: levels of lists and objects inside each other; at most 512.
        max_nodes: values in it, itself and every list and object counted.
        max_bytes: bytes of its JSON text, in UTF-8.
    """

    max_depth: int = attrs.field(default=256, validator=attrs.validators.in_(range(1, 513)))
    max_nodes: int = attrs.field(default=1_000_000, validator=attrs.validators.ge(1))
    max_bytes: int = attrs.field(default=10 * 2**20, validator=attrs.validators.ge(1))

    def deeper(self) -> str:
        """The message for a value that nests too deep."""
        return f"nested deeper than {self.max_depth} levels"

    def more_nodes(self) -> str:
        """The message for a value of too many parts."""
        return f"more than {self.max_nodes} values inside each other"

    def longer(self, size: int) -> str:
        """The message for a value whose text is too long."""
        return f"{size} bytes as JSON text, more than the {self.max_bytes} allowed"


DEFAULT_LIMITS = Limits()
