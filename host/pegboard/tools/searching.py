"""Finding what a value does wrong in a schema with unions that may hold themselves.

jsonschema-rs lists the faults of every branch of every union inside every branch: their number
doubles with each level of a recursive value. Here a branch is followed only if one is meant.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pegboard.tools.faults import Fault
from pegboard.tools.parts import Parts
from pegboard.tools.wording import explain
from pegboard.values import JSON

Path = tuple[Any, ...]

_INSIDE = frozenset({"properties", "patternProperties", "additionalProperties", "dependentSchemas"})
_APPLICATORS = (
    frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "then", "else"})
    | _INSIDE
    | {
        *("items", "prefixItems", "additionalItems", "unevaluatedItems", "unevaluatedProperties"),
        *("$defs", "definitions", "$id", "$anchor", "$comment", "title", "description", "default"),
    }
)
_SHOWN = 5


class Search:
    """Looks for faults in one schema.

    Args:
        schema: the whole schema.
        compiled: compiles any part of it.
    """

    def __init__(self, schema: Mapping[str, Any], compiled: Callable[[JSON], Any]) -> None:
        self._schema = schema
        self._parts = Parts.of(schema)
        self._compile = compiled
        self._compiled: dict[int, Any] = {}
        self._kept: list[JSON] = []

    def faults(self, value: JSON) -> Iterator[Fault]:
        """Everything that is wrong with a value of the whole schema."""
        found = False
        for fault in self._find(self._schema, value, ()):
            found = True
            yield fault
        if not found and not self.accepts(self._schema, value):
            yield Fault("$", "doesn't fit its schema")

    def accepts(self, part: JSON, value: JSON) -> bool:
        """Whether a part of the schema accepts a value."""
        if type(part) is not dict:
            return part is not False
        return bool(self._of(part).is_valid(value))

    def _find(self, part: JSON, value: JSON, path: Path) -> Iterator[Fault]:
        if part is False:
            yield Fault.at(path, "isn't allowed")
        if type(part) is not dict:
            return
        yield from self._here(part, value, path)
        for inner in self._conditions(part, value):
            yield from self._find(inner, value, path)
        for name in ("anyOf", "oneOf"):
            if name in part and not self.accepts({name: part[name]}, value):
                yield from self._union(part[name], value, path)
        for key, inner, each in _children(part, value):
            if not self.accepts(inner, each):
                yield from self._find(inner, each, (*path, key))

    def _here(self, part: Mapping[str, Any], value: JSON, path: Path) -> Iterator[Fault]:
        """What is wrong with the value itself, not with what is inside it."""
        for error in self._of(part, is_flat=True).iter_errors(value):
            yield from explain(error, path)
        if part.get("additionalProperties") is False and type(value) is dict:
            for key in value:
                if not _declares(part, key):
                    yield Fault.at((*path, key), "isn't declared")

    def _conditions(self, part: Mapping[str, Any], value: JSON) -> Iterator[JSON]:
        """The further schemas that the same value has to fit."""
        if "$ref" in part:
            yield self._parts.target(part["$ref"])
        yield from part.get("allOf", ())
        if "if" in part:
            yield part.get("then" if self.accepts(part["if"], value) else "else", {})
        if type(value) is dict:
            dependent = part.get("dependentSchemas", {}).items()
            yield from (inner for key, inner in dependent if key in value)

    def _union(self, branches: list[JSON], value: JSON, path: Path) -> Iterator[Fault]:
        taken = [each for each in branches if self.accepts(each, value)]
        if len(taken) > 1:
            yield Fault.at(path, "fits more than one of its forms, and must fit one")
            return
        meant = [each for each in branches if self._parts.may_mean(each, value)]
        others = [each for each in branches if self._parts.types(each) != {"null"}]
        shown = meant or others or branches
        if len(shown) == 1:
            yield from self._find(shown[0], value, path)
            return
        wanted = dict.fromkeys(self._wanted(each, value, path) for each in shown)
        yield Fault.at(path, "fits none of: " + "; or ".join(wanted))

    def _wanted(self, branch: JSON, value: JSON, path: Path) -> str:
        faults = list(self._here(self._parts.resolve(branch), value, path))[:_SHOWN]
        here = str(Fault.at(path, ""))
        if not faults:
            return "another form, which something inside it doesn't fit"
        return " and ".join(str(each).removeprefix(here) for each in faults)

    def _of(self, part: Mapping[str, Any], *, is_flat: bool = False) -> Any:
        """A part compiled with the definitions of the whole; kept for this search."""
        key = id(part) * 2 + is_flat
        if key not in self._compiled:
            shown = {
                name: each for name, each in part.items() if not (is_flat and name in _APPLICATORS)
            }
            around = ("$defs", "definitions", "$schema")
            whole = {name: self._schema[name] for name in around if name in self._schema}
            self._compiled[key] = self._compile({**shown, **whole})
            self._kept.append(part)
        return self._compiled[key]


def _declares(part: Mapping[str, Any], key: str) -> bool:
    patterns = part.get("patternProperties", {})
    return key in part.get("properties", {}) or any(re.search(each, key) for each in patterns)


def _children(part: Mapping[str, Any], value: JSON) -> Iterator[tuple[Any, JSON, JSON]]:
    """The parts of a value with their schemas: key or index, schema, value."""
    if type(value) is dict:
        yield from _children_of_object(part, value)
    elif type(value) is list:
        places, rest = part.get("prefixItems", ()), part.get("items", True)
        if type(rest) is list:
            places, rest = rest, part.get("additionalItems", True)
        for at, each in enumerate(value):
            yield at, places[at] if at < len(places) else rest, each


def _children_of_object(
    part: Mapping[str, Any], value: Mapping[str, JSON]
) -> Iterator[tuple[str, JSON, JSON]]:
    declared, patterns = part.get("properties", {}), part.get("patternProperties", {})
    others = part.get("additionalProperties", True)
    for key, each in value.items():
        matching = [inner for pattern, inner in patterns.items() if re.search(pattern, key)]
        if key in declared:
            matching.append(declared[key])
        if not matching and others is not False:
            matching.append(others)
        yield from ((key, inner, each) for inner in matching)
