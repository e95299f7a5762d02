"""Text that must not show."""

import hmac
from typing import Any


class Secret:
    """Text that shows in no log, error or `repr`; also marks an argument: `Annotated[str, Secret]`.

    A plain class, since what turns attrs classes into dicts would take the text along.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text."""
        return self._text

    def __repr__(self) -> str:
        return "Secret('…')"

    def __str__(self) -> str:
        return "…"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> "Secret":
        return self

    def __deepcopy__(self, _memo: object) -> "Secret":
        return self

    def __reduce__(self) -> Any:
        raise TypeError("a secret can't be pickled; send what it reveals, if you must")
