"""What the operator knows better of tools than their authors."""

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs

from pegboard.config import Config, ToolConfig
from pegboard.registry.entry import Entry
from pegboard.registry.generation import Generation
from pegboard.tools import Tool


def tool_entry(
    tool: Tool,
    generation: Generation,
    *,
    config: Config,
    layer: str,
    name: str | None = None,
    masked_by: int = 0,
) -> Entry:
    """A tool as a contribution, as the operator wants it, whoever brings it.

    Args:
        tool: what the author wrote; it has been checked.
        generation: who brings it.
        config: what the operator says.
        layer: the name of the layer that it will stand on.
        name: the name that models will see; the tool's own if None.
        masked_by: how many scopes have masks that reach it.
    """
    shown = tool.name if name is None else name
    said = config.tool(shown)
    pins = generation.pins
    wanted = laid_over(tool, said)
    return Entry(
        shown,
        wanted,
        generation,
        layer,
        masked_by,
        max_running=said.max_running,
        quarantined=None if pins is None else pins.judge(tool, name=shown),
        written=None if wanted is tool else tool,
    )


def told_anew(entry: Entry, config: Config) -> Callable[[], None] | None:
    """What has a tool be as the operator wants it by now; None where that is as it was.

    Raises:
        PegboardError: the tool can't be so; nothing has changed.
    """
    said = config.tool(entry.name)
    wanted = laid_over(entry.written or entry.tool, said)
    if _said(wanted, said.max_running) == _said(entry.tool, entry.max_running):
        return None
    return partial(entry.tell, wanted, max_running=said.max_running)


def _said(tool: Tool, max_running: int | None) -> tuple[object, ...]:
    told = tool.description, tool.annotations, tool.defer_loading
    return *told, tool.timeout, tool.concurrency_safe, max_running


def laid_over(tool: Tool, said: ToolConfig) -> Tool:
    """The tool as the operator wants it: the very same where nothing that is said applies."""
    changes: dict[str, Any] = {}
    if said.timeout is not None and tool.timeout is None:
        changes["timeout"] = said.timeout
    if said.annotations is not None:
        changes["annotations"] = said.annotations.over(tool.annotations)
    if said.concurrency_safe is not None:
        changes["concurrency_safe"] = said.concurrency_safe
    if said.description is not None:
        changes["description"] = said.description
    if said.defer_loading is not None:
        changes["defer_loading"] = said.defer_loading
    return attrs.evolve(tool, **changes) if changes else tool
