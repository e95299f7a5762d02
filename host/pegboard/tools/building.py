"""From JSON that a schema accepts to the types that a tool asked for."""

import base64
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Protocol

import attrs

from pegboard.tools.forms import (
    Alias,
    AnyOf,
    Anything,
    Choice,
    Form,
    Items,
    Kind,
    Narrowed,
    Record,
    Row,
    Scalar,
    Spelled,
    Table,
    bare,
)
from pegboard.tools.overlaps import types_of
from pegboard.tools.secret import Secret
from pegboard.tools.unions import in_order
from pegboard.values import JSON
from pegboard.values.stack import run_deep

Build = Callable[..., Any]


class Hooks(Protocol):
    """What the converter gives for building."""

    def structure_hook(self, record: Record, hooks: Mapping[str, Build | None]) -> Build:
        """A function that builds an attrs class or a dataclass, fields through their hooks."""

    def acceptor(self, form: Form) -> Callable[[JSON], bool]:
        """Whether the schema of a form accepts a value."""


@attrs.define(eq=False)
class Builders:
    """The functions that build values, one for each form; None where JSON is what is asked for."""

    _hooks: Hooks
    _made: dict[int, Build | None] = attrs.field(factory=dict)

    def of(self, form: Form) -> Build | None:  # noqa: C901 - one case a form
        """The function for a form; it takes the value, and a type that it doesn't need."""
        match form:
            case Anything():
                return None
            case Narrowed():
                return self.of(form.form)
            case Scalar():
                return _SCALARS.get(form.kind)
            case Spelled():
                return _reader(form.kind)
            case Choice():
                return _choice(form)
            case AnyOf():
                return self._union(form)
            case Items():
                return self._items(form)
            case Row():
                return self._row(form)
            case Table():
                return self._table(form)
            case Record() | Alias():
                return self._named(form)

    def _named(self, form: Record | Alias) -> Build | None:
        made = self._made
        key = id(form)
        if key not in made:
            made[key] = lambda value, _type=None: run_deep(made[key] or _as_it_is, value)
            made[key] = self._record(form) if isinstance(form, Record) else self.of(form.form)
        return made[key]

    def _record(self, record: Record) -> Build | None:
        hooks = {each.name: self.of(each.form) for each in record.fields}
        if record.kind in (Kind.ATTRS, Kind.DATACLASS):
            return self._hooks.structure_hook(record, hooks)
        needed = {name: hook for name, hook in hooks.items() if hook is not None}
        if record.kind is Kind.NAMED_TUPLE:
            return lambda value, _type=None: record.cls(**_with_built(value, needed))
        return (lambda value, _type=None: _with_built(value, needed)) if needed else None

    def _items(self, form: Items) -> Build | None:
        hook, make = self.of(form.item), form.container
        if hook is None:
            return None if make is list else lambda value, _type=None: make(value)
        if make is list:
            return lambda value, _type=None: [hook(each) for each in value]
        return lambda value, _type=None: make([hook(each) for each in value])

    def _row(self, form: Row) -> Build:
        hooks = [self.of(each) or _as_it_is for each in form.items]

        def build(value: list[JSON], _type: Any = None) -> Any:
            return tuple([hook(each) for hook, each in zip(hooks, value, strict=True)])

        return build

    def _table(self, form: Table) -> Build | None:
        key, hook = self._key(form.key), self.of(form.value)
        if key is None and hook is None:
            return None
        read, make = key or _as_it_is, hook or _as_it_is
        return lambda value, _type=None: {read(name): make(each) for name, each in value.items()}

    def _key(self, form: Form) -> Build | None:
        inner = bare(form)
        if isinstance(inner, Scalar) and inner.kind is int:
            return int
        return self.of(form)

    def branch_of(self, form: AnyOf, value: JSON) -> Form | None:
        """The branch of a union that is built for a value: the first one, the narrowest first."""
        for branch in in_order(form.branches):
            if _JSON_TYPES[type(value)] & types_of(branch) and self._hooks.acceptor(branch)(value):
                return branch
        return None

    def _union(self, form: AnyOf) -> Build | None:
        branches = [(each, self.of(each)) for each in in_order(form.branches)]
        if all(hook is None for _, hook in branches):
            return None
        table = {kind: self._branch(branches, names) for kind, names in _JSON_TYPES.items()}
        return lambda value, _type=None: table[type(value)](value)

    def _branch(self, branches: list[tuple[Form, Build | None]], names: frozenset[str]) -> Build:
        """What builds values of one JSON type; a schema decides only where several branches can."""
        able = [(form, hook) for form, hook in branches if names & types_of(form)]
        if len(able) < 2:
            return able[0][1] or _as_it_is if able else _as_it_is
        choices = [(self._hooks.acceptor(form), hook or _as_it_is) for form, hook in able]

        def build(value: JSON, _type: Any = None) -> Any:
            for accepts, hook in choices:
                if accepts(value):
                    return hook(value)
            return value

        return build


_JSON_TYPES: Mapping[type, frozenset[str]] = {
    type(None): frozenset({"null"}),
    bool: frozenset({"boolean"}),
    int: frozenset({"integer"}),
    float: frozenset({"integer", "number"}),
    str: frozenset({"string"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
}


def _as_it_is(value: Any, _type: Any = None) -> Any:
    return value


def _whole(value: Any, _type: Any = None) -> Any:
    return int(value) if type(value) is float else value


def is_whole(form: Form) -> bool:
    """Whether a form is nothing but an integer."""
    inner = bare(form)
    return isinstance(inner, Scalar) and inner.kind is int


def _real(value: Any, _type: Any = None) -> Any:
    return float(value) if type(value) is int else value


_SCALARS: Mapping[type, Build] = {int: _whole, float: _real}


def _reader(kind: type) -> Build:
    if kind is bytes:
        return lambda value, _type=None: base64.b64decode(value, validate=True)
    if kind is Secret or issubclass(kind, PurePath):
        return lambda value, _type=None: kind(value)
    import msgspec

    convert = msgspec.convert
    return lambda value, _type=None: convert(value, kind)


def _choice(form: Choice) -> Build | None:
    values = {(type(each.spelling), each.spelling): each.value for each in form.options}
    if all(type(key) is str and values[kind, key] is key for kind, key in values):
        return None

    def build(value: JSON, _type: Any = None) -> Any:
        found = values.get((type(value), value), values)
        return _equal(value, form) if found is values else found

    return build


def _equal(value: JSON, form: Choice) -> Any:
    """The option that a number stands for which JSON takes for equal: 2.0 is 2."""
    for option in form.options:
        if type(option.spelling) in (int, float) and option.spelling == value:
            return option.value
    return value


def _with_built(value: Mapping[str, JSON], hooks: Mapping[str, Build]) -> dict[str, Any]:
    return {key: hooks[key](each) if key in hooks else each for key, each in value.items()}


def parts_of(form: Form, value: JSON) -> Iterator[tuple[Any, Form, JSON]]:
    """The parts of a value that have forms of their own: key or index, form, value."""
    match form:
        case Items():
            yield from ((at, form.item, each) for at, each in enumerate(value))
        case Row():
            pairs = zip(form.items, value, strict=True)
            yield from ((at, item, each) for at, (item, each) in enumerate(pairs))
        case Table():
            yield from ((key, form.value, each) for key, each in value.items())
        case Record():
            fields = {field.key: field.form for field in form.fields}
            yield from ((key, fields[key], each) for key, each in value.items() if key in fields)
        case _:
            return
