"""What a tool gets of what a model sent: undeclared keys, nulls that mean the default, text."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any

import attrs

from pegboard.errors import NotJSONError
from pegboard.tools.faults import Fault
from pegboard.tools.parts import TYPES, Parts
from pegboard.values import DEFAULT_LIMITS, JSON, Limits, Snapshot, decode_text
from pegboard.values.checks import show_path
from pegboard.values.stack import run_deep

Path = tuple[Any, ...]
Accepts = Callable[[JSON, JSON], bool]

NEAR = 0.75
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False}
_HOLDERS = frozenset({"object", "array"})
_STEPS = 10_000


@attrs.define
class Settling:
    """Settles one value against a schema that was made from Python types, at every depth.

    Attributes:
        parts: the parts of the whole schema.
        extra: what happens to undeclared keys.
        coerce: whether text that spells a value is taken for it.
        accepts: whether a part of the schema accepts a value.
        notes: what was left out or coerced, in words.
        faults: undeclared keys that may not be left out.
    """

    parts: Parts
    extra: str
    coerce: bool
    accepts: Accepts
    limits: Limits = DEFAULT_LIMITS
    notes: list[str] = attrs.field(factory=list)
    faults: list[Fault] = attrs.field(factory=list)
    _steps: list[int] = attrs.field(factory=lambda: [_STEPS])

    def settle(
        self, value: JSON, schema: JSON, path: Path = (), *, is_decoded: bool = False
    ) -> JSON:
        """The value as the tool will get it; the value itself is changed.

        What was decoded from text is not decoded again inside.
        """
        schema = self.parts.resolve(schema)
        if type(value) is str and self.coerce:
            value = self._from_text(value, schema, path, is_decoded=is_decoded)
            is_decoded = is_decoded or type(value) in (dict, list)
        if "anyOf" in schema:
            return self._settle_union(value, schema["anyOf"], path, is_decoded=is_decoded)
        if type(value) is dict:
            self._settle_object(value, schema, path, is_decoded=is_decoded)
        elif type(value) is list:
            self._settle_array(value, schema, path, is_decoded=is_decoded)
        return value

    def _settle_object(
        self, value: dict[str, JSON], schema: Mapping[str, Any], path: Path, *, is_decoded: bool
    ) -> None:
        declared: Mapping[str, Any] = schema.get("properties", {})
        others = schema.get("additionalProperties")
        if others is False:
            self.take_out(value, declared, path)
        required = schema.get("required", ())
        for key in [*value]:
            part = declared.get(key, others)
            is_optional = key in declared and key not in required
            if value[key] is None and is_optional and "null" not in self.parts.types(part):
                del value[key]
            elif part:
                value[key] = self.settle(value[key], part, (*path, key), is_decoded=is_decoded)

    def take_out(self, value: dict[str, JSON], declared: Iterable[str], path: Path) -> None:
        """Take undeclared keys out of an object: left out with a note, or refused."""
        known = set(declared)
        absent = [each for each in declared if each not in value]
        for key in [each for each in value if each not in known]:
            del value[key]
            near = _nearest(key, absent)
            if near is not None:
                self.faults.append(
                    Fault.at((*path, key), f"isn't declared; did you mean {near!r}?")
                )
            elif self.extra == "forbid":
                self.faults.append(Fault.at((*path, key), "isn't declared"))
            else:
                self.notes.append(f"left out {show_path((*path, key))}, which isn't declared")

    def _settle_array(
        self, value: list[JSON], schema: Mapping[str, Any], path: Path, *, is_decoded: bool
    ) -> None:
        places = schema.get("prefixItems", ())
        rest = schema.get("items")
        for at, each in enumerate(value):
            part = places[at] if at < len(places) else rest
            if part:
                value[at] = self.settle(each, part, (*path, at), is_decoded=is_decoded)

    def _settle_union(
        self, value: JSON, branches: list[JSON], path: Path, *, is_decoded: bool
    ) -> JSON:
        """The value settled for the first branch that then accepts it."""
        meant = [each for each in branches if self._may_mean(each, value)]
        if any(self.accepts(each, value) for each in meant):
            return value
        for branch in meant:
            trial = self._trial()
            copy = Snapshot.of(value).read()
            settled = run_deep(trial.settle, copy, branch, path, is_decoded=is_decoded)
            is_taken = len(meant) == 1 or (not trial.faults and self.accepts(branch, settled))
            if is_taken:
                self.notes += trial.notes
                self.faults += trial.faults
                return settled
        return value

    def _trial(self) -> "Settling":
        return attrs.evolve(self, notes=[], faults=[], steps=self._steps)

    def _may_mean(self, branch: JSON, value: JSON) -> bool:
        """Whether a value can be of this branch at all; what was tried too often no longer can."""
        self._steps[0] -= 1
        return self._steps[0] >= 0 and self.parts.may_mean(branch, value)

    def _from_text(self, text: str, schema: JSON, path: Path, *, is_decoded: bool) -> JSON:
        types = self.parts.types(schema)
        if "string" in types:
            return text
        found = spelled(text, types - _HOLDERS if is_decoded else types, self.limits)
        if type(found) is not str:
            self.notes.append(f"took the text of {show_path(path)} for {_named(found)}")
        return found


def spelled(text: str, types: frozenset[str], limits: Limits = DEFAULT_LIMITS) -> JSON:
    """The value of one of these JSON types that a text spells exactly, else the text."""
    if "boolean" in types and text in _BOOLEANS:
        return _BOOLEANS[text]
    if types & {"integer", "number"} and _NUMBER.fullmatch(text):
        return _number(text, limits)
    if types & {"object", "array"} and text.lstrip()[:1] in ("{", "["):
        try:
            found = decode_text(text, limits)
        except NotJSONError:
            return text
        return found if TYPES[type(found)] & types else text
    return text


def _number(text: str, limits: Limits) -> JSON:
    try:
        found = decode_text(text, limits)
    except NotJSONError:
        return text
    return int(found) if type(found) is float and found.is_integer() and "." in text else found


def _named(value: JSON) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", list: "an array"}
    return names.get(type(value), "an object")


def _nearest(key: str, absent: Iterable[str]) -> str | None:
    ranked = [(_likeness(key, each), each) for each in absent]
    best = max(ranked, default=(0.0, ""), key=lambda pair: pair[0])
    return best[1] if best[0] >= NEAR else None


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, _fold(one), _fold(other)).ratio()


def _fold(key: str) -> str:
    return key[:200].casefold().replace("-", "").replace("_", "")
