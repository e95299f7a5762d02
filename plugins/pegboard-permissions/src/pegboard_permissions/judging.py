"""What the rules say of a call: the strictest of all that mean it."""

import json
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import attrs
from pegboard import JSON, Owner

from pegboard_permissions.patterns import ArgumentPattern, Glob, Wanted, canonical
from pegboard_permissions.settings import Selector, Settings

Word: TypeAlias = Literal["deny", "ask", "allow"]


@attrs.frozen
class Subject:
    """What rules look at of one call.

    Attributes:
        boards: the board, and those that it inherits from.
        owner: whose tool it is.
        tool: the name that its author gave the tool.
        arguments: as the tool gets them.
    """

    boards: tuple[str, ...]
    owner: Owner
    tool: str
    arguments: JSON


@attrs.frozen
class Question:
    """What somebody is asked about: all calls of a tool, or those with certain arguments.

    Attributes:
        arguments: the patterns of the rule that asks, as JSON text with sorted keys.
    """

    arguments: str = "{}"

    @classmethod
    def of(cls, arguments: dict[str, Wanted]) -> "Question":
        """The question of a rule with these patterns."""
        return cls(json.dumps(arguments, sort_keys=True, ensure_ascii=False))

    @property
    def is_wide(self) -> bool:
        """Whether it is about all calls of the tool."""
        return self.arguments == "{}"


@attrs.frozen
class Judgement:
    """What the rules say of one call.

    Attributes:
        word: the strictest that any of them says.
        places: which rules say so, as they are counted in the settings; none for the default.
        questions: what somebody must be asked, where the word is `ask`.
    """

    word: Word
    places: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()


@attrs.frozen
class _Line:
    """One selector of one rule, ready to be compared."""

    word: Word
    place: str
    boards: tuple[Glob, ...]
    tool: Glob | None
    plugin: Glob | None
    distribution: Glob | None
    arguments: tuple[ArgumentPattern, ...]
    question: Question

    def means(self, subject: Subject) -> bool:
        owner = subject.owner
        if not (_fits(self.tool, subject.tool) and _fits(self.plugin, owner.plugin)):
            return False
        if self.distribution is not None and not _fits(
            self.distribution, canonical(owner.distribution)
        ):
            return False
        if not any(glob.admits(name) for glob in self.boards for name in subject.boards):
            return False
        if self.word == "allow":
            return all(each.admits(subject.arguments) for each in self.arguments)
        return all(each.resembles(subject.arguments) for each in self.arguments)


def _fits(glob: Glob | None, name: str | None) -> bool:
    return glob is None or (name is not None and glob.resembles(name))


class Rules:
    """The rules of one configuration."""

    def __init__(self, settings: Settings) -> None:
        self._lines = tuple(_lines(settings))
        self.look_at_arguments = any(line.arguments for line in self._lines)
        """Whether what is said of a call may depend on its arguments."""
        self._default: Word = settings.default or ("ask" if settings.rules else "allow")

    def judge(self, subject: Subject) -> Judgement:
        """What they say of a call: deny wins over ask, ask over allow, over all that mean it."""
        said = [line for line in self._lines if line.means(subject)]
        words: tuple[Word, ...] = ("deny", "ask", "allow")
        for word in words:
            found = [line for line in said if line.word == word]
            if found:
                questions = dict.fromkeys(line.question for line in found if word == "ask")
                return Judgement(word, tuple(line.place for line in found), tuple(questions))
        return Judgement(self._default, questions=(Question(),) if self._default == "ask" else ())


def _lines(settings: Settings) -> Iterator[_Line]:
    for number, rule in enumerate(settings.rules):
        boards = tuple(map(Glob, rule.boards))
        said: tuple[tuple[Word, Iterable[str | Selector]], ...] = (
            ("deny", rule.deny),
            ("ask", rule.ask),
            ("allow", rule.allow),
        )
        for word, selectors in said:
            for index, each in enumerate(selectors):
                selector = Selector(tool=each) if isinstance(each, str) else each
                yield _line(word, f"rules[{number}].{word}[{index}]", boards, selector)


def _line(word: Word, place: str, boards: tuple[Glob, ...], selector: Selector) -> _Line:
    distribution = canonical(selector.distribution)
    return _Line(
        word,
        place,
        boards,
        None if selector.tool is None else Glob(selector.tool),
        None if selector.plugin is None else Glob(selector.plugin),
        None if distribution is None else Glob(distribution),
        tuple(ArgumentPattern(path, wanted) for path, wanted in selector.arguments.items()),
        Question.of(selector.arguments),
    )
