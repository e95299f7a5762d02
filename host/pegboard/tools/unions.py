"""Telling the branches of a union apart: which values two forms share, and which is narrower."""

from collections.abc import Iterable, Mapping
from typing import Any

from pegboard.tools.forms import (
    Alias,
    AnyOf,
    Anything,
    Choice,
    Field,
    Form,
    FormError,
    Items,
    Narrowed,
    Record,
    Row,
    Scalar,
    Spelled,
    Table,
    bare,
)
from pegboard.tools.unbuilding import is_plain

Pairs = frozenset[tuple[int, int]]

_NO_PAIRS: Pairs = frozenset()
_TYPES: Mapping[type, frozenset[str]] = {
    str: frozenset({"string"}),
    int: frozenset({"integer"}),
    float: frozenset({"integer", "number"}),
    bool: frozenset({"boolean"}),
    type(None): frozenset({"null"}),
}
_ALL = frozenset({"string", "integer", "number", "boolean", "null", "object", "array"})
_STRICT = frozenset({"datetime", "date", "time", "timedelta", "UUID", "Decimal"})


def types_of(form: Form) -> frozenset[str]:
    """The JSON types of a form's values; `number` stands for what isn't an integer."""
    match form:
        case Anything():
            return _ALL
        case Scalar():
            return _TYPES[form.kind]
        case Spelled():
            return frozenset({"string"})
        case Choice():
            return frozenset().union(*(_TYPES[type(each.spelling)] for each in form.options))
        case Items() | Row():
            return frozenset({"array"})
        case Table() | Record():
            return frozenset({"object"})
        case AnyOf():
            return frozenset().union(*map(types_of, form.branches))
        case Narrowed() | Alias():
            return types_of(form.form)


def in_order(branches: Iterable[Form]) -> tuple[Form, ...]:
    """The branches in the order in which they are tried: the narrower before the wider."""
    ordered: list[Form] = []
    for branch in branches:
        places = (at for at, each in enumerate(ordered) if covers(each, branch))
        ordered.insert(next(places, len(ordered)), branch)
    return tuple(ordered)


def check_union(form: AnyOf) -> None:
    """Refuse a union whose answer would depend on the order of its branches.

    Raises:
        FormError: two branches that a value can't be told to belong to.
    """
    for at, one in enumerate(form.branches):
        for other in form.branches[at + 1 :]:
            if not _is_told_apart(one, other):
                raise FormError(
                    f"a union of {name_of(one)} and {name_of(other)}, which can't be told apart "
                    "in JSON; give each a required field of its own, or a Literal field"
                )


def name_of(form: Form) -> str:
    """A form in a few words."""
    inner = bare(form)
    if isinstance(inner, (Record, Alias)):
        return inner.name
    if isinstance(inner, (Scalar, Spelled)):
        return inner.kind.__name__
    if isinstance(inner, Items):
        return f"{inner.container.__name__}[{name_of(inner.item)}]"
    return type(inner).__name__.lower()


def _is_told_apart(one: Form, other: Form) -> bool:
    if is_disjoint(one, other) or (is_plain(one) and is_plain(other)):
        return True
    left, right = bare(one), bare(other)
    if isinstance(left, AnyOf):
        return all(_is_told_apart(each, right) for each in left.branches)
    if isinstance(right, AnyOf):
        return all(_is_told_apart(left, each) for each in right.branches)
    if isinstance(left, Items) and isinstance(right, Items) and left.container is right.container:
        return _is_told_apart(left.item, right.item)
    if isinstance(left, Table) and isinstance(right, Table):
        return _is_told_apart(left.value, right.value)
    if _is_any_text(left) and _is_any_text(right):
        return False
    return covers(one, other) != covers(other, one)


def _is_any_text(form: Form) -> bool:
    """Whether it takes about any text: base64 is what many words happen to be."""
    if isinstance(form, Spelled):
        return form.kind.__name__ not in _STRICT
    return isinstance(form, Scalar) and form.kind is str


def is_disjoint(one: Form, other: Form, seen: Pairs = _NO_PAIRS) -> bool:
    """Whether no value can be of both forms, as far as that can be seen."""
    left, right = bare(one), bare(other)
    pair = (id(left), id(right))
    if pair in seen:
        return False
    inside = seen | {pair}
    if not types_of(left) & types_of(right):
        return True
    if isinstance(left, AnyOf):
        return all(is_disjoint(each, right, inside) for each in left.branches)
    if isinstance(right, AnyOf):
        return all(is_disjoint(left, each, inside) for each in right.branches)
    if isinstance(left, Choice) or isinstance(right, Choice):
        return _is_disjoint_choice(left, right)
    if isinstance(left, Spelled) and isinstance(right, Spelled):
        names = {left.kind.__name__, right.kind.__name__}
        return len(names) == 2 and names <= _STRICT
    if isinstance(left, (Items, Row)) and isinstance(right, (Items, Row)):
        return _is_disjoint_array(left, right, inside)
    if isinstance(left, (Table, Record)) and isinstance(right, (Table, Record)):
        return _is_disjoint_object(left, right, inside)
    return False


