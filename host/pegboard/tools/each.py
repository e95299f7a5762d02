"""Tools of which each stands by itself."""

from collections.abc import Iterable, Mapping

import attrs

from pegboard.tools.model import Tool


def _as_tuple(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    return tuple(tools)


@attrs.frozen(eq=False)
class EachTool:
    """What `pegboard_tools` may return so that one tool that can't be offered costs only itself.

    For a plugin that brings what others have written: it is left out and listed with its reason in
    `PluginInfo.refused`, where otherwise the plugin would fail.

    Attributes:
        tools: the tools.
        refused: what the plugin itself leaves out, with reasons; they are listed with the others.
    """

    tools: tuple[Tool, ...] = attrs.field(converter=_as_tuple)
    refused: Mapping[str, str] = attrs.field(factory=dict)
