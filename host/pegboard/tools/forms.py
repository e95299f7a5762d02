"""The forms that Python types have in JSON: what the walk over an annotation gives."""

import enum
from collections.abc import Mapping
from typing import Any, TypeAlias

import attrs

from pegboard.errors import PegboardError
from pegboard.values import JSON


@attrs.frozen(eq=False)
class Anything:
    """Any JSON value."""


@attrs.frozen(eq=False)
class Scalar:
    """`str`, `int`, `float`, `bool` or None, as JSON has them."""

    kind: type


@attrs.frozen(eq=False)
class Spelled:
    """A type that JSON spells as text: dates, UUID, Decimal, bytes, paths, secrets."""

    kind: type


@attrs.frozen(eq=False)
class Option:
    """One value of a choice, as JSON and as Python have it."""

    spelling: JSON
    value: Any


@attrs.frozen(eq=False)
class Choice:
    """A `Literal` or an enum."""

    options: tuple[Option, ...]


@attrs.frozen(eq=False)
class Items:
    """A list, tuple or set of things of one form.

    Attributes:
        item: the form of each.
        container: what is built of them.
        gives: the classes that a tool may return for it.
    """

    item: "Form"
    container: type
    gives: tuple[type, ...]


@attrs.frozen(eq=False)
class Row:
    """A tuple of a fixed length."""

    items: tuple["Form", ...]


@attrs.frozen(eq=False)
class Table:
    """A dict, with any keys of one form."""

    key: "Form"
    value: "Form"
    gives: tuple[type, ...] = (dict,)


class Kind(enum.Enum):
    """What sort of class a record is."""

    ATTRS = "attrs class"
    DATACLASS = "dataclass"
    TYPED_DICT = "TypedDict"
    NAMED_TUPLE = "NamedTuple"


@attrs.frozen(eq=False)
class Field:
    """One field of a record.

    Attributes:
        name: the attribute in Python.
        key: the key in JSON; also the argument of the class.
        form: the form of its value.
        default: the default value, or NOTHING where there is none or it is made afresh.
        is_required: whether it must be sent.
        is_kept: whether it is an attribute afterwards (an `InitVar` isn't).
        description: what a model reads of it, or "".
        is_keyword: whether the class takes it by keyword only.
        is_always: whether what is built always has it.
    """

    name: str
    key: str
    form: "Form"
    default: Any
    is_required: bool
    is_kept: bool = True
    description: str = ""
    is_keyword: bool = True
    is_always: bool = True


@attrs.define(eq=False)
class Record:
    """An object with known keys; its fields come once they are read, so that it may hold itself.

    Attributes:
        cls: the class that is built.
        kind: what sort of class.
        name: its name among the `$defs`.
        description: what a model reads of it, or "".
        fields: in their order.
    """

    cls: Any
    kind: Kind
    name: str
    description: str = ""
    fields: tuple[Field, ...] = ()


@attrs.define(eq=False)
class Alias:
    """A type alias; its form comes once it is read, so that it may hold itself."""

    name: str
    form: "Form" = attrs.field(factory=Anything)


@attrs.frozen(eq=False)
class AnyOf:
    """A union; its branches as they were written."""

    branches: tuple["Form", ...]


@attrs.frozen(eq=False)
class Narrowed:
    """A form with further keywords of JSON Schema."""

    form: "Form"
    keywords: Mapping[str, JSON]


Form: TypeAlias = (
    Anything | Scalar | Spelled | Choice | Items | Row | Table | Record | Alias | AnyOf | Narrowed
)


def bare(form: Form) -> Form:
    """The form without the keywords and aliases around it."""
    while isinstance(form, (Narrowed, Alias)):
        form = form.form
    return form


class FormError(PegboardError):
    """An annotation that has no form in JSON; says why, and which part of it."""


def show(annotation: Any) -> str:
    """An annotation as an author would write it."""
    if annotation is type(None):
        return "None"
    if isinstance(annotation, type) and not getattr(annotation, "__args__", ()):
        return annotation.__qualname__.rpartition("<locals>.")[2]
    return str(annotation).replace("typing.", "")
