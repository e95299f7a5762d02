"""A tool's schema as a provider takes it, and a call's arguments as the tool takes them."""

import attrs

from pegboard.errors import NotJSONError
from pegboard.formats._drafts import modern
from pegboard.formats._names import named_back, renamed
from pegboard.formats._reduce import reduced
from pegboard.formats._references import holding_themselves, reached, self_contained
from pegboard.formats._root import accepts_objects, is_plain, plain_root
from pegboard.formats._schema import Schema, changed_parts, levels, types_of, without
from pegboard.formats._shape import Shape
from pegboard.formats._strict import strict, without_nulls
from pegboard.values import JSON, Snapshot, decode_text
from pegboard.values.snapshot import is_same

_DEEPEST = 64
_RECURSION = "a schema that holds itself, which is followed to a limited depth"


@attrs.frozen
class Shown:
    """A tool's schema as a provider takes it.

    Attributes:
        schema: None where the tool can't be shown at all; the last loss says why.
        losses: what isn't said, or is said in other words.
        is_strict: whether it is in the form of the provider's strict mode.
        before: the schema before names and strictness changed it.
    """

    schema: Schema | None
    losses: tuple[str, ...] = ()
    is_strict: bool = False
    before: Schema = attrs.field(factory=dict)


def show(schema: Schema, shape: Shape) -> Shown:
    """The schema in a provider's shape; the given one isn't changed."""
    obstacle = _obstacle(schema)
    if obstacle:
        return Shown(None, (f"the tool: {obstacle}",))
    losses: list[str] = []
    found = modern(schema)
    if shape.keywords is not None or not is_plain(found):
        found = reached(plain_root(self_contained(found, losses), losses))
    if not accepts_objects(found):
        return Shown(None, ("the tool: its schema accepts no object, and arguments are one",))
    shown = _fitted({**found, "type": "object"}, shape, losses)
    return relaxed(schema, shape, shown) if isinstance(shown, list) else shown


def relaxed(schema: Schema, shape: Shape, reasons: list[str]) -> Shown:
    """The schema without strict mode, and why."""
    shown = show(schema, shape.relaxed or Shape())
    why = [f"strict mode: {each}" for each in reasons]
    return attrs.evolve(shown, losses=(*shown.losses, *why))


def show_as_given(schema: Schema) -> Shown:
    """The schema itself; where its root doesn't say so, that arguments are an object."""
    if not accepts_objects(schema):
        return Shown(None, ("the tool: its schema accepts no object, and arguments are one",))
    return Shown({**schema, "type": "object"})


def _obstacle(schema: Schema) -> str | None:
    has_reference, is_embedded = False, False
    for depth, level in enumerate(levels(schema)):
        if depth > _DEEPEST:
            return f"its schema nests deeper than {_DEEPEST} levels"
        has_reference = has_reference or any("$ref" in node for node in level)
        is_embedded = is_embedded or (depth > 0 and any("$id" in node for node in level))
    if has_reference and is_embedded:
        return "its schema embeds schemas that have an $id of their own"
    return None


def _fitted(schema: Schema, shape: Shape, losses: list[str]) -> Shown | list[str]:
    """The schema in the shape, or the reasons why strict mode can't show it."""
    if shape.keywords is None:
        return _named(_explicit(schema, shape, losses), shape, losses)
    before = reached(reduced(schema, shape, losses))
    if not shape.follows_everything:
        losses += [f"#{name}: {_RECURSION}" for name in holding_themselves(before)]
    if shape.strictness is None:
        return _named(before, shape, losses)
    found = strict(before, shape.strictness)
    if found.faults:
        return list(found.faults)
    return _named(before, shape, [*losses, *found.losses], found.schema)


def _named(
    before: Schema, shape: Shape, losses: list[str], strict_form: Schema | None = None
) -> Shown:
    schema = before if strict_form is None else strict_form
    if shape.property_name:
        schema = renamed(schema, shape.property_name, losses)
    return Shown(schema, tuple(dict.fromkeys(losses)), strict_form is not None, before)


def _explicit(schema: Schema, shape: Shape, losses: list[str]) -> Schema:
    """The schema without what its root must not have, and with what it must say."""
    losses += [f"$: {keyword}" for keyword in schema if keyword in shape.not_at_root]
    found = without(schema, *shape.not_at_root)
    if not shape.says_everything:
        return found

    def change(node: JSON, where: str) -> JSON:
        if not isinstance(node, dict):
            return node
        node = {**node, "items": node.get("items", {})} if "array" in types_of(node) else node
        return changed_parts(node, change, where)

    return {"properties": {}, **changed_parts(found, change, "$")}


def taken_back(arguments: JSON, schema: Schema, shape: Shape) -> JSON:
    """The arguments as the tool takes them; as they came where nothing of them was changed."""
    shown = show(schema, shape)
    found = _own_copy(arguments)
    if shown.schema is None or not isinstance(found, dict):
        return arguments
    if shape.property_name:
        found = named_back(found, shown.before, shape.property_name)
    if shown.is_strict and shape.strictness and shape.strictness.requires_all:
        found = without_nulls(found, shown.before)
    return arguments if is_same(found, _own_copy(arguments)) else found


def _own_copy(arguments: JSON) -> JSON:
    """The arguments decoded, or None where they aren't JSON, which the call itself will say."""
    try:
        if isinstance(arguments, str):
            return decode_text(arguments)
        return Snapshot.of(arguments).read()
    except NotJSONError:
        return None
