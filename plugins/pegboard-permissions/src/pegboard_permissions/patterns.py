"""Patterns over names and texts, and over the arguments of a call."""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from fnmatch import translate
from typing import TypeAlias

import attrs
from pegboard import JSON

Wanted: TypeAlias = str | bool | int | float
_UNSEEN = ("Cc", "Cf", "Zl", "Zp")


def folded(text: str) -> str:
    """A text as it is compared where case and ways of writing a character don't count."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def guises(text: str) -> Iterator[str]:
    """The texts that one may be taken for: folded, and without what people don't see in it.

    Line breaks and the like may be overlooked, or separate words as a blank does.
    """
    yield folded(text)
    unseen = {ord(each): None for each in set(text) if unicodedata.category(each) in _UNSEEN}
    if unseen:
        yield folded(text.translate(unseen))
        yield folded(text.translate({code: _blank(chr(code)) for code in unseen}))


def _blank(character: str) -> str | None:
    return " " if character.isspace() else None


def canonical(distribution: str | None) -> str | None:
    """The name of a distribution as pip compares it."""
    return None if distribution is None else re.sub(r"[-_.]+", "-", distribution).lower()


@attrs.frozen
class Glob:
    """A pattern of `fnmatch` that means whole texts.

    Attributes:
        pattern: as the operator wrote it.
    """

    pattern: str
    _exact: re.Pattern[str] = attrs.field(init=False, eq=False, repr=False)
    _wide: re.Pattern[str] = attrs.field(init=False, eq=False, repr=False)

    @_exact.default
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(translate(self.pattern))

    @_wide.default
    def _compiled_wide(self) -> re.Pattern[str]:
        return re.compile(translate(folded(self.pattern)))

    def admits(self, text: str) -> bool:
        """Whether it means exactly this text."""
        return self._exact.match(text) is not None

    def resembles(self, text: str) -> bool:
        """Whether it means this text, or one that differs in what people overlook only."""
        return self.admits(text) or any(map(self._wide.match, guises(text)))


@attrs.frozen
class ArgumentPattern:
    """What one argument must be for a rule to hold.

    Attributes:
        path: keys and indices with dots between them; `*` stands for every key or index.
        wanted: a pattern for text, or a number or a boolean.
    """

    path: str
    wanted: Wanted
    _glob: Glob | None = attrs.field(init=False, eq=False, repr=False)

    @_glob.default
    def _compiled(self) -> Glob | None:
        return Glob(self.wanted) if isinstance(self.wanted, str) else None

    def admits(self, arguments: JSON) -> bool:
        """Whether the argument is there and is exactly that, wherever the path leads."""
        values = list(values_at(arguments, self.path.split(".")))
        return bool(values) and all(map(self._is, values))

    def resembles(self, arguments: JSON) -> bool:
        """Whether anything where the path leads is that, or could be taken for it."""
        return any(map(self._could_be, values_at(arguments, self.path.split("."))))

    def _is(self, value: JSON) -> bool:
        if self._glob is not None:
            return type(value) is str and self._glob.admits(value)
        if isinstance(self.wanted, bool):
            return value is self.wanted
        return type(value) in (int, float) and bool(value == self.wanted)

    def _could_be(self, value: JSON) -> bool:
        if self._glob is not None:
            return any(map(self._glob.resembles, texts_in(value)))
        return any(map(self._could_stand_for, leaves_of(value)))

    def _could_stand_for(self, value: JSON) -> bool:
        if type(value) is not str:
            return bool(value == self.wanted)
        written = [each.strip() for each in guises(value)]
        return any(
            each == json.dumps(self.wanted) or _number(each) == self.wanted for each in written
        )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def values_at(value: JSON, path: list[str]) -> Iterator[JSON]:
    """Every value that a path may mean; a key may hold dots itself."""
    if not path:
        yield value
    for count in range(1, len(path) + 1):
        for each in _children(value, ".".join(path[:count])):
            yield from values_at(each, path[count:])


def _children(value: JSON, key: str) -> Iterable[JSON]:
    if type(value) is dict:
        return value.values() if key == "*" else [value[key]] if key in value else []
    if type(value) is list:
        if key == "*":
            return list(value)
        return [value[int(key)]] if key.isdecimal() and int(key) < len(value) else []
    return []


def leaves_of(value: JSON) -> Iterator[JSON]:
    """Everything in a value that holds nothing else, keys included."""
    pending = [value]
    while pending:
        each = pending.pop()
        if type(each) is dict:
            pending += [*each, *each.values()]
        elif type(each) is list:
            pending += each
        else:
            yield each


def texts_in(value: JSON) -> Iterator[str]:
    """A text itself; of anything else its JSON text and every text in it."""
    if type(value) is not str:
        yield json.dumps(value, ensure_ascii=False)
        yield from (each for each in leaves_of(value) if type(each) is str)
    else:
        yield value
