"""`plugins`, `tools` and `explain`: what there is, and why."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from pegboard import Board, Explanation, Host, Tool, ToolAnnotations
from pegboard.board.shapes import board_tools, origin, problem_json
from pegboard.cli.asked import Asked, opened_board, opened_host
from pegboard.cli.jsons import print_json
from pegboard.cli.keeping import Keeper
from pegboard.cli.mistakes import UsageError, config_mistakes
from pegboard.cli.streams import Streams, legible
from pegboard.cli.tables import Table, show
from pegboard.errors import did_you_mean, near_names

_HINTS = ("read_only", "destructive", "idempotent", "open_world")


async def plugins(streams: Streams, *, asked: Asked) -> int:
    """List every plugin, and every distribution whose metadata could not be read."""
    async with opened_host(streams, asked.read_config()) as host:
        infos = [*await _infos(host, asked.board), *map(problem_json, host.problems)]
        mistakes = tuple(config_mistakes(host))
        if asked.is_json:
            print_json(infos, streams)
        elif infos:
            show(plugin_table(infos), streams)
        else:
            streams.message("no plugin is installed")
    for mistake in mistakes:
        streams.message(mistake)
    return 2 if mistakes else 0


async def _infos(host: Host, name: str | None) -> list[dict[str, Any]]:
    """Every plugin, with those of its tools that the board shows, if one is named."""
    shown = None if name is None else (await host.board(name)).tools
    infos = [attrs.asdict(each) for each in host.plugins.values()]
    for info in infos:
        info["tools"] = [each for each in info["tools"] if shown is None or each in shown]
    return infos


def plugin_table(infos: Iterable[Mapping[str, Any]], *, is_live: bool = False) -> Table:
    """Plugins for people, each as `pegboard plugins --json` has it.

    Args:
        infos: the plugins.
        is_live: whether they are those of a host that goes on, and how often each was loaded tells.
    """
    keys = ("name", "distribution", "version", "state", *(("generation",) if is_live else ()))
    rows = (_plugin_row(info, keys) for info in infos)
    return Table((*keys, "tools", "error"), rows)


def _plugin_row(info: Mapping[str, Any], keys: Iterable[str]) -> tuple[str, ...]:
    said = (str(info[key] or "-") for key in keys)
    return (*said, " ".join(info["tools"]) or "-", info["error"] or _held(info))


def _held(info: Mapping[str, Any]) -> str:
    """Which tools aren't what was accepted, and which are left out."""
    named = {kind: [each["name"] for each in info[kind]] for kind in ("quarantined", "refused")}
    return "; ".join(f"{kind}: {' '.join(names)}" for kind, names in named.items() if names) or "-"


async def tools(streams: Streams, *, asked: Asked) -> int:
    """List the tools that a board shows."""
    keeper = Keeper.of(asked, streams) if asked.is_json else None
    async with opened_board(streams, asked.read_config(), asked.board) as (host, board):
        warn_of_failures(host, streams)
        text = print_tools(board, streams, is_json=asked.is_json)
        stamps = None if keeper is None else host.stamps()
    if keeper is not None and stamps is not None and streams.is_silent:
        keeper.keep(f"{text}\n", stamps)
    return 0


async def sdk(streams: Streams, *, asked: Asked) -> int:
    """Print the declarations of a board's tools that its programs are checked against."""
    async with opened_board(streams, asked.read_config(), asked.board) as (host, board):
        warn_of_failures(host, streams)
        if asked.is_json:
            print_json({"board": board.name, "sdk": board.sdk}, streams)
        else:
            streams.result(board.sdk)
    return 0


def print_tools(
    board: Board, streams: Streams, *, is_json: bool, is_one_of_many: bool = False
) -> str | None:
    """Print the tools that a board shows; as one line of JSON where more will follow.

    Returns:
        the JSON text, where it is JSON.
    """
    if is_json:
        return print_json(list(board_tools(board)), streams, is_one_of_many=is_one_of_many)
    if board.tools:
        columns = ("name", "description", "plugin", "layer", "annotations")
        show(Table(columns, _tool_rows(board)), streams)
    else:
        streams.message(f"board {board.name!r} shows no tools")
    return None


def _tool_rows(board: Board) -> Iterator[tuple[str, ...]]:
    for name, tool in board.tools.items():
        line = next(iter(tool.description.splitlines()), "")
        plugin, layer = origin(board, name)
        yield name, line, plugin or "-", layer or "-", _annotations(tool)


def _annotations(tool: Tool) -> str:
    meaning = (tool.annotations or ToolAnnotations()).meaning()
    return " ".join(hint for hint in _HINTS if getattr(meaning, hint)) or "-"


def warn_of_failures(host: Host, streams: Streams) -> None:
    """Say which plugins could not be loaded: a tool that is missed may be theirs."""
    for info in host.plugins.values():
        if info.state in ("failed", "retrying"):
            streams.message(f"plugin {info.name!r} could not be loaded: {info.error}")
        elif info.state == "quarantined":
            streams.message(str(info.error))


async def explain(streams: Streams, *, asked: Asked, name: str) -> int:
    """Say why a board shows a tool, or doesn't."""
    async with opened_board(streams, asked.read_config(), asked.board) as (_, board):
        explanation = board.explain(name)
        if {reason.kind for reason in explanation.reasons} <= {"unknown", "failed"}:
            raise UsageError(_unknown(explanation, board))
        if asked.is_json:
            print_json(attrs.asdict(explanation), streams)
        else:
            streams.result(legible(str(explanation), keep="\n"))
    return 0


def _unknown(explanation: Explanation, board: Board) -> str:
    near = did_you_mean(near_names(explanation.name, board.tools))
    failed = [each.text for each in explanation.reasons if each.kind == "failed"]
    return "; ".join([f"unknown tool {explanation.name!r}{near}", *failed])
