"""Random and hostile values through text and snapshot, against a slow reference.

The variable PEGBOARD_VALUES says how many; a million took a few minutes on two cores.
"""

import collections
import enum
import json
import math
import os
import random
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from pegboard.errors import NotJSONError
from pegboard.values import DEFAULT_LIMITS, Limits, Snapshot, decode_text, encode
from pegboard.values.snapshot import is_same
from pegboard_house import searched

COUNT = int(os.environ.get("PEGBOARD_VALUES", searched(20_000, 3_000)))
SMALL = Limits(max_depth=6, max_nodes=60, max_bytes=900)
DIGITS = 4300


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Word(enum.StrEnum):
    A = "a"


class Refused(Exception):  # noqa: N818 - a verdict
    pass


TEXTS = ["", "a", "åäö", "\u0000", "\U0001f600", '"\\', "a:b", "[{", "\u2028", "x" * 50]
BAD_TEXTS = ["\ud800", "a\udfff"]
NUMBERS: list[Any] = [0, -0.0, 1, -1, 1.5, 1e-320, 1e308, 2**53 + 1, 2**63, 2**64, -(2**70)]
NUMBERS += [10**DIGITS - 1, True, False]
BAD_NUMBERS: list[Any] = [math.nan, math.inf, -math.inf, 10**DIGITS, 10**5000, -(10**DIGITS)]
BAD_KINDS: list[Any] = [(), (1,), {1}, b"x", 1j, Text("a"), Whole(3), Word.A, object(), print]
BAD_KINDS += [collections.OrderedDict(a=1), collections.defaultdict(int), range(3), Ellipsis]
KEYS = ["", "a", "b", "åä", "a.b", "__proto__", "\u0000", "x" * 20]
BAD_KEYS: list[Any] = [1, None, True, 1.5, (), Text("k"), Word.A, "\ud800", b"k"]


