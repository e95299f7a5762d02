"""A schema in the few keywords that a provider reads; the rest goes into descriptions."""

from collections.abc import Iterable

import attrs

from pegboard.formats._literals import fitting, in_types, listed, lists_all
from pegboard.formats._merge import (
    CUT_OFF,
    Merging,
    any_of,
    both,
    distinct,
    of_other_types,
    shares_type,
)
from pegboard.formats._schema import (
    ANNOTATIONS,
    OF_TYPE,
    Schema,
    changed_parts,
    type_of,
    types_of,
    without,
)
from pegboard.formats._shape import Shape
from pegboard.values import JSON, encode

_LONGEST = 300
_DEEPEST = 64
_CLOSING = frozenset({"additionalProperties"})
_SAID = frozenset[str]().union(*OF_TYPE.values()) | {
    "const",
    "default",
    "else",
    "enum",
    "examples",
    "if",
    "not",
    "oneOf",
    "then",
}


def reduced(schema: Schema, shape: Shape, losses: list[str]) -> Schema:
    """The same schema in the keywords of the shape; it accepts whatever the given one does.

    Args:
        schema: self-contained, its root a plain object.
        shape: what the provider reads.
        losses: gets a line for everything that isn't said, or is said in a description.
    """
    keywords = shape.keywords or frozenset()
    reducing = _Reducing(shape, keywords, Merging(schema.get("$defs", {}), losses))
    found: Schema = reducing.walked(without(schema, "$defs"), "$")
    defs = {name: reducing.walked(each, f"#{name}") for name, each in reducing.merging.defs.items()}
    return {**found, "$defs": defs} if defs else found


