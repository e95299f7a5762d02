"""What stands beside a type in `Annotated`: constraints, descriptions, the mark of a secret."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import annotated_types
import attrs
from annotated_doc import Doc

from pegboard.tools.forms import (
    AnyOf,
    Form,
    FormError,
    Items,
    Narrowed,
    Row,
    Scalar,
    Table,
    bare,
)
from pegboard.tools.secret import Secret
from pegboard.values import JSON

_NUMBERS = {
    annotated_types.Ge: ("ge", "minimum"),
    annotated_types.Gt: ("gt", "exclusiveMinimum"),
    annotated_types.Le: ("le", "maximum"),
    annotated_types.Lt: ("lt", "exclusiveMaximum"),
    annotated_types.MultipleOf: ("multiple_of", "multipleOf"),
}
_LENGTHS = {
    annotated_types.MinLen: ("min_length", "min"),
    annotated_types.MaxLen: ("max_length", "max"),
}
_META = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
    "min_length": "min",
    "max_length": "max",
}


@attrs.frozen
class Remarks:
    """What the metadata of one annotation says.

    Attributes:
        keywords: constraints, as pairs of a keyword of JSON Schema and its value; `min` and `max`
            stand for lengths.
        description: what a model reads, or "".
        is_secret: whether the value must not show.
    """

    keywords: tuple[tuple[str, JSON], ...] = ()
    description: str = ""
    is_secret: bool = False


def read_remarks(metadata: Sequence[Any]) -> Remarks:
    """What the metadata says.

    Raises:
        FormError: something in it isn't known here, so that it could not be kept.
    """
    description = ""
    for each in metadata:
        if isinstance(each, (Doc, str)):
            description = each if isinstance(each, str) else each.documentation
        elif _is_meta(each) and each.description:
            description = each.description
    return Remarks(
        keywords=tuple(pair for each in metadata for pair in _keywords_of(each)),
        description=description,
        is_secret=any(each is Secret for each in metadata),
    )


def _keywords_of(remark: Any) -> Iterator[tuple[str, JSON]]:
    kind = type(remark)
    if kind in _NUMBERS:
        attribute, keyword = _NUMBERS[kind]
        yield keyword, getattr(remark, attribute)
    elif kind in _LENGTHS:
        attribute, keyword = _LENGTHS[kind]
        yield keyword, getattr(remark, attribute)
    elif isinstance(remark, annotated_types.GroupedMetadata):
        for each in remark:
            yield from _keywords_of(each)
    elif _is_meta(remark):
        yield from _keywords_of_meta(remark)
    elif not isinstance(remark, (Doc, str)) and remark is not Secret:
        raise FormError(f"pegboard doesn't know what {_show_remark(remark)} says")


def _is_meta(remark: Any) -> bool:
    return type(remark).__module__ == "msgspec" and type(remark).__name__ == "Meta"


def _keywords_of_meta(meta: Any) -> Iterator[tuple[str, JSON]]:
    if meta.tz is not None or meta.extra_json_schema or meta.extra:
        raise FormError("of msgspec.Meta, `tz`, `extra` and `extra_json_schema` aren't known")
    for attribute, keyword in _META.items():
        value = getattr(meta, attribute)
        if value is not None:
            yield keyword, value


def _show_remark(remark: Any) -> str:
    kind = remark if isinstance(remark, type) else type(remark)
    return f"{kind.__module__}.{kind.__qualname__}"


def narrow(form: Form, keywords: Sequence[tuple[str, JSON]]) -> Form:
    """The form with constraints; those on a union go to the branches that can take them.

    Raises:
        FormError: a constraint that this form can't have.
    """
    for keyword, value in keywords:
        form = _narrow_once(form, keyword, value)
    return form


def _narrow_once(form: Form, keyword: str, value: JSON) -> Form:
    inner = bare(form)
    if isinstance(inner, AnyOf):
        return _narrow_branches(inner, keyword, value)
    name = _keyword_for(inner, keyword)
    if name is None:
        raise FormError(f"a constraint ({keyword}) that such a type can't have in JSON Schema")
    _check_bound(name, value)
    return Narrowed(form, {name: value})


def _narrow_branches(form: AnyOf, keyword: str, value: JSON) -> Form:
    narrowed = {
        id(each): _narrow_once(each, keyword, value)
        for each in form.branches
        if isinstance(bare(each), AnyOf) or _keyword_for(bare(each), keyword)
    }
    if not narrowed:
        raise FormError(f"a constraint ({keyword}) that no branch of this union can have")
    return AnyOf(tuple(narrowed.get(id(each), each) for each in form.branches))


def _keyword_for(form: Form, keyword: str) -> str | None:
    """The keyword of JSON Schema for this form, or None where it can't have it."""
    is_text = isinstance(form, Scalar) and form.kind is str
    if keyword == "pattern":
        return keyword if is_text else None
    if keyword not in ("min", "max"):
        return keyword if isinstance(form, Scalar) and form.kind in (int, float) else None
    if is_text:
        return f"{keyword}Length"
    if isinstance(form, (Items, Row)):
        return f"{keyword}Items"
    return f"{keyword}Properties" if isinstance(form, Table) else None


def _check_bound(keyword: str, value: JSON) -> None:
    if keyword == "pattern":
        return
    if keyword.endswith(("Length", "Items", "Properties")):
        if type(value) is not int or value < 0:
            raise FormError(f"{keyword} must be a whole number, not {value!r}")
    elif type(value) not in (int, float) or not math.isfinite(value):
        raise FormError(f"the bound {value!r} ({keyword}) isn't a number of JSON")
    elif keyword == "multipleOf" and value <= 0:
        raise FormError("multipleOf must be more than 0")
