"""The wall around jsonschema-rs: what a schema accepts, and in our own words what it refuses."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from pegboard.tools.explaining import explain
from pegboard.tools.faults import Fault
from pegboard.values import JSON, Snapshot

MOST_FAULTS = 101
_SIMPLE: Mapping[bytes, type] = {
    b'{"type":"object"}': dict,
    b'{"type":"array"}': list,
    b'{"type":"string"}': str,
    b'{"type":"boolean"}': bool,
    b'{"type":"null"}': type(None),
}


@attrs.frozen(eq=False)
class Validator:
    """One schema, compiled.

    Attributes:
        accepts: whether it accepts a JSON value.
    """

    accepts: Callable[[JSON], bool]
    _schema: Snapshot
    _compiled: Any

    def faults(self, value: JSON, *, path: tuple[Any, ...] = ()) -> tuple[Fault, ...]:
        """Everything for which the schema refuses a value; nothing where it accepts it."""
        compiled = self._compiled or compile_schema(self._schema.read())
        found = _explained(compiled.iter_errors(value), path)
        return tuple(itertools.islice(found, MOST_FAULTS))

    def refused_keys(self, value: JSON) -> frozenset[Any]:
        """The keys of an object whose values are refused."""
        compiled = self._compiled or compile_schema(self._schema.read())
        errors = itertools.islice(compiled.iter_errors(value), MOST_FAULTS)
        return frozenset(each.instance_path[0] for each in errors if each.instance_path)


def _explained(errors: Iterator[Any], path: tuple[Any, ...]) -> Iterator[Fault]:
    for error in errors:
        yield from explain(error, path)


def make_validator(
    schema: Snapshot, *, formats: Mapping[str, Callable[[str], bool]] | None = None
) -> Validator:
    """The validator of a schema.

    Args:
        schema: any schema that `check_schema` lets through.
        formats: further formats, by name, or others than the usual ones.
    """
    kind = _SIMPLE.get(schema.text)
    if kind is not None:
        return Validator(lambda value: type(value) is kind, schema, None)
    needed = formats if formats and b'"format"' in schema.text else None
    compiled = compile_schema(schema.read(), needed)
    return Validator(compiled.is_valid, schema, compiled)


def compile_schema(
    schema: JSON, formats: Mapping[str, Callable[[str], bool]] | None = None
) -> Any:
    """A compiled schema; nothing outside it is ever read.

    Raises:
        ValueError: the schema isn't one, or refers to something outside itself.
    """
    import jsonschema_rs

    return jsonschema_rs.validator_for(
        schema, validate_formats=True, offline=True, formats=dict(formats) if formats else None
    )


def check_schema(schema: JSON) -> str | None:
    """Why a schema can't be enforced, or None."""
    try:
        compile_schema(schema)
    except ValueError as error:
        return _reason(error)
    return None


def _reason(error: Any) -> str:
    kind = getattr(error, "kind", None)
    name = getattr(kind, "name", "")
    if kind is None or name == "$ref":
        return str(error).partition("\n")[0]
    faults = list(explain(error, ()))
    return str(faults[0]) if faults else str(error).partition("\n")[0]
