"""What a plugin contributes: everything is collected first, and checked."""

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from pegboard.config import Config, PluginConfig
from pegboard.errors import PluginLoadError
from pegboard.hooks import Implementation
from pegboard.names import check_tool_name
from pegboard.registry import (
    Contributions,
    Generation,
    Reservation,
    guard_entry,
    hook_entry,
    tool_entry,
)
from pegboard.tools import Tool, check_tool


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
) -> Contributions:
    """Everything that a plugin puts on its layer.

    Args:
        given: by the name of a collecting hook, what its implementations returned.
        hooks: the implementations that calls will pass through.
        generation: the plugin.
        layer: the name of the layer, for people.
        options: the operator's prefix and renaming.
        config: what the operator says of tools.

    Raises:
        PluginLoadError: something isn't what the hook asks for.
        PegboardError: a tool can't be offered.
    """
    tools = [each for many in given["pegboard_tools"] for each in _listed(many, "pegboard_tools")]
    guards = [
        each for many in given["pegboard_guards"] for each in _listed(many, "pegboard_guards")
    ]
    owner = str(generation.owner)
    _check_rename(options, tools, owner)
    named = [(_name(each, owner, options), each) for each in tools]
    return Contributions(
        tuple(
            tool_entry(each, generation, config=config, layer=layer, name=name)
            for name, each in named
        ),
        tuple(guard_entry(each, generation) for each in guards)
        + tuple(hook_entry(each, generation) for each in hooks),
        tuple(_reservations(given["pegboard_reserved_names"], generation)),
    )


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
    name = options.rename.get(tool.name) or options.prefix + tool.name
    return check_tool_name(name, owner=owner)


def _check_rename(options: PluginConfig, tools: list[Any], owner: str) -> None:
    names = {getattr(each, "name", None) for each in tools}
    for name in options.rename:
        if name not in names:
            raise PluginLoadError(f"rename names {name!r}, and {owner} has no such tool")


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