@attrs.define
class _Reducing:
    shape: Shape
    keywords: frozenset[str]
    merging: Merging
    depth: int = 0

    def walked(self, node: JSON, where: str) -> JSON:
        if not isinstance(node, dict):
            if node is False:
                self.lose(where, "a value that is refused always")
            return {}
        if self.depth > _DEEPEST:
            self.lose(where, CUT_OFF)
            return {}
        return self.rebuilt(node, where)

    def rebuilt(self, node: Schema, where: str) -> Schema:
        """The schema and all inside it; one of these two functions calls the other again."""
        before = self.merging.following
        self.depth += 1
        found = self.rewritten(node, where)
        closed = {key: found[key] for key in found if type(found[key]) is bool and key in _CLOSING}
        found = {**changed_parts(without(found, *closed), self.walked, where), **closed}
        self.depth -= 1
        self.merging.following = before
        return found

    def lose(self, where: str, what: str) -> None:
        self.merging.losses.append(f"{where}: {what}")

    def rewritten(self, node: Schema, where: str) -> Schema:
        node = self.united(self.narrowed(node, where), where)
        if "$ref" in node:
            return self.referring(node, where)
        if "anyOf" not in node:
            node = self.typed(node, where)
        if "anyOf" in node:
            return self.kept(node, where)
        return self.kept(self.shaped(node, where), where)

    def narrowed(self, node: Schema, where: str) -> Schema:
        branches = node.get("allOf", ())
        siblings = without(node, "allOf")
        if len(branches) == 1 and isinstance(branches[0], dict) and siblings.keys() <= ANNOTATIONS:
            return self.narrowed({**branches[0], **siblings}, where)
        return self.merging.narrowed(node, where) if branches else node

    def referring(self, node: Schema, where: str) -> Schema:
        """A reference stands alone; what is beside it goes around it or into the description."""
        reference, beside = {"$ref": node["$ref"]}, without(node, "$ref")
        if not beside:
            return reference
        said = [key for key in beside if key not in ANNOTATIONS]
        return self.kept(self.said({**beside, "anyOf": [reference]}, said, where), where)

    def united(self, node: Schema, where: str) -> Schema:
        """At most one union in a node, and nothing but annotations beside it."""
        if "oneOf" in node and "anyOf" in node:
            node = self.said(node, ["oneOf"], where)
        elif "oneOf" in node:
            self.lose(where, "oneOf, shown as anyOf")
            node = {**without(node, "oneOf"), "anyOf": node["oneOf"]}
        if "anyOf" not in node:
            return node
        beside = {key: node[key] for key in node if key not in ANNOTATIONS | {"anyOf"}}
        branches = [{} if each is True else each for each in node["anyOf"] if each is not False]
        if beside:
            each_branch = self.merging.each(branches)
            branches = [self.distributed(beside, each, where) for each in each_branch]
            branches = [each for each in branches if each is not None]
        return {**without(node, *beside), "anyOf": branches} if branches else without(node, "anyOf")

    def distributed(self, beside: Schema, branch: Schema, where: str) -> Schema | None:
        if beside.keys() == {"type"} and "$ref" in branch:
            return branch
        found = self.merging.written_out(branch, where)
        if not shares_type(beside, found):
            return None
        return both(beside, found, self.merging.losses, where)

    def typed(self, node: Schema, where: str) -> Schema:
        """One type a node: several become a union."""
        kinds = types_of(node) or in_types(node)
        if not kinds:
            return self.implied(node, where)
        if "number" in kinds:
            kinds = tuple(each for each in kinds if each != "integer")
        outside = {key: node[key] for key in node if key in ANNOTATIONS}
        inside = without(node, "type", *outside)
        branches = [
            {"type": kind, **without(fitting(inside, kind), *of_other_types(kind))}
            for kind in kinds
            if len(kinds) == 1 or fitting(inside, kind).get("enum") != []
        ]
        if len(branches) > 1:
            return {**outside, "anyOf": branches}
        return {**outside, **(branches[0] if branches else {"type": kinds[0]})}

    def implied(self, node: Schema, where: str) -> Schema:
        kinds = [kind for kind, own in OF_TYPE.items() if own & node.keys()]
        if len(kinds) != 1:
            return self.said(node, [key for key in node if key not in ANNOTATIONS], where)
        self.lose(where, f"any type but {kinds[0]}, which its keywords are of")
        return {"type": kinds[0], **node}

    def shaped(self, node: Schema, where: str) -> Schema:
        """A node of one type, its keywords spelled as the provider reads them."""
        node = self.with_values(node, where)
        match node.get("type"):
            case "array":
                node = self.with_items(node, where)
            case "object":
                node = self.with_properties(node, where)
            case "integer":
                node = _inclusive(node, self.keywords)
            case "string" if node.get("format", "") not in {"", *self.shape.formats}:
                node = self.said(node, ["format"], where)
        has_values = listed(node) is not None
        return without(node, "type") if has_values and not self.shape.types_of_values else node

    def with_values(self, node: Schema, where: str) -> Schema:
        values = listed(node)
        if values is None:
            return node
        if lists_all(values, node.get("type")):
            return without(node, "enum", "const")
        if self.shape.lists_text_only and not all(isinstance(each, str) for each in values):
            return self.said(node, ["enum", "const"], where)
        if any(isinstance(each, (dict, list)) for each in values):
            return self.said(node, ["enum", "const"], where)
        if "const" in node and not self.shape.has_const:
            return {**without(node, "const"), "enum": values}
        return node

    def with_items(self, node: Schema, where: str) -> Schema:
        first, rest = node.get("prefixItems", []), node.get("items", {})
        if rest is False:
            most = min(len(first), node.get("maxItems", len(first)))
            node = {**without(node, "items"), "maxItems": most}
        if first and rest != {} and "prefixItems" not in self.keywords:
            node = {**node, "items": any_of(distinct([*first, *([rest] if rest else [])]))}
        if self.shape.few_items and node.get("minItems", 0) > 1:
            node = self.said(node, ["minItems"], where)
        return {**node, "items": node.get("items", {})}

    def with_properties(self, node: Schema, where: str) -> Schema:
        if "unevaluatedProperties" in node:
            rest = node["unevaluatedProperties"]
            node = {"additionalProperties": rest, **without(node, "unevaluatedProperties")}
        known = {
            name: each for name, each in node.get("properties", {}).items() if each is not False
        }
        needed = node.get("required", [])
        for name in needed:
            if name not in known:
                self.lose(where, f"required {name!a:.80}, which no property declares")
        found = {
            **node,
            "properties": known,
            "required": [name for name in needed if name in known],
        }
        return found if found["required"] else without(found, "required")

    def kept(self, node: Schema, where: str) -> Schema:
        """Only what the provider reads."""
        strange = [key for key in node if key not in self.keywords]
        return self.said(node, strange, where)

    def said(self, node: Schema, keywords: Iterable[str], where: str) -> Schema:
        """These keywords in the description instead of where they were."""
        words = []
        for keyword in keywords:
            if keyword not in node or keyword == "$comment":
                continue
            text = _text(keyword, node[keyword])
            is_said = keyword in _SAID and len(text) <= _LONGEST
            words += [_phrase(keyword, text)] if is_said else []
            self.lose(where, _loss(keyword, node[keyword], is_said=is_said))
        found = without(node, *keywords)
        if words:
            lead = f"{found['description']} " if found.get("description") else ""
            found["description"] = f"{lead}({'; '.join(words)})"
        return found


def _text(keyword: str, value: JSON) -> str:
    each = value if keyword == "enum" else [value]
    return ", ".join(encode(one).decode() for one in each)


def _phrase(keyword: str, text: str) -> str:
    return f"one of {text}" if keyword == "enum" else f"{keyword}: {text}"


def _loss(keyword: str, value: JSON, *, is_said: bool) -> str:
    name = keyword
    if keyword == "enum":
        name = "enum of " + ", ".join(dict.fromkeys(map(type_of, value)))
    return f"{name}, named in the description" if is_said else name


def _inclusive(node: Schema, keywords: frozenset[str]) -> Schema:
    """The bounds of an integer without the exclusive ones, which say the same one further."""
    found = dict(node)
    for exclusive, plain, step, nearer in (
        ("exclusiveMinimum", "minimum", 1, max),
        ("exclusiveMaximum", "maximum", -1, min),
    ):
        bound = node.get(exclusive)
        if exclusive not in keywords and type(bound) is int:
            found[plain] = nearer(bound + step, node.get(plain, bound + step))
            del found[exclusive]
    return found
