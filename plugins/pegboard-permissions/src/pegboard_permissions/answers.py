"""Answers that are remembered: for which calls, and what they cover."""

import json
from collections.abc import Iterable

import attrs
from pegboard import JSON, Owner

from pegboard_permissions.judging import Question
from pegboard_permissions.patterns import Glob, canonical


@attrs.frozen
class Answer:
    """A yes to one question about one tool of one owner.

    Attributes:
        plugin: the name of the tool's plugin; None for a tool of the program itself.
        distribution: what pip installed it from; None for objects and files.
        tool: the name that its author gave the tool.
        question: what was asked.
        boards: patterns for the boards on which it holds.
    """

    plugin: str | None
    distribution: str | None = attrs.field(converter=canonical)
    tool: str
    question: Question = attrs.field(factory=Question)
    boards: tuple[str, ...] = ("*",)

    @classmethod
    def to(cls, question: Question, owner: Owner, tool: str) -> "Answer":
        """The yes to a question about a tool, on every board."""
        return cls(owner.plugin, owner.distribution, tool, question)

    def to_json(self) -> dict[str, JSON]:
        """It as a table of the file; what is None or means everything is left out."""
        named = {"plugin": self.plugin, "distribution": self.distribution, "tool": self.tool}
        table: dict[str, JSON] = {key: each for key, each in named.items() if each is not None}
        if not self.question.is_wide:
            table["arguments"] = json.loads(self.question.arguments)
        if self.boards != ("*",):
            table["boards"] = list(self.boards)
        return table


class Answers:
    """The answers of one file, found by what they are about."""

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self._boards: dict[Answer, list[Glob]] = {}
        for each in answers:
            about = attrs.evolve(each, boards=("*",))
            self._boards.setdefault(about, []).extend(map(Glob, each.boards))

    def cover(self, asked: Answer, board: str) -> bool:
        """Whether there is a yes to this on a board."""
        return any(glob.admits(board) for glob in self._boards.get(asked, ()))
