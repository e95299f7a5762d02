"""What is shown, what is accepted and what is built are one thing, for types of every sort."""

import dataclasses
import enum
import keyword
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import annotated_types
import attrs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pegboard.errors import InvalidToolError
from pegboard.tools import CompiledTool, Converter, Faults, Prepared, tool
from pegboard.values import Snapshot
from pegboard.values.checks import show_path
from pegboard_house import searched

EXAMPLES = searched(2000, 300)
Values = st.SearchStrategy[Any]


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@attrs.frozen
class Kind:
    """A generated type, with values of it and JSON that isn't of it."""

    annotation: Any
    values: Values = attrs.field(repr=False)
    wrong: Values = attrs.field(repr=False)
    is_hashable: bool = True


def texts() -> Values:
    return st.text(st.characters(codec="utf-8"), max_size=5)


def not_text() -> Values:
    return st.sampled_from([1, 2.5, True, ["a"], {"a": "b"}])


def leaves() -> st.SearchStrategy[Kind]:
    floats = st.floats(allow_nan=False, allow_infinity=False)
    zones = st.timedeltas(timedelta(hours=-20), timedelta(hours=20))
    whole = st.integers(-(2**70), 2**70)
    kinds = st.sampled_from(
        [
            Kind(str, texts(), not_text()),
            Kind(int, whole, st.sampled_from(["1", 1.5, True, None])),
            Kind(float, floats, st.sampled_from(["1", True, None, []])),
            Kind(bool, st.booleans(), st.sampled_from([0, "true", None])),
            Kind(date, st.dates(), st.sampled_from(["2020-13-01", "soon", 3])),
            Kind(datetime, st.datetimes(), st.sampled_from(["2020-01-01", "soon", 3])),
            Kind(time, st.times(), st.sampled_from(["25:00:00", "soon"])),
            Kind(timedelta, zones, st.sampled_from(["1h", "P1Y", 3])),
            Kind(UUID, st.uuids(), st.sampled_from(["x", "1234", 3])),
            Kind(
                Decimal,
                st.decimals(allow_nan=False, allow_infinity=False),
                st.sampled_from(["NaN", "1,5", "x", 1.5]),
            ),
            Kind(bytes, st.binary(max_size=9), st.sampled_from(["a", "====", 3])),
            Kind(Level, st.sampled_from(Level), st.sampled_from([3, "LOW", True])),
            Kind(Color, st.sampled_from(Color), st.sampled_from(["RED", 1])),
            Kind(Literal["a", 2], st.sampled_from(["a", 2]), st.sampled_from(["b", 3, True])),
            Kind(
                Annotated[int, annotated_types.Interval(ge=0, le=9)],
                st.integers(0, 9),
                st.sampled_from([-1, 10, "5"]),
            ),
            Kind(
                Annotated[str, annotated_types.MinLen(2)],
                st.text(st.characters(codec="utf-8"), min_size=2, max_size=5),
                st.sampled_from(["", "a", 5]),
            ),
        ]
    )
    return kinds.map(lambda kind: attrs.evolve(kind, wrong=kind.wrong.map(_Wrong)))


def corrupted(values: Values, wrong: Values) -> Values:
    """A list of right ones with a wrong one at its end."""
    right = st.lists(values.map(_Right), max_size=2)
    return st.tuples(right, wrong).map(lambda pair: [*pair[0], pair[1]])


@attrs.frozen
class _Right:
    """A right value beside the wrong one; it has to be taken apart first."""

    value: Any


@attrs.frozen
class _Wrong:
    """The wrong leaf."""

    value: Any


def lists(inner: Kind) -> Kind:
    return Kind(
        list[inner.annotation],  # type: ignore[name-defined]
        st.lists(inner.values, max_size=3),
        corrupted(inner.values, inner.wrong),
        is_hashable=False,
    )


def tuples(inner: Kind) -> Kind:
    return Kind(
        tuple[inner.annotation, str],  # type: ignore[name-defined]
        st.tuples(inner.values, texts()),
        inner.wrong.map(lambda wrong: [wrong, "a"]),
        is_hashable=inner.is_hashable,
    )


def dicts(inner: Kind) -> Kind:
    return Kind(
        dict[str, inner.annotation],  # type: ignore[name-defined]
        st.dictionaries(texts(), inner.values, max_size=3),
        inner.wrong.map(lambda wrong: {"key": wrong}),
        is_hashable=False,
    )


def numbered(inner: Kind) -> Kind:
    return Kind(
        dict[int, inner.annotation],  # type: ignore[name-defined]
        st.dictionaries(st.integers(-9, 9), inner.values, max_size=3),
        inner.wrong.map(lambda wrong: {"7": wrong}),
        is_hashable=False,
    )


def optional(inner: Kind) -> Kind:
    return Kind(
        inner.annotation | None,
        st.none() | inner.values,
        inner.wrong.filter(lambda wrong: wrong != _Wrong(None)),
        is_hashable=inner.is_hashable,
    )


def sets(inner: Kind) -> Kind:
    if not inner.is_hashable:
        return lists(inner)
    return Kind(
        frozenset[inner.annotation],  # type: ignore[name-defined]
        st.frozensets(inner.values, max_size=3),
        inner.wrong.map(lambda wrong: [wrong]),
    )