@attrs.define
class Maker:
    """Makes values; about every second one is hostile somewhere."""

    random: random.Random
    is_hostile: bool = False

    def value(self, depth: int = 0) -> Any:
        """A value of at most a few levels."""
        chance = self.random.random()
        if depth < 5 and chance < 0.25:
            return self.list_of(depth)
        if depth < 5 and chance < 0.55:
            return self.dict_of(depth)
        return self.leaf()

    def leaf(self) -> Any:
        """A text, a number, a constant, or nothing that JSON has."""
        if self.is_hostile and self.random.random() < 0.1:
            return self.random.choice(self.random.choice([BAD_TEXTS, BAD_NUMBERS, BAD_KINDS]))
        return self.random.choice(self.random.choice([TEXTS, NUMBERS, [None, True, False]]))

    def list_of(self, depth: int) -> list[Any]:
        """A list; a hostile one may hold itself, or one thing very often."""
        made = [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if self.is_hostile and self.random.random() < 0.05:
            made.append(self.random.choice([made, [made], {"a": made}]))
        if self.is_hostile and self.random.random() < 0.05:
            made += [self.random.choice(made or [[]])] * self.random.randrange(70)
        return made

    def dict_of(self, depth: int) -> dict[Any, Any]:
        """A dict; a hostile one may have keys that JSON hasn't."""
        keys = [self.random.choice(KEYS) for _ in range(self.random.randrange(4))]
        if self.is_hostile and self.random.random() < 0.05:
            keys.append(self.random.choice(BAD_KEYS))
        return {key: self.value(depth + 1) for key in keys}


def checked(value: Any, limits: Limits) -> Any:
    """The slow reference: what the value is as JSON, one step at a time."""
    nodes = [0]

    def look(item: Any, depth: int) -> Any:
        nodes[0] += 1
        kind = type(item)
        is_holder = kind in (dict, list)
        if nodes[0] > limits.max_nodes or depth + is_holder > limits.max_depth:
            raise Refused
        if kind is list:
            return [look(each, depth + 1) for each in item]
        if kind is dict:
            return {_text(key): look(each, depth + 1) for key, each in item.items()}
        return _scalar(item)

    found = look(value, 0)
    if len(_shown(found).encode()) > limits.max_bytes:
        raise Refused
    return found


def _text(item: Any) -> str:
    if type(item) is not str or any("\ud800" <= each <= "\udfff" for each in item):
        raise Refused
    return item


def _scalar(item: Any) -> Any:
    if item is None or type(item) is bool:
        return item
    if type(item) is int and -(10**DIGITS) < item < 10**DIGITS:
        return item
    if type(item) is float and math.isfinite(item):
        return item
    return _text(item)


def _shown(value: Any) -> str:
    """JSON text as short as it can be; the length of a float's text may differ by its exponent."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def verdict(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives, or Refused."""
    try:
        return function(*arguments)
    except (Refused, NotJSONError):
        return Refused


@pytest.mark.parametrize("limits", [DEFAULT_LIMITS, SMALL], ids=["default", "small"])
@pytest.mark.parametrize("is_hostile", [False, True], ids=["tame", "hostile"])
def test_a_snapshot_takes_exactly_what_is_lossless_json(limits: Limits, is_hostile: bool) -> None:
    maker = Maker(random.Random(7), is_hostile)

    for _ in range(COUNT // 8):
        value = maker.value()
        expected, found = verdict(checked, value, limits), verdict(Snapshot.of, value, limits)
        if found is Refused or expected is Refused:
            assert found is expected or _is_near_the_size(expected, limits), value
        else:
            assert is_same(found.read(), value)
            assert found.text == encode(value)


def _is_near_the_size(value: Any, limits: Limits) -> bool:
    """Whether it hangs on how long a float's text is, which two encoders may see differently."""
    return value is not Refused and abs(len(_shown(value).encode()) - limits.max_bytes) < 100


PIECES = ['"', "{", "]", ",", ":", "1", "e5", "NaN", "\\ud800", "\\u00", "\t", "\n", " ", "\ufeff"]
PIECES += ["-", "0", ".", "Infinity", "9" * 5000, "[" * 300, "1e999", '{"a":1,"a":2}', "//x"]
PIECES += ["\ud800"]


def spoiled(text: str, source: random.Random) -> str:
    """JSON text with something done to it."""
    at = source.randrange(len(text) + 1)
    piece = source.choice(PIECES)
    cut = source.randrange(3)
    return text[:at] + piece + text[at + cut :]


def read_slowly(text: str, limits: Limits) -> Any:
    """The slow reference for text."""
    if len(text.encode(errors="surrogatepass")) > limits.max_bytes:
        raise Refused
    _text(text)
    try:
        value = json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    except (ValueError, RecursionError):
        raise Refused from None
    return checked(value, attrs.evolve(limits, max_bytes=10**9))


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Refused
    return dict(pairs)


def _constant(_name: str) -> Any:
    raise Refused


@pytest.mark.parametrize("limits", [DEFAULT_LIMITS, SMALL], ids=["default", "small"])
@pytest.mark.parametrize("spoilings", [0, 1, 3])
def test_text_is_read_exactly_or_refused(limits: Limits, spoilings: int) -> None:
    source = random.Random(11)
    maker = Maker(source)

    for _ in range(COUNT // 12):
        text = json.dumps(maker.value(), ensure_ascii=source.random() < 0.5)
        for _ in range(spoilings):
            text = spoiled(text, source)
        expected, found = verdict(read_slowly, text, limits), verdict(decode_text, text, limits)
        if found is Refused or expected is Refused:
            assert found is expected, text[:500]
        else:
            assert is_same(found, expected), text[:500]


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', '["[",'])
def test_text_nested_a_hundred_thousand_deep_is_refused(opening: str) -> None:
    with pytest.raises(NotJSONError, match="deeper than 256"):
        decode_text(opening * 100_000)


def nested(depth: int, *, is_dict: bool) -> Any:
    value: Any = {} if is_dict else []
    for _ in range(depth - 1):
        value = {"a": value} if is_dict else [value]
    return value


@pytest.mark.parametrize("is_dict", [False, True])
def test_the_deepest_value_is_taken_and_one_level_more_is_not(is_dict: bool) -> None:
    taken = Snapshot.of(nested(256, is_dict=is_dict))

    assert decode_text(taken.text.decode()) == taken.read()
    with pytest.raises(NotJSONError, match="deeper than 256"):
        Snapshot.of(nested(257, is_dict=is_dict))


@pytest.mark.parametrize("depth", [1000, 100_000])
def test_a_value_nested_very_deep_is_refused(depth: int) -> None:
    value = nested(depth, is_dict=False)

    with pytest.raises(NotJSONError, match="deeper than 256"):
        Snapshot.of(value)


def test_the_deepest_value_is_read_deep_in_the_stack() -> None:
    taken = Snapshot.of(nested(256, is_dict=True))

    def call_deep(left: int) -> Any:
        return call_deep(left - 1) if left else taken.read()

    assert call_deep(800) == nested(256, is_dict=True)


def test_shared_lists_that_double_are_refused_by_their_number() -> None:
    value: Any = [1]
    for _ in range(40):
        value = [value, value]

    with pytest.raises(NotJSONError, match="more than 1000000 values"):
        Snapshot.of(value)


@pytest.mark.parametrize("size", [1_000_000, 1_000_001])
def test_the_number_of_values_is_counted_with_the_list_itself(size: int) -> None:
    value = [0] * (size - 1)

    found = verdict(Snapshot.of, value)

    assert (found is Refused) == (size > 1_000_000)
    assert (verdict(decode_text, json.dumps(value)) is Refused) == (size > 1_000_000)


@pytest.mark.parametrize("more", [0, 1])
def test_the_size_is_counted_in_bytes_of_text(more: int) -> None:
    size = 10 * 2**20 + more

    text = "å" * ((size - 2) // 2) + "a" * (size % 2)

    assert (verdict(Snapshot.of, text) is Refused) == bool(more)
    assert (verdict(decode_text, f'"{text}"') is Refused) == bool(more)
