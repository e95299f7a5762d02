"""What a value may be, in Python's terms."""

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import attrs

MOST_VALUES = 200
MOST_MEMBERS = 200


@attrs.frozen
class Plain:
    """A type that has a name of its own, such as `str`."""

    text: str


@attrs.frozen
class Value:
    """One value, to stand in a `Literal`.

    Attributes:
        text: the value as Python writes it.
        kind: the name of its type.
    """

    text: str
    kind: str


@attrs.frozen
class Holder:
    """A list or a dict with text as keys, of values of one type."""

    container: Literal["list", "dict"]
    inner: "Type"


@attrs.frozen
class Named:
    """A type that is defined elsewhere, by its place among the definitions."""

    key: int


Member: TypeAlias = Plain | Value | Holder | Named
Type: TypeAlias = tuple[Member, ...]
"""A union, of one member mostly."""

_ANY = Plain("Any")
_NONE = Plain("None")
_LAST = (_NONE, _ANY)

ANY: Type = (_ANY,)
NONE: Type = (_NONE,)


def plain(text: str) -> Type:
    """The type of this name."""
    return (Plain(text),)


def union(types: Iterable[Type]) -> Type:
    """A type that takes what any of these take; each member once, in their order."""
    members = dict.fromkeys(member for each in types for member in each)
    if sum(type(each) is Value for each in members) > MOST_VALUES:
        members = dict.fromkeys(
            Plain(each.kind) if type(each) is Value else each for each in members
        )
    if sum(type(each) is not Value for each in members) > MOST_MEMBERS:
        return ANY
    if _ANY in members:
        members = {each: None for each in members if each == _ANY or _tells_under_any(each)}
    if Plain("float") in members:
        members.pop(Plain("int"), None)
    last = [each for each in _LAST if each in members]
    return (*(each for each in members if each not in _LAST), *last)


def _tells_under_any(member: Member) -> bool:
    """Whether a member is worth reading where anything else is taken as well."""
    if type(member) is Holder:
        return any(_tells_under_any(each) for each in member.inner)
    return type(member) is not Plain


def is_exact(type_: Type) -> bool:
    """Whether a type says of every value whether it is taken."""
    return _ANY not in type_


def best(types: Iterable[Type]) -> Type:
    """Of types that all hold, the one that says most: values, then anything but `Any`."""
    found = list(types)
    listed = (each for each in found if all(type(member) is Value for member in each))
    exact = (each for each in found if is_exact(each))
    telling = (each for each in found if each != ANY)
    return next(listed, None) or next(exact, None) or next(telling, ANY)


def names_in(type_: Type) -> Iterator[int]:
    """The definitions that a type refers to, in order."""
    for member in type_:
        if type(member) is Named:
            yield member.key
        elif type(member) is Holder:
            yield from names_in(member.inner)


def height(type_: Type) -> int:
    """How many holders stand inside each other."""
    return max((1 + height(each.inner) for each in type_ if type(each) is Holder), default=0)


@attrs.frozen
class Field:
    """A key of a record.

    Attributes:
        key: its name, any text.
        type: what its value may be.
        is_required: whether it is always there.
        remark: what stands beside it, one line or nothing.
    """

    key: str
    type: Type
    is_required: bool
    remark: str = ""


@attrs.frozen
class Record:
    """A dict with known keys.

    Attributes:
        fields: its known keys.
        others: the type of the values of other keys; None where there are none, and where nothing
            is said of them.
        is_closed: whether other keys are refused.
        remark: what stands beside its name, one line or nothing.
    """

    fields: tuple[Field, ...]
    others: Type | None = None
    is_closed: bool = False
    remark: str = ""


@attrs.frozen
class Alias:
    """Another name of a type."""

    type: Type


@attrs.define(eq=False)
class Definition:
    """A type that is defined under a name.

    Attributes:
        word: what it would be called.
        path: where in the tool's schemas it stands, exactly.
        side: what it belongs to: `Arguments`, `Result` or `Call`.
        body: what it is.
    """

    word: str
    path: "Path"
    side: str
    body: Record | Alias = Alias(ANY)


@attrs.frozen(eq=False)
class Path:
    """The way to a place in a schema, from the place around it; short names cost no more."""

    around: "Path | None"
    step: str

    def __str__(self) -> str:
        steps: list[str] = []
        place: Path | None = self
        while place is not None:
            steps.append(place.step.replace("~", "~0").replace("/", "~1"))
            place = place.around
        return "/".join(reversed(steps))
