"""What a schema wanted, in words that hold paths, keys and the schema's own values only."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pegboard.tools.faults import Fault

Path = tuple[Any, ...]

_ARTICLES: Mapping[str, str] = {
    "integer": "an integer",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}
_SHOWN = 20


def explain(error: Any, path: Path) -> Iterator[Fault]:
    """The faults that one error of jsonschema-rs stands for."""
    place = (*path, *error.instance_path)
    name = type(error.kind).__name__
    several = _SEVERAL.get(name)
    if several is not None:
        yield from several(error, path, place)
        return
    words = _WORDS.get(name)
    shown = words(error.kind, error.instance) if words else f"breaks the rule '{error.kind.name}'"
    yield Fault.at(place, shown)


def kind_of(value: Any) -> str:
    """The JSON type of a value, in words."""
    return _KINDS.get(type(value), "something that isn't JSON")


def _required(error: Any, _path: Path, place: Path) -> Iterator[Fault]:
    yield Fault.at((*place, error.kind.property), "is missing")


def _undeclared(error: Any, _path: Path, place: Path) -> Iterator[Fault]:
    for key in error.kind.unexpected:
        if type(error.instance) is list:
            yield Fault.at(place, "has more items than are declared")
        else:
            yield Fault.at((*place, key), "isn't declared")


def _names(error: Any, path: Path, place: Path) -> Iterator[Fault]:
    inner = error.kind.error
    reasons = (each.message for each in explain(inner, path))
    if type(inner.instance) is str:
        yield Fault.at((*place, inner.instance), f"is a key that {', '.join(reasons)}")
    else:
        yield Fault.at(place, f"has a key that {', '.join(reasons)}")


def _branches(error: Any, path: Path, place: Path) -> Iterator[Fault]:
    """The faults of the one branch that a value was meant for, else what each branch wanted."""
    branches = [list(each) for each in error.kind.context]
    near = [each for each in branches if not _is_other_type(each, len(error.instance_path))]
    if len(near) == 1:
        for inner in near[0]:
            yield from explain(inner, path)
        return
    others = [each for each in branches if not _wants_null(each)] or branches
    if len(others) == 1:
        for inner in others[0]:
            yield from explain(inner, path)
        return
    wanted = dict.fromkeys(_wanted(each, path, place) for each in others)
    yield Fault.at(place, "fits none of: " + "; or ".join(wanted))


def _wants_null(errors: Sequence[Any]) -> bool:
    """Whether a branch is there for what may be left out, and so says nothing of other values."""
    return len(errors) == 1 and getattr(errors[0].kind, "types", None) == ["null"]


def _is_other_type(errors: Sequence[Any], depth: int) -> bool:
    return any(
        type(each.kind).__name__ == "Type" and len(each.instance_path) == depth for each in errors
    )


def _wanted(errors: Sequence[Any], path: Path, place: Path) -> str:
    faults = [fault for each in errors for fault in explain(each, path)]
    here = str(Fault.at(place, ""))
    return " and ".join(str(each).removeprefix(here) for each in faults[:_SHOWN])


def _type_words(kind: Any, value: Any) -> str:
    types = kind.types if isinstance(kind.types, (list, tuple)) else [kind.types]
    wanted = " or ".join(_ARTICLES.get(each, f"a {each}") for each in map(str, types))
    return f"must be {wanted}, not {kind_of(value)}"


def _enum_words(kind: Any, _value: Any) -> str:
    shown = [_text(each) for each in kind.options[:_SHOWN]]
    more = ", …" if len(kind.options) > _SHOWN else ""
    return f"must be one of {', '.join(shown)}{more}"


def _text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 200 else text[:200] + "…"


_SEVERAL: Mapping[str, Callable[[Any, Path, Path], Iterator[Fault]]] = {
    "Required": _required,
    "AdditionalProperties": _undeclared,
    "UnevaluatedProperties": _undeclared,
    "UnevaluatedItems": _undeclared,
    "PropertyNames": _names,
    "AnyOf": _branches,
    "OneOfNotValid": _branches,
}
_WORDS: Mapping[str, Callable[[Any, Any], str]] = {
    "Type": _type_words,
    "Enum": _enum_words,
    "Constant": lambda kind, _: f"must be {_text(kind.expected_value)}",
    "Minimum": lambda kind, _: f"must be at least {kind.limit}",
    "Maximum": lambda kind, _: f"must be at most {kind.limit}",
    "ExclusiveMinimum": lambda kind, _: f"must be more than {kind.limit}",
    "ExclusiveMaximum": lambda kind, _: f"must be less than {kind.limit}",
    "MultipleOf": lambda kind, _: f"must be a multiple of {kind.multiple_of}",
    "MinLength": lambda kind, _: f"must have at least {kind.limit} characters",
    "MaxLength": lambda kind, _: f"must have at most {kind.limit} characters",
    "MinItems": lambda kind, _: f"must have at least {kind.limit} items",
    "MaxItems": lambda kind, _: f"must have at most {kind.limit} items",
    "AdditionalItems": lambda kind, _: f"must have at most {kind.limit} items",
    "MinProperties": lambda kind, _: f"must have at least {kind.limit} keys",
    "MaxProperties": lambda kind, _: f"must have at most {kind.limit} keys",
    "Pattern": lambda kind, _: f"must match the pattern {_text(kind.pattern)}",
    "Format": lambda kind, _: f"must have the format '{kind.format}'",
    "UniqueItems": lambda _kind, _: "must not hold an item twice",
    "Contains": lambda _kind, _: "holds no item of the kind that it must hold",
    "FalseSchema": lambda _kind, _: "isn't allowed",
    "Not": lambda _kind, _: "is what it must not be",
    "OneOfMultipleValid": lambda _kind, _: "fits more than one of its forms, and must fit one",
    "ContentEncoding": lambda kind, _: f"must be encoded as {kind.content_encoding}",
    "ContentMediaType": lambda kind, _: f"must be of the type {kind.content_media_type}",
}