def _is_disjoint_choice(left: Form, right: Form) -> bool:
    if not isinstance(left, Choice):
        left, right = right, left
    return isinstance(left, Choice) and not any(_takes(right, each.spelling) for each in left.options)


def _takes(form: Form, value: Any) -> bool:
    """Whether a form has a scalar among its values; spelled ones may."""
    inner = bare(form)
    if isinstance(inner, Choice):
        return any(type(each.spelling) is type(value) and each.spelling == value for each in inner.options)
    if isinstance(inner, AnyOf):
        return any(_takes(each, value) for each in inner.branches)
    return bool(_TYPES[type(value)] & types_of(inner))


def _is_disjoint_array(left: Items | Row, right: Items | Row, seen: Pairs) -> bool:
    if isinstance(left, Items) and isinstance(right, Items):
        return False
    if isinstance(left, Row) and isinstance(right, Row):
        pairs = list(zip(left.items, right.items, strict=False))
        is_same_size = len(left.items) == len(right.items)
        return not is_same_size or any(is_disjoint(one, other, seen) for one, other in pairs)
    row, items = (left, right) if isinstance(left, Row) else (right, left)
    assert isinstance(row, Row) and isinstance(items, Items)
    return any(is_disjoint(each, items.item, seen) for each in row.items)


def _is_disjoint_object(left: Table | Record, right: Table | Record, seen: Pairs) -> bool:
    return _lacks(left, right, seen) or _lacks(right, left, seen)


def _lacks(one: Table | Record, other: Table | Record, seen: Pairs) -> bool:
    """Whether something that the one requires is nothing that the other can have."""
    if isinstance(one, Table):
        return False
    for field in one.fields:
        part = _part(other, field)
        if field.is_required and (part is None or is_disjoint(field.form, part, seen)):
            return True
    return False


def _part(form: Table | Record, field: Field) -> Form | None:
    if isinstance(form, Table):
        return form.value
    return next((each.form for each in form.fields if each.key == field.key), None)


def covers(wide: Form, narrow: Form, seen: Pairs = _NO_PAIRS) -> bool:
    """Whether the wide form has every value of the narrow one, as far as that can be seen."""
    if isinstance(wide, Alias):
        return covers(wide.form, narrow, seen)
    pair = (id(wide), id(narrow))
    if wide is narrow or isinstance(wide, Anything) or pair in seen:
        return True
    inside = seen | {pair}
    if isinstance(narrow, Alias):
        return covers(wide, narrow.form, inside)
    if isinstance(wide, Narrowed):
        same = isinstance(narrow, Narrowed) and wide.keywords == narrow.keywords
        return same and covers(wide.form, bare(narrow), inside)
    if isinstance(narrow, Narrowed):
        return covers(wide, narrow.form, inside)
    if isinstance(narrow, AnyOf):
        return all(covers(wide, each, inside) for each in narrow.branches)
    if isinstance(wide, AnyOf):
        return any(covers(each, narrow, inside) for each in wide.branches)
    return _covers_same_sort(wide, narrow, inside)


def _covers_same_sort(wide: Form, narrow: Form, seen: Pairs) -> bool:
    match wide, narrow:
        case _, Choice():
            return all(_takes(wide, each.spelling) for each in narrow.options) and not isinstance(wide, Spelled)
        case (Scalar() | Spelled()), (Scalar() | Spelled()):
            return _covers_scalar(wide, narrow)
        case Items(), Items():
            is_bag = wide.container not in (set, frozenset)
            is_alike = is_bag or narrow.container in (set, frozenset)
            return is_alike and covers(wide.item, narrow.item, seen)
        case Items(), Row():
            is_bag = wide.container not in (set, frozenset)
            return is_bag and all(covers(wide.item, each, seen) for each in narrow.items)
        case Row(), Row():
            pairs = list(zip(wide.items, narrow.items, strict=False))
            is_same_size = len(wide.items) == len(narrow.items)
            return is_same_size and all(covers(one, other, seen) for one, other in pairs)
        case Table(), Table():
            return covers(wide.key, narrow.key, seen) and covers(wide.value, narrow.value, seen)
        case Table(), Record():
            is_any_key = isinstance(wide.key, Scalar) and wide.key.kind is str
            return is_any_key and all(covers(wide.value, each.form, seen) for each in narrow.fields)
        case Record(), Record():
            return _covers_record(wide, narrow, seen)
        case _:
            return False


def _covers_scalar(wide: Scalar | Spelled, narrow: Scalar | Spelled) -> bool:
    if _is_any_text(wide) and not (isinstance(wide, Spelled) and wide.kind is bytes):
        return "string" in types_of(narrow)
    if isinstance(wide, Scalar) and isinstance(narrow, Scalar):
        return _TYPES[narrow.kind] <= _TYPES[wide.kind]
    return wide.kind is narrow.kind


def _covers_record(wide: Record, narrow: Record, seen: Pairs) -> bool:
    required = {each.key for each in narrow.fields if each.is_required}
    if any(each.is_required and each.key not in required for each in wide.fields):
        return False
    parts = ((_part(wide, each), each.form) for each in narrow.fields)
    return all(part is not None and covers(part, form, seen) for part, form in parts)
