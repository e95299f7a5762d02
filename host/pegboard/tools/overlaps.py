"""Which values two forms share, which is the wider one, and whether both build the same of them."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pegboard.tools.forms import (
    Alias,
    AnyOf,
    Anything,
    Choice,
    Field,
    Form,
    Items,
    Kind,
    Narrowed,
    Option,
    Record,
    Row,
    Scalar,
    Spelled,
    Table,
    bare,
)

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


def types_of(form: Form) -> frozenset[str]:  # noqa: C901 - one case a form
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


def is_any_text(form: Form) -> bool:
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
    return _is_disjoint_same_sort(left, right, inside)


def _is_disjoint_same_sort(left: Form, right: Form, seen: Pairs) -> bool:
    match left, right:
        case Spelled(), Spelled():
            names = {left.kind.__name__, right.kind.__name__}
            return len(names) == 2 and names <= _STRICT
        case Items(), Row():
            return _is_disjoint_row(right, left, seen)
        case Row(), Items():
            return _is_disjoint_row(left, right, seen)
        case Row(), Row():
            pairs = zip(left.items, right.items, strict=False)
            is_same_size = len(left.items) == len(right.items)
            return not is_same_size or any(is_disjoint(*pair, seen) for pair in pairs)
        case ((Table() | Record()), (Table() | Record())):
            return _lacks(left, right, seen) or _lacks(right, left, seen)
        case _:
            return False


def _is_disjoint_choice(left: Form, right: Form) -> bool:
    if not isinstance(left, Choice):
        left, right = right, left
    return isinstance(left, Choice) and not any(
        _takes(right, each.spelling) for each in left.options
    )


def _takes(form: Form, value: Any) -> bool:
    """Whether a form has a scalar among its values; spelled ones may."""
    inner = bare(form)
    if isinstance(inner, Choice):
        return any(
            type(each.spelling) is type(value) and each.spelling == value for each in inner.options
        )
    if isinstance(inner, AnyOf):
        return any(_takes(each, value) for each in inner.branches)
    return bool(_TYPES[type(value)] & types_of(inner))


def _is_disjoint_row(row: Row, items: Items, seen: Pairs) -> bool:
    return any(is_disjoint(each, items.item, seen) for each in row.items)


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


def _covers_same_sort(wide: Form, narrow: Form, seen: Pairs) -> bool:  # noqa: C901 - one case a pair
    match wide, narrow:
        case _, Choice():
            is_open = not isinstance(wide, Spelled)
            return is_open and all(_takes(wide, each.spelling) for each in narrow.options)
        case (Scalar() | Spelled(), Scalar() | Spelled()):
            return _covers_scalar(wide, narrow)
        case Items(), Items():
            is_alike = not _is_set(wide) or _is_set(narrow)
            return is_alike and covers(wide.item, narrow.item, seen)
        case Items(), Row():
            parts = (covers(wide.item, each, seen) for each in narrow.items)
            return not _is_set(wide) and all(parts)
        case Row(), Row():
            return _is_alike(wide.items, narrow.items, functools.partial(covers, seen=seen))
        case Table(), Table():
            is_any_key = _is_text(wide.key) or covers(wide.key, narrow.key, seen)
            return is_any_key and covers(wide.value, narrow.value, seen)
        case Table(), Record():
            parts = (covers(wide.value, each.form, seen) for each in narrow.fields)
            return _is_text(wide.key) and all(parts)
        case Record(), Record():
            return _covers_record(wide, narrow, seen)
        case _:
            return False


def _is_set(form: Items) -> bool:
    return form.container in (set, frozenset)


def _is_text(form: Form) -> bool:
    return isinstance(form, Scalar) and form.kind is str


def _is_number(form: Form) -> bool:
    inner = bare(form)
    return isinstance(inner, Scalar) and inner.kind is int


def _is_alike(
    one: Sequence[Form], other: Sequence[Form], holds: Callable[[Form, Form], bool]
) -> bool:
    return len(one) == len(other) and all(map(holds, one, other))


def _covers_scalar(wide: Scalar | Spelled, narrow: Scalar | Spelled) -> bool:
    if is_any_text(wide) and not (isinstance(wide, Spelled) and wide.kind is bytes):
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


def agrees(one: Form, other: Form, seen: Pairs = _NO_PAIRS) -> bool:
    """Whether both forms build the same of every value that they share, as far as can be seen."""
    left, right = bare(one), bare(other)
    pair = (id(left), id(right))
    if left is right or pair in seen or is_disjoint(left, right):
        return True
    inside = seen | {pair}
    if isinstance(left, AnyOf):
        return all(agrees(each, right, inside) for each in left.branches)
    if isinstance(right, AnyOf):
        return all(agrees(left, each, inside) for each in right.branches)
    return _agrees_same_sort(left, right, inside)


def _agrees_same_sort(left: Form, right: Form, seen: Pairs) -> bool:
    match left, right:
        case Choice(), (Choice() | Scalar()):
            return all(_builds(right, each) for each in left.options)
        case Scalar(), Choice():
            return all(_builds(left, each) for each in right.options)
        case (Scalar() | Spelled(), Scalar() | Spelled()):
            return left.kind is right.kind
        case Items(), Items():
            return left.container is right.container and agrees(left.item, right.item, seen)
        case Row(), Row():
            return _is_alike(left.items, right.items, functools.partial(agrees, seen=seen))
        case Table(), Table():
            is_same_key = _is_number(left.key) == _is_number(right.key)
            parts = ((left.key, right.key), (left.value, right.value))
            return is_same_key and all(agrees(*pair, seen) for pair in parts)
        case Record(), Record():
            return _agrees_as_dict(left, right, seen)
        case _:
            return False


def _builds(form: Choice | Scalar, option: Option) -> bool:
    """Whether a form builds the same of an option's spelling, if it has it at all."""
    if isinstance(form, Scalar):
        return not _takes(form, option.spelling) or form.kind is type(option.value)
    same = (each for each in form.options if _is_same(each.spelling, option.spelling))
    return all(_is_same(each.value, option.value) for each in same)


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _agrees_as_dict(left: Record, right: Record, seen: Pairs) -> bool:
    if not (left.kind is right.kind is Kind.TYPED_DICT):
        return False
    parts = ((each.form, _part(right, each)) for each in left.fields)
    return all(part is None or agrees(form, part, seen) for form, part in parts)
