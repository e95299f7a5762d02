"""The values that a schema lists, as types."""

from collections.abc import Iterable, Sequence

from pegboard.sdk.expressions import ANY, NONE, Type, Value, plain, union
from pegboard.sdk.wording import literal
from pegboard.values import JSON

LONGEST_VALUE = 1_000
MOST_CHARACTERS = 20_000
_MOST_BITS = 400
_KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}


def listed(values: Sequence[JSON], kinds: Iterable[str] | None) -> Type:
    """The type of a value that is one of these.

    Args:
        values: the values.
        kinds: what types they have to be of, in the words of JSON Schema; None for any.
    """
    fitting = [each for each in values if kinds is None or _is_of(each, kinds)] or values
    found = union(_of(each) for each in fitting)
    size = sum(len(each.text) for each in found if type(each) is Value)
    return (widened(found) if size > MOST_CHARACTERS else found) or ANY


def widened(type_: Type) -> Type:
    """The same with the type of each value in its place."""
    return union(plain(each.kind) if type(each) is Value else (each,) for each in type_)


def _is_of(value: JSON, kinds: Iterable[str]) -> bool:
    kind = _KINDS.get(type(value), "object" if type(value) is dict else "null")
    same = {"integer": ("integer", "number"), "number": ("integer", "number")}.get(kind, (kind,))
    return any(each in same for each in kinds)


def _of(value: JSON) -> Type:
    match value:
        case None:
            return NONE
        case bool():
            return (Value(repr(value), "bool"),)
        case int():
            return (Value(str(value), "int"),) if value.bit_length() < _MOST_BITS else plain("int")
        case float():
            return plain("float")
        case str():
            is_short = len(value) <= LONGEST_VALUE
            return (Value(literal(value), "str"),) if is_short else plain("str")
        case list():
            return plain("list[Any]")
        case _:
            return plain("dict[str, Any]")
