"""What was accepted of a plugin's tools: definitions that stand for all that a model is told."""

import hashlib
from collections.abc import Iterable

import attrs

from pegboard.registry.differences import differences
from pegboard.reports import QuarantinedTool
from pegboard.tools import Tool
from pegboard.values import JSON
from pegboard.values.codec import sorted_text


def definition_of(tool: Tool) -> dict[str, JSON]:
    """Everything that models are told of a tool and masks judge it by, as its author wrote it.

    The description stands in lines, so that a diff of a file that holds it is a diff of lines.
    """
    annotations = {} if tool.annotations is None else attrs.asdict(tool.annotations)
    said = {key: value for key, value in annotations.items() if value is not None}
    optional = {
        "title": tool.title,
        "output": tool.output.schema,
        "annotations": said or None,
        "tags": sorted(tool.tags) or None,
        "passthrough": tool.passthrough or None,
    }
    return {
        "name": tool.name,
        "description": tool.description.split("\n"),
        "parameters": tool.parameters,
        **{key: value for key, value in optional.items() if value is not None},
    }


def digest_of(definition: JSON) -> str:
    """What stands for a definition: the same whatever the order of keys, another for any change."""
    return f"sha256:{hashlib.sha256(sorted_text(definition)).hexdigest()}"


@attrs.frozen
class Pinned:
    """The definition of one tool.

    Attributes:
        name: the tool's own name, before any prefix and renaming.
        definition: what `definition_of` gives.
        digest: what stands for it.
    """

    definition: dict[str, JSON]
    digest: str = attrs.field(init=False)

    @digest.default
    def _digest_of_it(self) -> str:
        return digest_of(self.definition)

    @property
    def name(self) -> str:
        """The tool's own name."""
        return str(self.definition["name"])


@attrs.define(eq=False)
class Pins:
    """Says which tools of one plugin are what was accepted.

    Attributes:
        plugin: the plugin.
        accepted: the definitions that were accepted; None: whatever comes is.
        way_out: how an operator accepts others.
        said: text that changes when what the lock file says of the plugin does.
        came: the definitions that have come, by digest.
    """

    plugin: str
    accepted: tuple[Pinned, ...] | None
    way_out: str
    said: str = ""
    came: dict[str, Pinned] = attrs.field(factory=dict)

    def judge(self, tool: Tool, *, name: str) -> QuarantinedTool | None:
        """Why a tool may not be offered, or None.

        Args:
            tool: what the author wrote.
            name: the name that models would see.
        """
        pinned = Pinned(definition_of(tool))
        self.came[pinned.digest] = pinned
        if self.accepted is None or any(each.digest == pinned.digest for each in self.accepted):
            return None
        known = next((each for each in self.accepted if each.name == tool.name), None)
        before = {} if known is None else known.definition
        reason = f"{_what(before, pinned.definition)}; {self.way_out}"
        return QuarantinedTool(name, self.plugin, reason, differences(before, pinned.definition))


def _what(before: dict[str, JSON], now: dict[str, JSON]) -> str:
    """What differs, in words."""
    if not before:
        return "it is new"
    every = before.keys() | now.keys()
    keys = sorted(key for key in every if _text(before, key) != _text(now, key))
    verb = "isn't" if len(keys) == 1 else "aren't"
    return f"its {_listed(keys)} {verb} what was accepted"


def _text(definition: dict[str, JSON], key: str) -> bytes | None:
    return sorted_text(definition[key]) if key in definition else None


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
