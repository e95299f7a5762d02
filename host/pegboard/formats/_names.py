"""Names of arguments that a provider doesn't take, as names that it does, and back."""

import hashlib
import re

from pegboard.formats._schema import Schema, changed_parts, levels
from pegboard.values import JSON

_OURS = re.compile(r"_x[0-9a-f]{12}$")
_READABLE = 40


def renamed(schema: Schema, rule: re.Pattern[str], losses: list[str]) -> Schema:
    """The schema with every property's name as the rule wants it.

    Args:
        schema: any schema.
        rule: what a whole name must match.
        losses: gets a line for each name that is another.
    """
    changes = _changes(schema, rule)
    if not changes:
        return schema
    losses.extend(f"$: the name {old!a:.80}, shown as {new}" for old, new in changes.items())

    def change(node: JSON, where: str) -> JSON:
        if not isinstance(node, dict):
            return node
        return _with_names(changed_parts(node, change, where), changes)

    return _with_names(changed_parts(schema, change, "$"), changes)


def _with_names(node: Schema, changes: dict[str, str]) -> Schema:
    found = dict(node)
    for keyword in ("properties", "dependentRequired", "dependentSchemas"):
        if isinstance(node.get(keyword), dict):
            found[keyword] = {changes.get(key, key): each for key, each in node[keyword].items()}
    if isinstance(node.get("required"), list):
        found["required"] = [changes.get(name, name) for name in node["required"]]
    needs = found.get("dependentRequired", {})
    for name, needed in needs.items():
        needs[name] = [changes.get(each, each) for each in needed]
    return found


def _changes(schema: Schema, rule: re.Pattern[str]) -> dict[str, str]:
    nodes = (node for level in levels(schema) for node in level)
    names = dict.fromkeys(name for node in nodes for name in node.get("properties", ()))
    return {name: _ours(name) for name in names if not rule.fullmatch(name) or _OURS.search(name)}


def _ours(name: str) -> str:
    """A readable start, and a digest of the whole name, so that no two names become one."""
    start = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:_READABLE]
    lead = start if start[:1].isalpha() else f"arg_{start}".rstrip("_")
    return f"{lead}_x{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def named_back(arguments: JSON, schema: Schema, rule: re.Pattern[str]) -> JSON:
    """The arguments with the tool's own names.

    Args:
        arguments: as the model sent them; a copy of the caller's own, which may be changed.
        schema: the schema whose names were changed.
        rule: the same rule.
    """
    changes = {new: old for old, new in _changes(schema, rule).items()}
    pending: list[JSON] = [arguments] if changes else []
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            renewed = {changes.get(key, key): each for key, each in value.items()}
            value.clear()
            value.update(renewed)
            pending.extend(renewed.values())
        elif isinstance(value, list):
            pending.extend(value)
    return arguments
