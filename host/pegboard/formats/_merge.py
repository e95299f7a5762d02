"""Several schemas in one, without unions: what all of them accept, or what any does.

Where one schema can't say exactly that, it accepts more, and a loss says so.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs

from pegboard.formats._schema import OF_TYPE, Schema, types_of, without
from pegboard.values import JSON
from pegboard.values.codec import sorted_text
from pegboard.values.snapshot import is_same

UNIONS = ("allOf", "anyOf", "oneOf")
CUT_OFF = "a schema inside others without end is cut off"

_MOST = 2_000
_DEEPEST = 64


def both(one: Schema, other: Schema, losses: list[str], where: str) -> Schema:
    """A schema that accepts what both accept."""
    found = dict(one)
    for keyword, value in other.items():
        if keyword not in found or is_same(found[keyword], value):
            found[keyword] = value
            continue
        joined = _JOINED.get(keyword, _neither)(found[keyword], value)
        if joined is None:
            losses.append(f"{where}: a second {keyword}")
        else:
            found[keyword] = joined
    return found


def _neither(one: JSON, other: JSON) -> JSON:  # noqa: ARG001 - as all of the table take two
    return None


def _first(one: JSON, other: JSON) -> JSON:  # noqa: ARG001 - the same
    return one


def shares_type(one: Schema, other: Schema) -> bool:
    """Whether a value can be of a type that both schemas name."""
    left, right = types_of(one), types_of(other)
    return not left or not right or _types(list(left), list(right)) is not None


def _types(one: JSON, other: JSON) -> JSON:
    left, right = types_of({"type": one}), types_of({"type": other})
    wider = {*right, "integer"} if "number" in right else set(right)
    found = [each for each in left if each in wider]
    if "number" in left and "integer" in right:
        found.append("integer")
    found = list(dict.fromkeys(found))
    return (found[0] if len(found) == 1 else found) or None


def _all_of(one: JSON, other: JSON) -> JSON:
    if one is False or other is False:
        return False
    if one is True or other is True:
        return one if other is True else other
    is_joined = one.keys() == {"allOf"}
    return {"allOf": [*one["allOf"], other] if is_joined else [one, other]}


def _maps(one: JSON, other: JSON) -> JSON:
    found = dict(one)
    for name, schema in other.items():
        is_new = name not in found or is_same(found[name], schema)
        found[name] = schema if is_new else _all_of(found[name], schema)
    return found


def _lists(one: JSON, other: JSON) -> JSON:
    return list(dict.fromkeys([*one, *other]))


def _shared(one: JSON, other: JSON) -> JSON:
    known = set(map(sorted_text, other))
    return [each for each in one if sorted_text(each) in known] or None


def _needs(one: JSON, other: JSON) -> JSON:
    return {**one, **{name: _lists(one.get(name, []), needed) for name, needed in other.items()}}


_JOINED: dict[str, Callable[[Any, Any], JSON]] = {
    **dict.fromkeys(("minimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("exclusiveMinimum", "minContains"), max),
    **dict.fromkeys(("maximum", "maxLength", "maxItems", "maxProperties"), min),
    **dict.fromkeys(("exclusiveMaximum", "maxContains"), min),
    **dict.fromkeys(("title", "description", "default", "examples"), _first),
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), _all_of),
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), _maps),
    "type": _types,
    "enum": _shared,
    "required": _lists,
    "dependentRequired": _needs,
}


def either(schemas: Sequence[Schema]) -> Schema:
    """An object schema that accepts the declared properties of any of these object schemas."""
    first, *rest = schemas
    found = {
        keyword: value
        for keyword, value in first.items()
        if all(keyword in each and is_same(each[keyword], value) for each in rest)
    }
    needed = [set(each.get("required", ())) for each in rest]
    required = [name for name in first.get("required", ()) if all(name in each for each in needed)]
    return {
        **without(found, "required"),
        "type": "object",
        "properties": _any_of_properties(schemas),
        **({"required": required} if required else {}),
    }


def _any_of_properties(schemas: Sequence[Schema]) -> Schema:
    found: dict[str, list[JSON]] = {}
    for schema in schemas:
        for name, each in schema.get("properties", {}).items():
            found.setdefault(name, []).append(each)
    return {name: any_of(distinct(each)) for name, each in found.items()}


def any_of(schemas: Sequence[JSON]) -> JSON:
    """One schema for any of several, a list of values where all of them list theirs."""
    if len(schemas) == 1:
        return schemas[0]
    if all(_is_list_of_values(each) for each in schemas):
        values = [value for each in schemas for value in literals(each)]
        return {**_shared_type(schemas), "enum": distinct(values)}
    return {"anyOf": list(schemas)}


def _is_list_of_values(schema: JSON) -> bool:
    return (
        isinstance(schema, dict)
        and schema.keys() <= {"const", "enum", "type"}
        and not schema.keys().isdisjoint({"const", "enum"})
    )


def _shared_type(schemas: Sequence[Schema]) -> Schema:
    kinds = distinct(each.get("type") for each in schemas)
    return {"type": kinds[0]} if len(kinds) == 1 and kinds[0] else {}


def literals(schema: Schema) -> list[JSON]:
    """The values that the schema lists."""
    return [schema["const"]] if "const" in schema else list(schema["enum"])


def distinct(values: Iterable[JSON]) -> list[JSON]:
    """The values without the repeated ones; 1 isn't 1.0 and isn't True."""
    return list({sorted_text(value): value for value in values}.values())


@attrs.define
class Merging:
    """Schemas of one tool, merged; no reference is followed inside itself.

    Attributes:
        defs: the schemas that references lead to.
        losses: gets a line for everything that the merged schema can't say.
        following: the references that are being followed now.
        left: how many more schemas may be merged; what nests too often is not shown.
    """

    defs: dict[str, JSON]
    losses: list[str]
    following: tuple[str, ...] = ()
    left: int = _MOST

    def expanded(self, node: Schema, where: str) -> Schema:
        """The schema with what its reference leads to written out."""
        while "$ref" in node:
            reference, node = node["$ref"], without(node, "$ref")
            self.left -= 1
            if self.ends_at(reference):
                self.losses.append(f"{where}: {CUT_OFF}")
                return node
            self.following = (*self.following, reference)
            node = both(node, self.defs[name_in(reference)], self.losses, where)
        return node

    def ends_at(self, reference: str) -> bool:
        """Whether this reference is not followed: it is already, or it is one too many."""
        return reference in self.following or len(self.following) >= _DEEPEST or self.left < 0

    def narrowed(self, node: Schema, where: str) -> Schema:
        """The schema with its `allOf` merged into it."""
        found = without(node, "allOf")
        for branch in self.each(node.get("allOf", ())):
            if branch is False:
                self.losses.append(f"{where}: a value that is refused always")
            elif isinstance(branch, dict):
                found = both(found, self.written_out(branch, where), self.losses, where)
        return found

    def written_out(self, node: Schema, where: str) -> Schema:
        """The schema without a reference and without an `allOf`."""
        return self.narrowed(self.expanded(node, where), where)

    def each(self, branches: Iterable[JSON]) -> Iterator[JSON]:
        """The branches; what one follows doesn't count as followed for the next, but does after."""
        before, after = self.following, self.following
        for branch in branches:
            self.following = before
            yield branch
            after += self.following[len(before) :]
        self.following = after


def name_in(reference: str) -> str:
    """The entry of `$defs` that a reference leads to."""
    return reference.removeprefix("#/$defs/")


def is_possible(schema: Schema, kind: str) -> bool:
    """Whether values of a type can be accepted, going by the types that the schema names."""
    named = types_of(schema)
    return not named or kind in named


def of_other_types(kind: str) -> frozenset[str]:
    """The keywords that say nothing of values of this type."""
    own = OF_TYPE.get("number" if kind == "integer" else kind, frozenset())
    return frozenset[str]().union(*OF_TYPE.values()) - own
