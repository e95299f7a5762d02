"""References inside a schema, gathered so that each leads to an entry of `$defs`."""

import re
from urllib.parse import unquote

import attrs

from pegboard.formats._schema import Schema, changed_parts, levels, without, words
from pegboard.values import JSON

_LEFT_OUT = words(
    "$anchor $comment $defs $dynamicAnchor $id $recursiveAnchor $vocabulary definitions"
)
_AWAY = frozenset({"$dynamicRef", "$recursiveRef"})


def self_contained(schema: Schema, losses: list[str]) -> Schema:
    """The same schema, its references all of the form `#/$defs/<name>`.

    Args:
        schema: in the words of draft 2020-12.
        losses: gets a line for each reference that leads nowhere inside the schema.
    """
    gathering = _Gathering(schema, losses)
    found: Schema = gathering.rewritten(schema, "$")
    defs: dict[str, JSON] = {}
    while gathering.pending:
        name, target = gathering.pending.pop(0)
        defs[name] = gathering.rewritten(target, f"#{name}")
    return {**found, "$defs": defs} if defs else found


@attrs.define
class _Gathering:
    document: Schema
    losses: list[str]
    names: dict[str, str] = attrs.field(factory=dict)
    pending: list[tuple[str, Schema]] = attrs.field(factory=list)

    def rewritten(self, node: JSON, where: str) -> JSON:
        if not isinstance(node, dict):
            return node
        kept = {key: value for key, value in node.items() if key not in _LEFT_OUT | _AWAY}
        reference = kept.pop("$ref", None)
        if reference is not None or _AWAY & node.keys():
            kept |= self.pointed(reference, where)
        return changed_parts(kept, self.rewritten, where)

    def pointed(self, reference: JSON, where: str) -> Schema:
        name = self.name_of(reference) if isinstance(reference, str) else None
        if name is None:
            self.losses.append(f"{where}: a reference that leads to nothing inside the schema")
            return {}
        return {"$ref": f"#/$defs/{name}"}

    def name_of(self, reference: str) -> str | None:
        if reference not in self.names:
            target = _target(self.document, reference)
            if target is True:
                target = {}
            if not isinstance(target, dict):
                return None
            self.names[reference] = self.free_name(reference)
            self.pending.append((self.names[reference], target))
        return self.names[reference]

    def free_name(self, reference: str) -> str:
        last = re.sub(r"\W+", "_", unquote(reference).rpartition("/")[2], flags=re.ASCII)
        wanted = last.strip("_")[:40] or "root"
        name, number = wanted, 1
        while name in self.names.values():
            number += 1
            name = f"{wanted}_{number}"
        return name


def _target(document: Schema, reference: str) -> JSON:
    own = document.get("$id")
    if isinstance(own, str) and own and reference.startswith(own):
        reference = reference.removeprefix(own) or "#"
    if reference == "#":
        return document
    if reference.startswith("#/"):
        return _at(document, unquote(reference[2:]))
    if reference.startswith("#"):
        return _anchored(document, reference[1:])
    return None


def _at(document: Schema, pointer: str) -> JSON:
    found: JSON = document
    for part in pointer.split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key in map(str, range(len(found))):
            found = found[int(key)]
        else:
            return None
    return found


def _anchored(document: Schema, anchor: str) -> JSON:
    nodes = (node for level in levels(document) for node in level)
    return next((node for node in nodes if node.get("$anchor") == anchor), None)


def references(schema: JSON) -> set[str]:
    """The entries of `$defs` that references inside a self-contained schema lead to."""
    nodes = (node for level in levels(schema) for node in level)
    return {node["$ref"].removeprefix("#/$defs/") for node in nodes if "$ref" in node}


def holding_themselves(schema: Schema) -> list[str]:
    """The entries of `$defs` that lead back to themselves."""
    leads = {name: references(each) for name, each in schema.get("$defs", {}).items()}
    return [name for name, first in leads.items() if name in _reached_from(first, leads)]


def _reached_from(first: set[str], leads: dict[str, set[str]]) -> set[str]:
    reached, pending = set[str](), first
    while pending:
        reached |= pending
        pending = set[str]().union(*(leads[each] for each in pending)) - reached
    return reached


def reached(schema: Schema) -> Schema:
    """The schema without those `$defs` that no reference leads to."""
    defs, root = schema.get("$defs", {}), without(schema, "$defs")
    names = _reached_from(references(root), {name: references(defs[name]) for name in defs})
    kept = {name: each for name, each in defs.items() if name in names}
    return {**root, "$defs": kept} if kept else root
