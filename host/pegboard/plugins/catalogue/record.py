"""What is kept of one installed plugin, so that it can be shown without being imported."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NoReturn

import attrs

from pegboard.annotations import ToolAnnotations
from pegboard.config import PluginConfig
from pegboard.errors import PegboardError
from pegboard.plugins.loads import Loaded
from pegboard.plugins.marks import Tried
from pegboard.registry import Entry
from pegboard.tools import Output, Tool
from pegboard.values import JSON, Snapshot

_DEFERRABLE = {"pegboard_lifespan", "pegboard_settings", "pegboard_tools"}
_PLAIN = ("name", "description", "title", "timeout", "defer_loading", "extra", "coerce")
_SETS = ("tags", "secret_parameters")


@attrs.frozen
class Record:
    """What one load of a plugin has shown, and of what code and options.

    Attributes:
        mark: what its code was; see `mark_of`.
        options: what stands for what the operator said of it, its settings included.
        hooks: the hooks that it implements.
        reserved: the names that it reserves, with reasons.
        tools: its tools with all that is shown of them, in their order.
        failure: why it could not be loaded, or None.
        refused: tools that were left out, and why.
        is_whole: whether none was left out since its name was taken.
    """

    mark: str
    options: str
    hooks: tuple[str, ...] = ()
    reserved: Mapping[str, str] = attrs.field(factory=dict)
    tools: tuple[Mapping[str, JSON], ...] = ()
    failure: str | None = None
    refused: Mapping[str, str] = attrs.field(factory=dict)
    is_whole: bool = True

    @classmethod
    def of(cls, loaded: Loaded, tried: Tried) -> "Record":
        """What a load shows."""
        given = loaded.contributions
        reserved = {each.name: each.reason for each in given.reservations}
        tools = tuple(told_of(each) for each in given.entries)
        return cls(
            tried.mark,
            digest_of_options(tried.options),
            loaded.hooks,
            reserved,
            tools,
            refused={each.name: each.reason for each in given.refused},
            is_whole=not any(each.is_taken for each in given.refused),
        )

    @property
    def is_deferrable(self) -> bool:
        """Whether the plugin needs no import before one of its tools is called."""
        has_more = bool(self.reserved) or self.failure is not None or not self.is_whole
        return bool(self.tools) and not has_more and _DEFERRABLE.issuperset(self.hooks)

    @property
    def offers_nothing(self) -> bool:
        """Whether it was seen to have nothing but a hook for tools, and to give none."""
        has_more = bool(self.tools or self.reserved or self.refused)
        return self.hooks == ("pegboard_tools",) and not has_more

    def fits(self, mark: str, options: PluginConfig) -> bool:
        """Whether it is of this code and of these options."""
        return self.mark == mark and self.options == digest_of_options(options)

    def to_json(self) -> JSON:
        """The same as it stands in the catalogue."""
        return attrs.asdict(self, recurse=False) | {
            "hooks": list(self.hooks),
            "tools": list(self.tools),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "Record":
        """The record that a catalogue holds.

        Raises:
            TypeError: it holds something else.
        """
        given = dict(told)
        given["hooks"], given["tools"] = tuple(told["hooks"]), tuple(told["tools"])
        return cls(**given)


def digest_of_options(options: PluginConfig) -> str:
    """What stands for what the operator says of a plugin; no settings can be read from it."""
    told = repr((options.settings, options.prefix, options.rename))
    return blake2b(told.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def placeholder(told: Mapping[str, JSON], *, plugin: str) -> Tool:
    """A tool that shows everything that a record holds of it, and has no body yet.

    Args:
        told: what the record holds.
        plugin: the plugin that brings it.
    """
    name = told["name"]

    def run(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise PegboardError(
            f"tool {name!r} of plugin {plugin!r} isn't imported yet; call it through a board, or "
            f"load {plugin!r} first"
        )

    output = told["output"]
    annotations = told["annotations"]
    return Tool(
        **{key: told[key] for key in (*_PLAIN, *_SETS)},
        concurrency_safe=told["concurrency_safe"],
        parameters=Snapshot(told["parameters"].encode()),
        output=None if output is None else Output(Snapshot(output.encode())),
        annotations=None if annotations is None else ToolAnnotations(**annotations),
        passthrough=Snapshot(told["passthrough"].encode()),
        run=run,
    )


def told_of(entry: Entry) -> dict[str, JSON]:
    """What is kept of a tool: as its author wrote it, under the name that models see."""
    tool = entry.written or entry.tool
    output, safe = tool.output.schema_snapshot, tool.concurrency_safe
    annotations = tool.annotations
    return {
        "shown": entry.name,
        **{key: getattr(tool, key) for key in _PLAIN},
        **{key: sorted(getattr(tool, key)) for key in _SETS},
        "concurrency_safe": safe if isinstance(safe, bool) else None,
        "parameters": tool.parameters_snapshot.text.decode(),
        "output": None if output is None else output.text.decode(),
        "annotations": None if annotations is None else attrs.asdict(annotations),
        "passthrough": Snapshot.of(tool.passthrough).text.decode(),
    }
