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

from pegboard_llm.boxes import Box, box_of
from pegboard_llm.options import arguments_of, required_of, settings_class
from pegboard_llm.registered import Registered, registered_by
from pegboard_llm.tools import method_of, tool_of


def plugin_of(foreign: object) -> object | None:
    """The pegboard plugin that an imported llm plugin is; None where it has no hook for tools."""
    registered = registered_by(foreign)
    if registered is None:
        return None
    return LlmPlugin(foreign, tuple(registered))


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


@attrs.frozen(eq=False)
class LlmPlugin:
    """What pegboard asks of an llm plugin.

    Attributes:
        foreign: the llm plugin.
        registered: what it has registered.
    """

    foreign: object
    registered: tuple[Registered, ...]

    @property
    def kinds(self) -> Mapping[str, type[llm.Toolbox]]:
        """The classes of its toolboxes by name."""
        found = {each.label: each.toolbox for each in self.registered}
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
        try:
            for each in self.registered:
                await self._open(each, living, plugin)
            yield living
        finally:
            for box in living.boxes.values():
                box.close()
            _unregister(self.foreign)

    async def _open(self, each: Registered, living: Living, plugin: PluginContext) -> None:
        kind, name = each.toolbox, each.label
        if kind is None or name in living.boxes:
            return
        options = getattr(plugin.settings, name, None)
        missing = [] if options is not None or each.is_made else required_of(kind)
        if missing:
            where = f"[plugins.{plugin.name}.{name}]"
            living.refused[name] = (
                f"it needs {', '.join(missing)}; give that in {where} of the configuration"
            )
            return
        box = box_of(each, arguments_of(options))
        living.boxes[name] = box
        if box.has_more:
            try:
                living.told[name] = await box.prepare()
            except Exception as error:  # noqa: BLE001 - code of the plugin; it costs this toolbox
                living.refused[name] = f"it can't be made: {_shown(error)}"

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> EachTool:
        """Its tools, each standing by itself."""
        living: Living = plugin.resource
        tools, refused = [], dict(living.refused)
        for each in self.registered:
            for name, make in _makers(each, living):
                try:
                    tools.append(make())
                except Exception as error:  # noqa: BLE001 - it describes code of the plugin
                    refused[name] = f"it can't be described: {_shown(error)}"
        return EachTool(tools, refused)


def _makers(each: Registered, living: Living) -> Iterator[tuple[str, Callable[[], Tool]]]:
    """What makes each tool of one thing that is registered, with the name it will have."""
    loop, box = living.loop, living.boxes.get(each.label)
    if each.toolbox is None:
        yield each.label, lambda: tool_of(_described(each), loop=loop)
    elif box is not None and each.label in living.told:
        for found in living.told[each.label]:
            yield found.name, partial(tool_of, found, loop=loop, box=box)
    elif box is not None and each.label not in living.refused:
        for method in box.methods():
            yield f"{box.kind.__name__}_{method}", partial(method_of, box, method, loop=loop)


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


def _shown(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
