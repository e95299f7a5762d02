"""What a format needs to know of a board, and what it couldn't say."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import attrs

from pegboard.outcomes import Outcome
from pegboard.tools.model import Tool, ToolDefinition

EVERY_TOOL = "*"


class Board(Protocol):
    """The part of a board that formats read."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The visible tools by name."""

    def definitions(self) -> Sequence[ToolDefinition]:
        """What the model is told of each tool."""

    @property
    def findable(self) -> Sequence[ToolDefinition]:
        """The same of the tools that it finds, whether or not it has; marked `defer_loading`."""


class Finding(Protocol):
    """The part of a board by which results refer to tools."""

    @property
    def findable(self) -> Sequence[ToolDefinition]:
        """The tools that a model finds, whether or not it has; marked `defer_loading`."""

    def found_by(self, outcome: Outcome) -> Sequence[str]:
        """The tools that an outcome tells of, where it is one of the tool that finds them."""


@attrs.frozen
class Loss:
    """Something that a provider's shape can't say.

    Attributes:
        tool: the name of the tool; `*` where it holds for the results of every tool.
        what: what isn't said, or is said in other words; arguments by path.
    """

    tool: str
    what: str
