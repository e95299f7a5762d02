"""What the fields of a configuration take, and what is said where a program gives others."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from pegboard.errors import ConfigError
from pegboard.texts import hidden_character

Check: TypeAlias = Callable[[Any, "attrs.Attribute[Any]", Any], None]

_LONGEST = 1e9
_MOST = 2**53


def seconds(_owner: object, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A positive, finite number of seconds."""
    if type(value) not in (int, float) or not 0 < value <= _LONGEST:
        raise ConfigError([f"{field.name} must be a positive, finite number of seconds"])


def grace(_owner: object, field: "attrs.Attribute[Any]", value: Any) -> None:
    """A finite number of seconds, or none of them."""
    if type(value) not in (int, float) or not 0 <= value <= _LONGEST:
        raise ConfigError([f"{field.name} must be a finite number of seconds from 0 on"])


def whole(least: int, most: int = _MOST) -> Check:
    """A whole number in these bounds."""

    def check(_owner: object, field: "attrs.Attribute[Any]", value: Any) -> None:
        if type(value) is not int or not least <= value <= most:
            raise ConfigError([f"{field.name} must be a whole number from {least} to {most}"])

    return check


maybe_seconds = attrs.validators.optional(seconds)
at_least_one = whole(1)


def of_kind(*kinds: type, wanted: str) -> Check:
    """Anything of these kinds."""

    def check(_owner: object, field: "attrs.Attribute[Any]", value: Any) -> None:
        _expect(field.name, wanted, value, kinds)

    return check


def _expect(name: str, wanted: str, value: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(value, kinds):
        raise ConfigError([f"{name} must be {wanted}, not {type(value).__name__}"])


def listed(*kinds: type, wanted: str) -> Check:
    """Several of these kinds, or None where that is the default."""

    def check(_owner: object, field: "attrs.Attribute[Any]", values: Any) -> None:
        if values is None and field.default is None:
            return
        _expect(field.name, f"a list of {wanted}s", values, (tuple,))
        for at, each in enumerate(values):
            _expect(f"{field.name}[{at}]", f"a {wanted}", each, kinds)

    return check


def tables(kind: type, wanted: str) -> Check:
    """Text with values of this kind."""

    def check(_owner: object, field: "attrs.Attribute[Any]", values: Any) -> None:
        _expect(field.name, f"names, each with {wanted}", values, (Mapping,))
        for name, each in values.items():
            _expect(f"each name in {field.name}", "text", name, (str,))
            _expect(f"{field.name}.{name}", wanted, each, (kind,))

    return check


text = of_kind(str, wanted="text")
maybe_text = of_kind(str, type(None), wanted="text")
flag = of_kind(bool, wanted="True or False")
a_file = of_kind(Path, type(None), wanted="a path")
some_names = listed(str, wanted="name")
selectors = listed(object, wanted="selector")
"""Each of them is checked where it is applied."""


def shown_text(_owner: object, field: "attrs.Attribute[Any]", value: Any) -> None:
    """Text that shows whole, or None."""
    maybe_text(_owner, field, value)
    hidden = None if value is None else hidden_character(value)
    if hidden is not None:
        raise ValueError(f"the {field.name} holds the hidden character {hidden}")


def as_names(values: Any) -> Any:
    """One name as several, and what holds several as a tuple; all else as it is."""
    if isinstance(values, str):
        return (values,)
    return tuple(values) if isinstance(values, Iterable) else values


def as_path(value: Any) -> Any:
    """What names a file as a path; all else as it is."""
    return Path(value) if isinstance(value, (str, PathLike)) else value
