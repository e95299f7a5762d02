"""Configuration and settings: from plain values to a class, with every mistake at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, TypeVar

import attrs

from pegboard.errors import NotJSONError, did_you_mean, near_names
from pegboard.tools.conversion import Converter
from pegboard.tools.faults import Fault, StructureError
from pegboard.tools.forms import Form, FormError
from pegboard.tools.revealing import Revealer, Secrets
from pegboard.tools.secret import Secret
from pegboard.values import JSON, Snapshot

T = TypeVar("T")


def structure(
    value: object, cls: type[T], *, converter: Converter, secrets: Secrets | None = None
) -> T:
    """A value of a class, built from plain ones such as TOML gives; keys are checked at any depth.

    Args:
        value: dicts, lists, text, numbers, dates; a `Secret` where the class wants one.
        cls: an attrs class, a dataclass, or any other type that a tool's parameter could have.
        converter: what builds it, and keeps what it needs for that.
        secrets: where secrets come from for which a table stands; None if no table may.

    Raises:
        StructureError: everything that is wrong, with paths and the nearest right key names.
        ConfigError: the class itself can't be expressed.
    """
    from pegboard.tools.schemas import Writer
    from pegboard.tools.walk import Walk

    walk = Walk()
    try:
        form = walk.read(cls)
    except FormError as error:
        raise StructureError([Fault("$", f"can't be structured: {error}")]) from error
    schema = Writer(walk.uses, walk.recursive).root(form)
    plain, missing = _revealed(_plain(value), form, secrets)
    try:
        validator = converter.validator(Snapshot.of(schema), is_typed=True)
        Snapshot.of(plain)
    except NotJSONError as error:
        raise StructureError([Fault(error.path, error.reason, error.keys)]) from error
    if missing or not validator.accepts(plain):
        known = {each.keys for each in missing}
        others = [each for each in validator.faults(plain) if each.keys not in known]
        raise StructureError([*missing, *(_with_near_keys(each, schema) for each in others)])
    return _built(converter, form, plain)  # type: ignore[no-any-return]  # built as cls


def _revealed(value: JSON, form: Form, secrets: Secrets | None) -> tuple[JSON, list[Fault]]:
    """The value with the texts of its secrets, and those that aren't there."""
    if secrets is None:
        return value, []
    revealer = Revealer(secrets)
    return revealer.reveal(value, form), revealer.faults


def _built(converter: Converter, form: Form, value: JSON) -> Any:
    from pegboard.tools.building import Builders
    from pegboard.tools.refusals import find_refusals

    builders = Builders(converter)
    build = builders.of(form)
    try:
        return value if build is None else build(value)
    except Exception as error:
        faults = list(find_refusals(builders, form, value, ()))
        refused = faults or [Fault("$", f"is refused ({type(error).__name__}): {error}")]
        raise StructureError(map(_explained, refused)) from error


def _explained(fault: Fault) -> Fault:
    """The same with the reason: an operator reads it, unlike a model."""
    told = f"is refused: {fault.reason}" if fault.reason else fault.message
    return attrs.evolve(fault, message=told)


def _plain(value: object) -> JSON:
    """What TOML gives, as JSON."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(each) for each in value]
    if isinstance(value, Secret):
        return value.reveal()
    return value.isoformat() if isinstance(value, (date, datetime, time)) else value


def _with_near_keys(fault: Fault, schema: JSON) -> Fault:
    if fault.message != "isn't declared" or not fault.keys:
        return fault
    *path, key = fault.keys
    parts = _branches([schema], schema)
    for each in path:
        parts = _branches([found for part in parts for found in _inside(part, each)], schema)
    known = {name for part in parts for name in part.get("properties", ())}
    message = fault.message + did_you_mean(near_names(str(key), known))
    return Fault(fault.path, message, fault.keys)


def _branches(parts: Iterable[JSON], root: JSON) -> list[JSON]:
    """The plain schemas that these stand for, references and unions followed."""
    found: list[JSON] = []
    pending = [each for each in parts if isinstance(each, dict)]
    while pending:
        part = pending.pop()
        if "$ref" in part:
            name = part["$ref"].rpartition("/")[2]
            pending.append(root.get("$defs", {}).get(name, {}))
        elif "anyOf" in part:
            pending += part["anyOf"]
        else:
            found.append(part)
    return found


def _inside(part: JSON, key: Any) -> Iterator[JSON]:
    if isinstance(key, int):
        yield part.get("items", {})
    else:
        yield part.get("properties", {}).get(key, part.get("additionalProperties", {}))
