"""Every kind of annotation: the schema that is shown, and what is built of a value."""

import collections
import dataclasses
import enum
import re
from collections.abc import Collection, Iterable, Mapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
    Union,
)
from uuid import UUID

import annotated_types
import attrs
import msgspec
import pytest
from pegboard.tools import Secret, Tool, tool
from typing_extensions import ReadOnly, TypeAliasType
from typing_extensions import TypedDict as ExtendedTypedDict

T = TypeVar("T")
Bounded = TypeVar("Bounded", bound=int)
Either = TypeVar("Either", int, str)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Shade(enum.StrEnum):
    DARK = "dark"


class Mixed(enum.Enum):
    ONE = 1
    WORD = "word"
    NOTHING = None


class Ratio(enum.Enum):
    HALF = 0.5


@attrs.frozen
class Point:
    x: int
    y: int = 0
    _z: float | None = None
    name: str = attrs.field(default="p", alias="label")
    size: int = attrs.field(init=False, default=3)


@dataclasses.dataclass
class Job:
    title: str
    steps: list[int] = dataclasses.field(default_factory=list)
    seed: dataclasses.InitVar[int] = 0
    made: int = dataclasses.field(init=False, default=1)

    def __post_init__(self, seed: int) -> None:
        self.made = seed


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Partial(TypedDict, total=False):
    title: Required[str]
    year: int


class Fixed(ExtendedTypedDict):
    title: ReadOnly[str]


class Pair(NamedTuple):
    left: int
    right: date = date(2020, 1, 1)


@attrs.frozen
class Box(Generic[T]):
    item: T


@attrs.frozen
class IntBox(Box[int]):
    more: int = 0


@attrs.frozen
class Node:
    value: int
    below: "list[Node]" = attrs.field(factory=list)


