"""Texts that must not show, taken out of what people and models read."""

from collections.abc import Iterable

import attrs

_SHORTEST = 4
"""Characters of the shortest text that is taken out; without shorter ones words stay readable."""


def _by_length(texts: Iterable[str]) -> tuple[str, ...]:
    kept = {each for each in texts if len(each) >= _SHORTEST}
    return tuple(sorted(kept, key=lambda each: (-len(each), each)))


@attrs.frozen
class Masks:
    """Takes the secrets of one server out of texts.

    Attributes:
        texts: what must not show.
    """

    texts: tuple[str, ...] = attrs.field(converter=_by_length, repr=False)

    def hide(self, text: str) -> str:
        """The text with an ellipsis for every secret in it."""
        for each in self.texts:
            text = text.replace(each, "…")
        return text
