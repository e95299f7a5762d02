"""What an operator may set."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated

import attrs
from annotated_types import Ge, Le

MOST = 20
"""How many tools one search shows at most."""


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        boards: names and patterns of the boards on which tools are kept back; those below them
            in the chain of parents are meant too.
        limit: how many tools a search shows that doesn't say how many.
        only_deferred: whether only tools that are marked `defer_loading` are found.
    """

    boards: tuple[str, ...] = ("*",)
    limit: Annotated[int, Ge(1), Le(MOST)] = 5
    only_deferred: bool = True

    def mean(self, names: Iterable[str]) -> bool:
        """Whether a board is meant, given its name and those of its parents."""
        return any(fnmatchcase(name, each) for name in names for each in self.boards)
