"""What a host tells of itself, as JSON: for the control channel, and for the command's `--json`."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

import attrs

from pegboard.board.board import Board
from pegboard.registry import VisibleTools
from pegboard.reports import PluginInfo, RunningCall
from pegboard.tools import Tool
from pegboard.values import JSON


class Unread(Protocol):
    """What discovery couldn't read."""

    @property
    def distribution(self) -> str:
        """Its name."""

    @property
    def path(self) -> str:
        """Where it is."""

    @property
    def reason(self) -> str:
        """What is wrong."""


_RUNNING = tuple(each.name for each in attrs.fields(RunningCall))


def plain(value: Any) -> JSON:
    """A report as JSON: its fields by name, lists for tuples, times in ISO 8601."""
    if attrs.has(type(value)):
        return {each.name: plain(getattr(value, each.name)) for each in attrs.fields(type(value))}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list, frozenset)):
        return [plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime) else value


def running_json(call: RunningCall) -> dict[str, JSON]:
    """A call that runs; faster than `plain`, since there may be thousands."""
    return {name: getattr(call, name) for name in _RUNNING}


def problem_json(problem: Unread) -> dict[str, JSON]:
    """What discovery couldn't read, in the shape of a plugin."""
    empty = attrs.asdict(PluginInfo(""))
    named = {"name": None, "distribution": problem.distribution, "state": "failed"}
    return {**empty, **named, "error": problem.reason, "location": problem.path}


def board_tools(board: Board) -> Iterator[dict[str, JSON]]:
    """The tools of a board, in order, each with who brought it and its layer."""
    for name, tool in board.tools.items():
        plugin, layer = origin(board, name)
        yield {
            "name": name,
            "description": tool.description,
            "parameters": tool.parameters,
            "plugin": plugin,
            "layer": layer,
        }


def global_tools(tools: Mapping[str, Tool]) -> Iterator[dict[str, JSON]]:
    """The tools of a host's global layer, in the same shape."""
    for name, tool in tools.items():
        yield {
            "name": name,
            "description": tool.description,
            "parameters": tool.parameters,
            "plugin": tools.brought_by(name) if isinstance(tools, VisibleTools) else None,
            "layer": "global",
        }


def origin(board: Board, name: str) -> tuple[str | None, str | None]:
    """The plugin that brought a visible tool, and the layer on which it stands."""
    explanation = board.explain(name)
    owner = explanation.owner
    return None if owner is None else owner.plugin, explanation.layer
