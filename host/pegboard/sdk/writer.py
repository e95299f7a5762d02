"""Writes the SDK of a board, and keeps the part of each tool for the next board or change."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from weakref import WeakKeyDictionary

import attrs

from pegboard.programs import Sdk
from pegboard.sdk.naming import IMPORTS, settled
from pegboard.sdk.part import Part, part_of
from pegboard.sdk.wording import literal
from pegboard.tools import Tool

_HEAD = f'''\
from typing import {", ".join(IMPORTS)}

class ToolCallError(Exception):
    """A call failed; its text says why."""
'''


@attrs.define(eq=False)
class SdkWriter:
    """Writes SDKs; what it read of a tool it keeps as long as the tool lives."""

    _parts: WeakKeyDictionary[Tool, dict[str, Part]] = attrs.field(factory=WeakKeyDictionary)

    def write(self, tools: Iterable[tuple[str, Tool]]) -> Sdk:
        """The SDK of these tools, whatever their order.

        Args:
            tools: each with its name on the board.
        """
        parts = {name: self._part(name, tool) for name, tool in sorted(tools, key=lambda e: e[0])}
        functions = tuple(name for name, part in parts.items() if part.is_function)
        names = settled([each.wanted for each in parts.values()], functions)
        named = dict(zip(parts, names, strict=True))
        declarations = {name: part.text(named[name]) for name, part in parts.items()}
        calls = {name: own[-1] for name, own in named.items() if not parts[name].is_function}
        head = _ignored(part.remarked for part in parts.values()) + _HEAD
        known = [*functions, *(type_ for own in named.values() for type_ in own)]
        text = "\n".join([head, *declarations.values(), *_tools(calls), *_all(known, calls)])
        return Sdk(text, functions, tuple(parts), MappingProxyType(declarations))

    def _part(self, name: str, tool: Tool) -> Part:
        known = self._parts.setdefault(tool, {})
        if name not in known:
            known[name] = part_of(tool, name)
        return known[name]


def _ignored(remarked: Iterable[Iterable[str]]) -> str:
    """What tells the type checker that declarations without bodies are meant."""
    rules = sorted({rule for each in remarked for rule in each})
    return f"# ty: ignore[{', '.join(rules)}]\n" if rules else ""


def _tools(calls: Mapping[str, str]) -> Iterable[str]:
    """The tools that can't be functions, by name."""
    if calls:
        lines = "".join(f"    {literal(name)}: {call},\n" for name, call in calls.items())
        yield f'Tools = TypedDict("Tools", {{\n{lines}}})\ntools: Tools\n'


def _all(known: Sequence[str], calls: Mapping[str, str]) -> Iterable[str]:
    """What a program sees, where some of it would count as private otherwise."""
    if any(each.startswith("_") for each in known):
        shown = sorted(["ToolCallError", *known, *(["Tools", "tools"] if calls else [])])
        yield f"__all__ = [{', '.join(map(literal, shown))}]\n"