UserId = NewType("UserId", int)
Nested = TypeAliasType("Nested", "dict[str, Nested] | int")
Couple = TypeAliasType("Couple", tuple[T, T], type_params=(T,))
Words = TypeAliasType("Words", list[str])
OldJson = Union[int, list["OldJson"]]  # noqa: UP007 - how it was written before

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
NULL, ARRAY, OBJECT = {"type": "null"}, {"type": "array"}, {"type": "object"}
DATE = {"type": "string", "format": "date"}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The schema of an object that takes these keys only."""
    needed = {"required": list(required)} if required else {}
    return {**OBJECT, "properties": properties, **needed, "additionalProperties": False}


NODE = closed(
    {"value": INTEGER, "below": {**ARRAY, "items": {"$ref": "#/$defs/Node"}}},
    "value",
)
POINT = closed(
    {
        "x": INTEGER,
        "y": {**INTEGER, "default": 0},
        "z": {"anyOf": [NUMBER, NULL], "default": None},
        "label": {**STRING, "default": "p"},
    },
    "x",
)
MOVIE = closed({"title": STRING, "year": INTEGER}, "title")

KINDS: list[tuple[Any, Any, Any, Any]] = [
    (str, STRING, "a", "a"),
    (int, INTEGER, 3.0, 3),
    (int, INTEGER, 2**70, 2**70),
    (float, NUMBER, 3, 3.0),
    (bool, {"type": "boolean"}, True, True),
    (None, NULL, None, None),
    (Any, {}, {"a": [1]}, {"a": [1]}),
    (object, {}, 1, 1),
    (list, ARRAY, [1, "a"], [1, "a"]),
    (list[int], {**ARRAY, "items": INTEGER}, [1.0], [1]),
    (Sequence[str], {**ARRAY, "items": STRING}, ["a"], ["a"]),
    (MutableSequence[str], {**ARRAY, "items": STRING}, ["a"], ["a"]),
    (Iterable[int], {**ARRAY, "items": INTEGER}, [1], [1]),
    (Collection[int], {**ARRAY, "items": INTEGER}, [1], [1]),
    (collections.deque[int], {**ARRAY, "items": INTEGER}, [1], collections.deque([1])),
    (tuple, ARRAY, [1, "a"], (1, "a")),
    (tuple[int, ...], {**ARRAY, "items": INTEGER}, [1.0, 2], (1, 2)),
    (
        tuple[int, str],
        {**ARRAY, "prefixItems": [INTEGER, STRING], "minItems": 2, "maxItems": 2},
        [1, "a"],
        (1, "a"),
    ),
    (tuple[()], {**ARRAY, "minItems": 0, "maxItems": 0}, [], ()),
    (set[str], {**ARRAY, "items": STRING, "uniqueItems": True}, ["a"], {"a"}),
    (frozenset[int], {**ARRAY, "items": INTEGER, "uniqueItems": True}, [1], frozenset({1})),
    (AbstractSet[int], {**ARRAY, "items": INTEGER, "uniqueItems": True}, [1], frozenset({1})),
    (dict, OBJECT, {"a": 1}, {"a": 1}),
    (dict[str, int], {**OBJECT, "additionalProperties": INTEGER}, {"a": 1.0}, {"a": 1}),
    (Mapping[str, str], {**OBJECT, "additionalProperties": STRING}, {"a": "b"}, {"a": "b"}),
    (
        dict[int, str],
        {
            **OBJECT,
            "additionalProperties": STRING,
            "propertyNames": {"pattern": "^(?:0|-?[1-9][0-9]*)$"},
        },
        {"-7": "b"},
        {-7: "b"},
    ),
    (
        dict[Color, int],
        {
            **OBJECT,
            "additionalProperties": INTEGER,
            "propertyNames": {**STRING, "enum": ["red", "blue"]},
        },
        {"red": 1},
        {Color.RED: 1},
    ),
    (Literal["a", "b"], {**STRING, "enum": ["a", "b"]}, "a", "a"),
    (Literal[2, 4], {**INTEGER, "enum": [2, 4]}, 2.0, 2),
    (Literal["a", 1, True] | None, None, None, None),
    (Literal["a", 1, True], {"enum": ["a", 1, True]}, True, True),
    (Literal[Color.RED], {**STRING, "enum": ["red"]}, "red", Color.RED),
    (Level, {**INTEGER, "enum": [1, 2]}, 2, Level.HIGH),
    (Color, {**STRING, "enum": ["red", "blue"]}, "blue", Color.BLUE),
    (Shade, {**STRING, "enum": ["dark"]}, "dark", Shade.DARK),
    (Mixed, {"enum": [1, "word", None]}, None, Mixed.NOTHING),
    (Ratio, {**NUMBER, "enum": [0.5]}, 0.5, Ratio.HALF),
    (int | str, {"anyOf": [INTEGER, STRING]}, 3.0, 3),
    (Optional[str], {"anyOf": [STRING, NULL]}, None, None),  # noqa: UP045 - written so too
    (date | str, {"anyOf": [DATE, STRING]}, "2020-01-02", date(2020, 1, 2)),
    (str | date, {"anyOf": [STRING, DATE]}, "2020-01-02", date(2020, 1, 2)),
    (str | date, {"anyOf": [STRING, DATE]}, "soon", "soon"),
    (int | float, {"anyOf": [INTEGER, NUMBER]}, 3, 3),
    (float | int, {"anyOf": [NUMBER, INTEGER]}, 3, 3),
    (float | int, {"anyOf": [NUMBER, INTEGER]}, 3.5, 3.5),
    (Color | str, {"anyOf": [{**STRING, "enum": ["red", "blue"]}, STRING]}, "red", Color.RED),
    (Level | int, {"anyOf": [{**INTEGER, "enum": [1, 2]}, INTEGER]}, 7, 7),
    (
        list[date] | list[str],
        {"anyOf": [{**ARRAY, "items": DATE}, {**ARRAY, "items": STRING}]},
        ["2020-01-02"],
        [date(2020, 1, 2)],
    ),
    (Point, POINT, {"x": 1.0, "z": 2, "label": "q"}, Point(1, 0, 2.0, "q")),
    (Job, None, {"title": "t", "steps": [1.0], "seed": 5}, Job("t", [1], 5)),
    (Movie, MOVIE, {"title": "t", "year": 1.0}, {"title": "t", "year": 1}),
    (Partial, MOVIE, {"title": "t"}, {"title": "t"}),
    (Fixed, closed({"title": STRING}, "title"), {"title": "t"}, {"title": "t"}),
    (
        Pair,
        closed({"left": INTEGER, "right": {**DATE, "default": "2020-01-01"}}, "left"),
        {"left": 1, "right": "2021-01-01"},
        Pair(1, date(2021, 1, 1)),
    ),
    (Box[date], closed({"item": DATE}, "item"), {"item": "2020-01-02"}, Box(date(2020, 1, 2))),
    (
        IntBox,
        closed({"item": INTEGER, "more": {**INTEGER, "default": 0}}, "item"),
        {"item": 1.0},
        IntBox(1),
    ),
    (Node, {**NODE, "$defs": {"Node": NODE}}, {"value": 1, "below": [{"value": 2}]}, None),
    (UserId, INTEGER, 4.0, 4),
    (Words, {**ARRAY, "items": STRING}, ["a"], ["a"]),
    (Couple[int], None, [1.0, 2], (1, 2)),
    (Nested, None, {"a": {"b": 1.0}}, {"a": {"b": 1}}),
    (OldJson, None, [1.0, [2]], [1, [2]]),
    (T, {}, [1], [1]),
    (Bounded, INTEGER, 1.0, 1),
    (Either, {"anyOf": [INTEGER, STRING]}, "a", "a"),
    (Path, STRING, "a/b", Path("a/b")),
    (PurePosixPath, STRING, "a/b", PurePosixPath("a/b")),
    (date, DATE, "2020-01-02", date(2020, 1, 2)),
    (datetime, None, "2020-01-02T03:04:05Z", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
    (datetime, None, "2020-01-02T03:04:05", datetime(2020, 1, 2, 3, 4, 5)),  # noqa: DTZ001
    (time, {**STRING, "format": "time"}, "03:04:05", time(3, 4, 5)),
    (timedelta, {**STRING, "format": "duration"}, "-PT90.5S", timedelta(seconds=-90.5)),
    (UUID, {**STRING, "format": "uuid"}, str(UUID(int=7)), UUID(int=7)),
    (Decimal, {**STRING, "format": "decimal"}, "1.50", Decimal("1.50")),
    (bytes, None, "aGk=", b"hi"),
    (Secret, STRING, "x", Secret("x")),
    (Annotated[int, annotated_types.Ge(1)], {**INTEGER, "minimum": 1}, 1, 1),
    (Annotated[float, annotated_types.Gt(0)], {**NUMBER, "exclusiveMinimum": 0}, 1, 1.0),
    (
        Annotated[int, annotated_types.Interval(ge=1, lt=9), annotated_types.MultipleOf(2)],
        {**INTEGER, "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2},
        4,
        4,
    ),
    (
        Annotated[str, annotated_types.Len(1, 5)],
        {**STRING, "minLength": 1, "maxLength": 5},
        "abc",
        "abc",
    ),
    (
        Annotated[list[int], annotated_types.MinLen(1)],
        {**ARRAY, "items": INTEGER, "minItems": 1},
        [1],
        [1],
    ),
    (Annotated[dict, annotated_types.MaxLen(1)], {**OBJECT, "maxProperties": 1}, {}, {}),
    (
        Annotated[int | None, annotated_types.Ge(0)],
        {"anyOf": [{**INTEGER, "minimum": 0}, NULL]},
        None,
        None,
    ),
    (Annotated[str, msgspec.Meta(pattern="^a")], {**STRING, "pattern": "^a"}, "ab", "ab"),
    (
        Annotated[Annotated[int, annotated_types.Ge(1)], annotated_types.Ge(5)],
        {**INTEGER, "minimum": 1, "allOf": [{"minimum": 5}]},
        5,
        5,
    ),
]


def taking(annotation: Any) -> Tool:
    """A tool with one parameter of this annotation, which it gives back."""

    def take(it):  # type: ignore[no-untyped-def]  # annotated below
        return it

    take.__annotations__ = {"it": annotation, "return": annotation}
    return tool(take)


def names(kinds: Iterable[tuple[Any, ...]]) -> list[str]:
    return [f"{at} {each[0]}" for at, each in enumerate(kinds)]


@pytest.mark.parametrize(("annotation", "schema", "sent", "built"), KINDS, ids=names(KINDS))
def test_what_is_shown_of_an_annotation_is_what_is_built(
    annotation: Any, schema: Any, sent: Any, built: Any, send: Any
) -> None:
    made = taking(annotation)

    got = send(made, {"it": sent})

    assert schema is None or shown(made) == schema
    assert built is None or got == built
    assert built is None or type(got) is type(built)


def shown(made: Tool) -> Any:
    """The schema of the parameter, a reference at its root followed."""
    schema = made.parameters["properties"]["it"]
    if "$ref" not in schema:
        return schema
    found = made.parameters["$defs"]
    return {**found[schema["$ref"].rpartition("/")[2]], "$defs": found}


@pytest.mark.parametrize(("annotation", "_schema", "sent", "_built"), KINDS, ids=names(KINDS))
def test_what_is_built_goes_out_again_and_is_built_again(
    annotation: Any, _schema: Any, sent: Any, _built: Any, send: Any, answer: Any
) -> None:
    made = taking(annotation)
    once = send(made, {"it": sent})

    value = answer(made, {"it": sent})

    if annotation is not Job:  # an `InitVar` doesn't come back
        again = send(made, {"it": value})
        assert again == once
        assert type(again) is type(once)


def test_the_root_of_a_recursive_type_is_a_plain_object() -> None:
    schema = taking(Node).output.schema

    assert schema["type"] == "object"
    assert schema["properties"]["below"]["items"] == {"$ref": "#/$defs/Node"}


def test_a_class_in_two_places_is_defined_once() -> None:
    schema = taking(tuple[Point, Point]).parameters

    assert schema["properties"]["it"]["prefixItems"] == [{"$ref": "#/$defs/Point"}] * 2
    assert schema["$defs"] == {"Point": POINT}


def test_two_classes_of_one_name_have_two_definitions() -> None:
    other: Any = attrs.make_class("Point", {"q": attrs.field(type=int)})

    schema = taking(tuple[Point, Point, other, other]).parameters

    assert sorted(schema["$defs"]) == ["Point", "Point_2"]


REFUSED: list[tuple[Any, str]] = [
    (complex, "complex"),
    (bytearray, "bytes"),
    (type(lambda: None), "function"),
    (collections.abc.Callable[[int], int], "function"),
    (collections.OrderedDict[str, int], "OrderedDict"),
    (enum.IntFlag("Bits", "A B"), "bits"),
    (enum.Enum("Odd", {"A": (1, 2)}), "tuple"),
    (Literal[b"x"], "bytes"),
    (dict[float, int], "keys"),
    (dict[tuple[int, int], int], "keys"),
    (set[list[int]], "hashable"),
    (list[re.Pattern[str]], "Pattern"),
    (Annotated[int, annotated_types.Predicate(bool)], "Predicate"),
    (Annotated[str, annotated_types.Ge(1)], "minimum"),
    (Annotated[Point, annotated_types.MinLen(1)], "min"),
    (Annotated[datetime, annotated_types.Timezone(None)], "Timezone"),
    (Annotated[int, annotated_types.Ge(float("nan"))], "nan"),
    (Annotated[int, annotated_types.MultipleOf(0)], "multipleOf"),
    (Annotated[int, range(3)], "range"),
    (Annotated[datetime, msgspec.Meta(tz=True)], "tz"),
    (Path | str, "told apart"),
    (bytes | str, "told apart"),
    (Box[int] | attrs.make_class("Same", {"item": attrs.field(type=int)}), "told apart"),
    (Point | attrs.make_class("Other", {"x": attrs.field(type=int, default=1)}), "told apart"),
    (list[int] | set[date], "told apart"),
    (list[date | int] | list[str], "told apart"),
    (msgspec.Struct, "Struct"),
    ("Missing", "Missing"),
    (list["Missing"], "Missing"),  # type: ignore[name-defined]  # noqa: F821
]


@pytest.mark.parametrize(("annotation", "word"), REFUSED, ids=names(REFUSED))
def test_an_annotation_that_cannot_be_expressed_is_refused_by_name(
    annotation: Any, word: str
) -> None:
    with pytest.raises(Exception, match=word) as caught:
        taking(annotation)

    assert type(caught.value).__name__ == "InvalidToolError"
    assert "'take'" in str(caught.value)
    assert "'it'" in str(caught.value)


def test_a_field_that_cannot_be_expressed_is_named_with_its_class() -> None:
    holder: Any = attrs.make_class("Holder", {"handle": attrs.field(type=complex)})

    with pytest.raises(Exception, match="field 'handle' of 'Holder'"):
        taking(list[holder])


def test_a_field_without_annotation_is_refused() -> None:
    holder = attrs.make_class("Holder", ["handle"])

    with pytest.raises(Exception, match="field 'handle' of 'Holder' has no annotation"):
        taking(holder)
