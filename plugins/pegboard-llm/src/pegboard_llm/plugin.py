"""An llm plugin as a pegboard plugin."""

import asyncio
import dataclasses
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import attrs
import llm
from pegboard import EachTool, PluginContext, Tool, hookimpl

from pegboard_llm.asking import Modules, diverted
from pegboard_llm.boxes import Box, box_of
from pegboard_llm.options import can_be_key, required_of, settings_class
from pegboard_llm.registered import Registered, registered_by
from pegboard_llm.tools import method_of, tool_of


def plugin_of(foreign: object, modules: Modules) -> object | None:
    """The pegboard plugin that an imported llm plugin is; None where it has no hook for tools.

    Args:
        foreign: the llm plugin.
        modules: gives its modules that are imported now.
    """
    registered = registered_by(foreign)
    if registered is None:
        return None
    return LlmPlugin(foreign, tuple(registered), modules)


@attrs.frozen(eq=False)
class Living:
    """What an llm plugin has while it is loaded.

    Attributes:
        loop: the loop of the host.
        boxes: its toolboxes, by name.
        told: the tools of those that had to be made for that, by name.
        refused: why toolboxes and tools can't be offered, by name.
    """

    loop: asyncio.AbstractEventLoop
    boxes: dict[str, Box] = attrs.field(factory=dict)
    told: dict[str, list[llm.Tool]] = attrs.field(factory=dict)
    refused: dict[str, str] = attrs.field(factory=dict)

    async def close(self) -> None:
        """Let its toolboxes go."""
        await asyncio.gather(*(each.close() for each in self.boxes.values()))


@attrs.frozen(eq=False)
class LlmPlugin:
    """What pegboard asks of an llm plugin.

    Attributes:
        foreign: the llm plugin.
        registered: what it has registered.
        modules: gives its modules that are imported now.
    """

    foreign: object
    registered: tuple[Registered, ...]
    modules: Modules

    @property
    def toolboxes(self) -> Mapping[str, Registered]:
        """Its toolboxes by name; the first of each."""
        found = [each for each in self.registered if each.toolbox is not None]
        return {each.label: each for each in reversed(found)}

    @property
    def kinds(self) -> Mapping[str, type[llm.Toolbox]]:
        """The classes of its toolboxes by name."""
        found = {name: each.toolbox for name, each in self.toolboxes.items()}
        return {name: kind for name, kind in found.items() if kind is not None}

    @hookimpl
    def pegboard_settings(self) -> type:
        """A table for each toolbox, with what it is made with."""
        return settings_class(self.kinds)

    @hookimpl
    @asynccontextmanager
    async def pegboard_lifespan(self, plugin: PluginContext) -> AsyncIterator[Living]:
        """Its toolboxes; those that alone can tell what their tools are, made and prepared."""
        living = Living(asyncio.get_running_loop())
        with diverted(self.modules):
            try:
                for each in self.registered:
                    await self._open(each, living, plugin)
                yield living
            finally:
                await living.close()
                _unregister(self.foreign)

    async def _open(self, each: Registered, living: Living, plugin: PluginContext) -> None:
        kind, name = each.toolbox, each.label
        if kind is None:
            return
        if each is not self.toolboxes[name]:
            living.refused[f"{kind.__module__}.{kind.__qualname__}"] = _second(name)
            return
        options = getattr(plugin.settings, name, None)
        missing = [] if options is not None or each.is_made else required_of(kind)
        if missing:
            living.refused[name] = f"it needs {', '.join(missing)}; {_way_out(plugin.name, name)}"
            return
        living.boxes[name] = box = box_of(kind, each, options)
        if box.has_more:
            try:
                living.told[name] = await box.prepare()
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001 - code of the plugin; costs this toolbox
                living.refused[name] = f"it can't be made: {_shown(error)}"

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> EachTool:
        """Its tools, each standing by itself."""
        living: Living = plugin.resource
        tools: dict[str, Tool] = {}
        refused = dict(living.refused)
        for name, make in self._makers(living):
            try:
                made = make()
            except BaseException as error:  # noqa: BLE001 - it describes code of the plugin
                refused[name] = f"it can't be described: {_shown(error)}"
                continue
            if made.name in tools:
                refused[made.name] = "the plugin has registered another of this name before it"
            tools.setdefault(made.name, made)
        return EachTool(tools.values(), refused)

    def _makers(self, living: Living) -> Iterator[tuple[str, Callable[[], Tool]]]:
        """What makes each tool, with the name it will have."""
        for each in self.registered:
            if each.toolbox is None:
                yield each.label, partial(_tool_of, each, living.loop)
            elif each is self.toolboxes[each.label] and each.label in living.boxes:
                yield from _makers_of(each.label, living)


def _tool_of(each: Registered, loop: asyncio.AbstractEventLoop) -> Tool:
    return tool_of(_described(each), loop=loop)


def _makers_of(label: str, living: Living) -> Iterator[tuple[str, Callable[[], Tool]]]:
    """What makes each tool of one toolbox; nothing where it couldn't be made for that."""
    loop, box = living.loop, living.boxes[label]
    if label in living.told:
        for found in living.told[label]:
            yield found.name, partial(tool_of, found, loop=loop, box=box)
    elif label not in living.refused:
        for method in box.methods():
            yield f"{box.kind.__name__}_{method}", partial(method_of, box, method, loop=loop)


def _second(name: str) -> str:
    return (
        f"the plugin has registered another toolbox {name!r} before it; "
        "its author can give each a name of its own"
    )


def _way_out(plugin: str, toolbox: str) -> str:
    """Where to say what a toolbox needs."""
    if toolbox == "pegboard":
        given = f"settings={{{toolbox!r}: {{…}}}}"
        whose = f"[plugins.{plugin}.{toolbox}] is pegboard's own table"
        return f"{whose}, so load it in code, with host.load({plugin!r}, {given})"
    if not can_be_key(toolbox):
        return "no table can have its name; its author can register it under another"
    return f"give that in [plugins.{plugin}.{toolbox}] of the configuration"


def _described(each: Registered) -> llm.Tool:
    """A function or tool as llm describes it.

    Raises:
        TypeError: it is neither.
    """
    what = each.what
    if isinstance(what, llm.Tool):
        return what if each.name is None else dataclasses.replace(what, name=each.name)
    if isinstance(what, (type, llm.ServerSideTool)) or not callable(what):
        raise TypeError("it is no function, llm.Tool or llm.Toolbox")
    described: llm.Tool = llm.Tool.function(what, name=each.name)  # type: ignore[no-untyped-call]
    return described


def _unregister(foreign: object) -> None:
    """Have llm itself forget a plugin, should some code have had it load its plugins."""
    manager: Any = sys.modules["llm.plugins"].pm
    if manager.is_registered(foreign):
        manager.unregister(foreign)
    told = manager._plugin_distinfo  # noqa: SLF001 - unregistering leaves it
    told[:] = [each for each in told if each[0] is not foreign]


def _shown(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
