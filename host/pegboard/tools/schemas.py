"""The JSON Schema of a form: what a model is shown, and what is validated."""

from collections.abc import Collection, Iterable, Mapping

import attrs

from pegboard.errors import NotJSONError
from pegboard.tools.forms import (
    Alias,
    AnyOf,
    Anything,
    Choice,
    Field,
    Form,
    Items,
    Narrowed,
    Record,
    Row,
    Scalar,
    Spelled,
    Table,
    bare,
)
from pegboard.tools.model import Written
from pegboard.tools.unbuilding import MisfitError, as_json
from pegboard.values import DEFAULT_LIMITS, JSON, encode
from pegboard.values.codec import encode_exact

_TYPES: Mapping[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_FORMATS: Mapping[str, dict[str, JSON]] = {
    "datetime": {"format": "date-time"},
    "date": {"format": "date"},
    "time": {"format": "time"},
    "timedelta": {"format": "duration"},
    "UUID": {"format": "uuid"},
    "Decimal": {"format": "decimal"},
    "bytes": {"contentEncoding": "base64", "pattern": _BASE64},
}
_INTEGER_KEY = {"pattern": "^(?:0|-?[1-9][0-9]*)$"}


@attrs.define
class Writer:
    """Writes the schemas of the forms of one walk.

    Attributes:
        uses: how often each record and alias is referred to.
        recursive: the ids of those that hold themselves.
        is_closed: whether objects refuse undeclared keys.
        is_output: whether it is of what a tool gives: every field is there, none has a default.
        is_sure: whether all that was written so far is of JSON's own types for sure.
    """

    uses: Mapping[int, int]
    recursive: Collection[int]
    is_closed: bool = True
    is_output: bool = False
    is_sure: bool = True
    _definitions: dict[str, JSON] = attrs.field(factory=dict)
    _names: dict[int, str] = attrs.field(factory=dict)

    def root(self, form: Form) -> dict[str, JSON]:
        """The schema of a whole value; one that is a record is a plain object, not a reference."""
        inner = bare(form)
        schema = self._record(inner) if isinstance(inner, Record) else self.write(form)
        return self._with_definitions(schema)

    def object_of(self, fields: Iterable[Field], *, others: JSON = False) -> dict[str, JSON]:
        """The schema of an object with these fields, as the root."""
        schema = self._object(fields)
        if others is not None:
            schema["additionalProperties"] = others
        return self._with_definitions(schema)

    def taken(self, schema: dict[str, JSON]) -> Written | None:
        """What this writer wrote, as the one object that is shown; None if it has to be looked at.

        Once, and without a walk: the forms have seen to it that every part is JSON.
        """
        text = encode_exact(schema, DEFAULT_LIMITS) if self.is_sure else None
        return None if text is None else Written(text)

    def write(self, form: Form) -> dict[str, JSON]:  # noqa: C901 - one case a form
        """The schema of a form inside another."""
        match form:
            case Anything():
                return {}
            case Scalar():
                return {"type": _TYPES[form.kind]}
            case Spelled():
                return {"type": "string", **_FORMATS.get(form.kind.__name__, {})}
            case Choice():
                return self._choice(form)
            case AnyOf():
                return {"anyOf": [self.write(each) for each in form.branches]}
            case Narrowed():
                return _narrowed(self.write(form.form), form.keywords)
            case Items() | Row():
                return self._array(form)
            case Table():
                return self._table(form)
            case Record() | Alias():
                return self._named(form)

    def _choice(self, form: Choice) -> dict[str, JSON]:
        spellings = [each.spelling for each in form.options]
        types = {_TYPES[type(each)] for each in spellings}
        self.is_sure &= "number" not in types
        same = {"type": types.pop()} if len(types) == 1 else {}
        return {**same, "enum": spellings}

    def _with_definitions(self, schema: dict[str, JSON]) -> dict[str, JSON]:
        if self._definitions:
            schema["$defs"] = dict(sorted(self._definitions.items()))
        return schema

    def _array(self, form: Items | Row) -> dict[str, JSON]:
        if isinstance(form, Row):
            items = [self.write(each) for each in form.items]
            size = {"minItems": len(items), "maxItems": len(items)}
            return {"type": "array", **({"prefixItems": items} if items else {}), **size}
        item = self.write(form.item)
        schema: dict[str, JSON] = {"type": "array", **({"items": item} if item else {})}
        if form.container in (set, frozenset):
            schema["uniqueItems"] = True
        return schema

    def _table(self, form: Table) -> dict[str, JSON]:
        schema: dict[str, JSON] = {"type": "object"}
        value = self.write(form.value)
        if value:
            schema["additionalProperties"] = value
        key = bare(form.key)
        if isinstance(key, Scalar) and key.kind is int:
            schema["propertyNames"] = _INTEGER_KEY
        elif form.key is not key or not isinstance(key, Scalar):
            schema["propertyNames"] = self.write(form.key)
        return schema

    def _named(self, form: Record | Alias) -> dict[str, JSON]:
        """A reference to what holds itself or stands in several places; anything else in place."""
        if self.uses.get(id(form), 2) < 2 and id(form) not in self.recursive:
            return self._in_place(form)
        name = self._names.get(id(form))
        if name is None:
            name = self._names[id(form)] = self._free_name(form.name)
            self._definitions[name] = {}
            self._definitions[name] = self._in_place(form)
        return {"$ref": f"#/$defs/{name}"}

    def _in_place(self, form: Record | Alias) -> dict[str, JSON]:
        return self._record(form) if isinstance(form, Record) else self.write(form.form)

    def _free_name(self, name: str) -> str:
        number, free = 1, name
        while free in self._definitions:
            number += 1
            free = f"{name}_{number}"
        return free

    def _record(self, record: Record) -> dict[str, JSON]:
        schema = self._object(each for each in record.fields if each.is_kept or not self.is_output)
        if self.is_closed:
            schema["additionalProperties"] = False
        return {"description": record.description, **schema} if record.description else schema

    def _object(self, fields: Iterable[Field]) -> dict[str, JSON]:
        properties: dict[str, JSON] = {}
        required: list[str] = []
        for field in fields:
            properties[field.key] = self._property(field)
            if field.is_required or (self.is_output and field.is_always):
                required.append(field.key)
        schema: dict[str, JSON] = {"type": "object", "properties": properties}
        return {**schema, "required": required} if required else schema

    def _property(self, field: Field) -> dict[str, JSON]:
        schema = self.write(field.form)
        if field.description:
            self.is_sure &= type(field.description) is str
            schema["description"] = field.description
        if not self.is_output and field.default is not attrs.NOTHING:
            schema |= _default(field)
        return schema


def _narrowed(schema: dict[str, JSON], keywords: Mapping[str, JSON]) -> dict[str, JSON]:
    taken = {key: value for key, value in keywords.items() if schema.get(key, value) != value}
    merged = {**schema, **{key: each for key, each in keywords.items() if key not in taken}}
    return {**merged, "allOf": [*schema.get("allOf", ()), taken]} if taken else merged


def _default(field: Field) -> dict[str, JSON]:
    """The default, where it is a value of the field's type and JSON."""
    try:
        value = as_json(field.form, field.default)
        if value is not None and type(value) is not bool:
            encode(value, DEFAULT_LIMITS)
    except (MisfitError, NotJSONError):
        return {}
    return {"default": value}


def schema_of_part(form: Form) -> dict[str, JSON]:
    """The schema of a form by itself, with every class that it holds among the `$defs`."""
    return Writer({}, ()).root(form)