def records(makers: Callable[[Kind, str], Any]) -> Callable[[tuple[Kind, str]], Kind]:
    def make(drawn: tuple[Kind, str]) -> Kind:
        inner, name = drawn
        cls = makers(inner, name)
        return Kind(
            cls,
            inner.values.map(lambda value: cls(**{name: value})),
            inner.wrong.map(lambda wrong: {name: wrong}),
            is_hashable=False,
        )

    return make


def attrs_class(inner: Kind, name: str) -> Any:
    return attrs.make_class("Made", {name: attrs.field(type=inner.annotation)}, frozen=True)


def dataclass(inner: Kind, name: str) -> Any:
    return dataclasses.make_dataclass("Made", [(name, inner.annotation)])


def typed_dict(inner: Kind, name: str) -> Any:
    make: Any = TypedDict
    return make("Made", {name: inner.annotation})


def named_tuple(inner: Kind, name: str) -> Any:
    make: Any = NamedTuple
    return make("Made", [(name, inner.annotation)])


NAMES = st.from_regex(r"[a-z][a-z_]{0,5}", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name) and name not in ("self", "count", "index")
)


def around(inner: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    plain = st.one_of(
        *(inner.map(make) for make in (lists, tuples, dicts, numbered, optional, sets))
    )
    named = st.tuples(inner, NAMES)
    makers = (attrs_class, dataclass, typed_dict, named_tuple)
    return plain | st.one_of(*(named.map(records(make)) for make in makers))


KINDS = st.recursive(leaves(), around, max_leaves=4)
SEARCH = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
SHORT = settings(SEARCH, max_examples=EXAMPLES // 4)


def taking(annotation: Any) -> CompiledTool:
    def take(it):  # type: ignore[no-untyped-def]  # annotated below
        return it

    take.__annotations__ = {"it": annotation, "return": annotation}
    return CompiledTool(tool(take), converter=Converter())


def as_json(ready: CompiledTool, value: Any) -> Any:
    return ready.project(Snapshot.of({}), value, is_direct=True).value.read()


def only_json(wrong: Any) -> Any:
    """What was drawn, without its marks; right values only where they are JSON already."""
    if isinstance(wrong, _Right):
        assume(type(wrong.value) in (str, int, bool))
        return wrong.value
    if isinstance(wrong, list):
        return [only_json(each) for each in wrong]
    if isinstance(wrong, dict):
        return {key: only_json(each) for key, each in wrong.items()}
    return wrong.value if isinstance(wrong, _Wrong) else wrong


def paths_to_wrong(drawn: Any, path: tuple[Any, ...] = ("it",)) -> Iterator[str]:
    """The path to the wrong leaf."""
    if isinstance(drawn, _Wrong):
        yield show_path(path)
    elif isinstance(drawn, list):
        for at, each in enumerate(drawn):
            yield from paths_to_wrong(each, (*path, at))
    elif isinstance(drawn, dict):
        for key, each in drawn.items():
            yield from paths_to_wrong(each, (*path, key))


@SEARCH
@given(kind=KINDS, data=st.data())
def test_a_valid_value_passes_the_schema_is_built_and_comes_back_equal(
    kind: Kind, data: st.DataObject
) -> None:
    ready = taking(kind.annotation)
    value = data.draw(kind.values)

    prepared = ready.prepare(Snapshot.of({"it": as_json(ready, value)}))

    assert isinstance(prepared, Prepared), prepared
    built = ready.bind(prepared.arguments, None)()
    assert built == value
    assert type(built) is type(value) or isinstance(value, dict)


@SEARCH
@given(kind=KINDS, data=st.data())
def test_a_corrupted_value_is_refused_with_a_path_to_it(kind: Kind, data: st.DataObject) -> None:
    ready = taking(kind.annotation)
    drawn = data.draw(kind.wrong)
    (there,) = paths_to_wrong(drawn)

    found = ready.prepare(Snapshot.of({"it": only_json(drawn)}))

    assert isinstance(found, Faults), found
    assert any(there.startswith(fault.path) for fault in found.items)


@SHORT
@given(one=KINDS, other=KINDS, data=st.data())
def test_a_union_gives_the_same_answer_in_both_orders_or_is_refused(
    one: Kind, other: Kind, data: st.DataObject
) -> None:
    try:
        there = taking(one.annotation | other.annotation)
        back = taking(other.annotation | one.annotation)
    except InvalidToolError:
        return
    value = as_json(there, data.draw(one.values | other.values))

    first, second = (ready.bind(Snapshot.of({"it": value}), None)() for ready in (there, back))

    assert first == second
    assert type(first) is type(second)


@SHORT
@given(kind=KINDS, data=st.data())
def test_what_a_union_with_null_takes_is_what_its_branch_takes(
    kind: Kind, data: st.DataObject
) -> None:
    plain, nullable = taking(kind.annotation), taking(kind.annotation | None)
    value = as_json(plain, data.draw(kind.values))

    sent = Snapshot.of({"it": value})

    assert nullable.bind(sent, None)() == plain.bind(sent, None)()


@pytest.mark.parametrize("annotation", [list[int], dict[str, list[Color | None]]])
def test_a_schema_is_the_same_at_every_reading(annotation: Any) -> None:
    texts = {taking(annotation).tool.parameters_snapshot.text for _ in range(3)}

    assert len(texts) == 1
