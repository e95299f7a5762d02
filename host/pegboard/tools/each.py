"""Tools of which each stands by itself."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from pegboard.errors import WrongArgumentError
from pegboard.tools.model import Tool


def _as_tuple(tools: Any) -> tuple[Tool, ...]:
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable):
        raise WrongArgumentError(f"EachTool takes a list of tools, not {type(tools).__name__}")
    return tuple(tools)


def _as_reasons(refused: Any) -> dict[str, str]:
    if not isinstance(refused, Mapping):
        kind = type(refused).__name__
        raise WrongArgumentError(f"refused of EachTool takes names with reasons, not {kind}")
    for name, why in refused.items():
        if not isinstance(name, str) or not isinstance(why, str):
            given = f"{type(name).__name__} with {type(why).__name__}"
            raise WrongArgumentError(f"refused of EachTool takes text with text, not {given}")
    return dict(refused)


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
    refused: Mapping[str, str] = attrs.field(factory=dict, converter=_as_reasons)
