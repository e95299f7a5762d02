"""The wall around jsonschema-rs: what a schema accepts, and in our own words what it refuses."""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from pegboard.tools.faults import Fault
from pegboard.tools.searching import Search
from pegboard.tools.wording import explain
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
    _formats: Mapping[str, Callable[[str], bool]] | None = None

    def faults(self, value: JSON) -> tuple[Fault, ...]:
        """Everything for which the schema refuses a value; nothing where it accepts it."""
        if self.accepts(value):
            return ()
        return tuple(itertools.islice(self._faults(value), MOST_FAULTS))

    def search(self) -> Search:
        """The schema in its parts."""
        compiled = functools.partial(compile_schema, formats=self._formats)
        return Search(self._schema.read(), compiled)

    def refused_keys(self, value: Mapping[str, JSON]) -> frozenset[str]:
        """The keys of an object whose values are refused."""
        search, properties = self.search(), self._schema.read().get("properties", {})
        return frozenset(
            key for key, part in properties.items() if not search.accepts(part, value.get(key))
        )

    def _faults(self, value: JSON) -> Iterator[Fault]:
        if _may_double(self._schema.text) or _has_odd_key(value):
            yield from self.search().faults(value)
            return
        for error in compile_schema(self._schema.read(), self._formats).iter_errors(value):
            yield from explain(error, ())


def _may_double(text: bytes) -> bool:
    """Whether listing all faults may take time that doubles with every level of a value."""
    return b'"$ref"' in text and (b'"anyOf"' in text or b'"oneOf"' in text)


def _has_odd_key(value: JSON) -> bool:
    """Whether a key is empty or a number: jsonschema-rs loses the one and changes the other."""
    pending = [value]
    while pending:
        item = pending.pop()
        if type(item) is dict:
            if any(not key or key.isdecimal() for key in item):
                return True
            pending += item.values()
        elif type(item) is list:
            pending += item
    return False


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
        return Validator(lambda value: type(value) is kind, schema)
    needed = formats if formats and b'"format"' in schema.text else None
    read = schema.read() if formats is None else without_remarks(schema.read())
    return Validator(compile_schema(read, needed).is_valid, schema, needed)


def without_remarks(schema: JSON) -> JSON:
    """A schema made from Python types without what says nothing to a validator but costs memory."""
    if type(schema) is not dict:
        return schema
    return {
        key: _inside(key, each)
        for key, each in schema.items()
        if key not in ("description", "default")
    }


def _inside(key: str, value: JSON) -> JSON:
    if key in ("properties", "$defs"):
        return {name: without_remarks(each) for name, each in value.items()}
    if key in ("anyOf", "allOf", "prefixItems"):
        return [without_remarks(each) for each in value]
    if key in ("items", "additionalProperties", "propertyNames"):
        return without_remarks(value)
    return value


def compile_schema(schema: JSON, formats: Mapping[str, Callable[[str], bool]] | None = None) -> Any:
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
