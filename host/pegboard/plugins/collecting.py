"""What a plugin contributes: everything is collected first, and checked."""

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from pegboard.config import Config, PluginConfig
from pegboard.errors import PegboardError, PluginLoadError
from pegboard.hooks import Implementation
from pegboard.names import check_tool_name
from pegboard.registry import (
    Contributions,
    Entry,
    Generation,
    HookEntry,
    Owner,
    Reservation,
    guard_entry,
    hook_entry,
    runtime_entry,
    tool_entry,
)
from pegboard.reports import RefusedTool
from pegboard.tools import EachTool, Tool, check_tool

_log = logging.getLogger("pegboard.plugins")
_LACKING = "the configuration renames it, and the plugin has no such tool"


def tools_of_module(plugin: object) -> list[Tool]:
    """The tools that stand in a module which has no hook for them, in the order it has them."""
    if not issubclass(type(plugin), ModuleType):
        return []
    values = list(object.__getattribute__(plugin, "__dict__").values())
    found = {id(value): value for value in values if issubclass(type(value), Tool)}
    return list(found.values())


def contributions(
    given: Mapping[str, list[Any]],
    hooks: Iterable[Implementation],
    *,
    generation: Generation,
    layer: str,
    options: PluginConfig,
    config: Config,
    fills_boards: bool,
) -> Contributions:
    """Everything that a plugin puts on its layer.

    Args:
        given: by the name of a collecting hook, what its implementations returned.
        hooks: the implementations that calls will pass through.
        generation: the plugin.
        layer: the name of the layer, for people.
        options: the operator's prefix and renaming.
        config: what the operator says of tools.
        fills_boards: whether it puts tools on boards too, which may be those that are renamed.

    Raises:
        PluginLoadError: something isn't what the hook asks for.
        PegboardError: a tool can't be offered.
    """
    alone = [many for many in given["pegboard_tools"] if isinstance(many, EachTool)]
    whole = [many for many in given["pegboard_tools"] if not isinstance(many, EachTool)]
    tools = [each for many in whole for each in _listed(many, "pegboard_tools")]
    guards = [
        each for many in given["pegboard_guards"] for each in _listed(many, "pegboard_guards")
    ]
    owner = str(generation.owner)
    offered = [*tools, *(t for many in alone for t in many.tools)]
    lacking = _unknown_renamed(options, offered)
    if lacking and fills_boards:
        _tell_unknown(lacking[0], owner, is_likely=bool(offered))
        lacking = []
    if lacking and not alone:
        raise PluginLoadError(f"rename names {lacking[0]!r}, and {owner} has no such tool")
    named = [(_name(each, owner, options), each) for each in tools]
    made = partial(tool_entry, generation=generation, config=config, layer=layer)
    singles = [
        _single(each, options, generation.owner, made) for many in alone for each in many.tools
    ]
    plugin = generation.owner.plugin or ""
    left_out = {name: why for many in alone for name, why in many.refused.items()}
    left_out |= dict.fromkeys(lacking, _LACKING)
    return Contributions(
        (
            *(made(each, name=name) for name, each in named),
            *(each for each in singles if isinstance(each, Entry)),
        ),
        tuple(guard_entry(each, generation) for each in guards)
        + tuple(_runtimes(given["pegboard_code_runtime"], generation))
        + tuple(hook_entry(each, generation) for each in hooks),
        tuple(_reservations(given["pegboard_reserved_names"], generation)),
        (
            *(each for each in singles if isinstance(each, RefusedTool)),
            *(RefusedTool(name, plugin, why) for name, why in left_out.items()),
        ),
    )


def _runtimes(given: list[Any], generation: Generation) -> Iterable[HookEntry]:
    return (runtime_entry(each, generation) for each in given if each is not None)


def _single(
    tool: Any, options: PluginConfig, owner: Owner, made: Callable[..., Entry]
) -> Entry | RefusedTool:
    """A tool that stands by itself, or why it can't be offered."""
    try:
        entry = made(tool, name=_name(tool, str(owner), options))
    except PegboardError as error:
        return RefusedTool(str(getattr(tool, "name", "")), owner.plugin or "", str(error))
    entry.is_alone = True
    return entry


def _listed(many: Any, hook: str) -> list[Any]:
    if many is None:
        return []
    if isinstance(many, (str, bytes, Mapping)) or not isinstance(many, Iterable):
        raise PluginLoadError(f"{hook} returned {type(many).__name__}, and a list is expected")
    return list(many)


def _name(tool: Any, owner: str, options: PluginConfig) -> str:
    """The name that models will see of a tool that can be offered."""
    if not isinstance(tool, Tool):
        kind = getattr(tool, "__name__", type(tool).__name__)
        raise PluginLoadError(
            f"pegboard_tools returned {kind!r}, which is no tool; decorate it with @tool"
        )
    check_tool(tool, owner=owner)
    return chosen_name(tool, owner, options)


def chosen_name(tool: Tool, owner: str, options: PluginConfig) -> str:
    """The name that models will see of a tool, as the operator wants it.

    Raises:
        InvalidNameError: no tool can have it.
    """
    return check_tool_name(options.rename.get(tool.name) or options.prefix + tool.name, owner=owner)


def _unknown_renamed(options: PluginConfig, tools: list[Any]) -> list[str]:
    names = {getattr(each, "name", None) for each in tools}
    return [name for name in options.rename if name not in names]


def _tell_unknown(name: str, owner: str, *, is_likely: bool) -> None:
    """Say that a name that is renamed isn't there, or not yet."""
    level = logging.WARNING if is_likely else logging.INFO
    said = "rename names %r, and %s has no such tool, unless it puts one on a board"
    _log.log(level, said, name, owner)


def _reservations(given: list[Any], generation: Generation) -> Iterable[Reservation]:
    owner = str(generation.owner)
    for names in given:
        if names is None:
            continue
        if not isinstance(names, Mapping):
            kind = type(names).__name__
            raise PluginLoadError(
                f"pegboard_reserved_names returned {kind}, and names with reasons are expected"
            )
        for name, reason in names.items():
            yield Reservation(check_tool_name(name, owner=owner), str(reason), generation)
