"""What a plugin offers: the answers of its collecting hooks, asked for in load threads."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import attrs

from pegboard.errors import PluginLoadError
from pegboard.hooks import Implementation
from pegboard.plugins.collecting import tools_of_module
from pegboard.plugins.plugin import PluginContext
from pegboard.tools import EachTool

Threaded = Callable[[Callable[[], Any], str], Awaitable[Any]]
"""Runs code of the plugin in a load thread; also gets what it does, for messages."""


@attrs.frozen(eq=False)
class Offers:
    """Asks one loading plugin for what it offers.

    Attributes:
        plugin: its object.
        hooks: its implementations by hook.
        context: what they are called with.
        threaded: runs them.
    """

    plugin: object
    hooks: Mapping[str, list[Implementation]]
    context: PluginContext
    threaded: Threaded

    async def all(self) -> Mapping[str, list[Any]]:
        """By the name of a collecting hook, what its implementations give.

        Raises:
            PluginLoadError: one of them fails, or it has neither hooks nor tools.
        """
        given = {"pegboard_tools": await self._tools()}
        for hook in ("pegboard_guards", "pegboard_reserved_names", "pegboard_code_runtime"):
            given[hook] = await self._asked(hook)
        if not any(self.hooks.values()) and not given["pegboard_tools"][0]:
            cls = type(self.plugin)
            kind = "module" if issubclass(cls, ModuleType) else cls.__name__
            name = self.context.name
            raise PluginLoadError(f"{name!r} is a {kind} without hooks and without tools")
        return given

    async def tools(self) -> Mapping[str, list[Any]]:
        """The same with nothing but tools.

        Raises:
            PluginLoadError: a hook fails.
        """
        nothing: list[Any] = []
        return {
            "pegboard_tools": await self._tools(),
            "pegboard_guards": nothing,
            "pegboard_reserved_names": nothing,
            "pegboard_code_runtime": nothing,
        }

    async def _tools(self) -> list[Any]:
        if self.hooks["pegboard_tools"]:
            return await self._asked("pegboard_tools")
        what = f"the tools of {self.context.name!r}"
        return [await self.threaded(partial(tools_of_module, self.plugin), what)]

    async def _asked(self, hook: str) -> list[Any]:
        """What each implementation of a hook gives."""
        return [
            await self.threaded(
                partial(_exhausted, each.function, self.context), f"{hook} of {self.context.name!r}"
            )
            for each in self.hooks[hook]
        ]


def _exhausted(function: Callable[..., Any], context: PluginContext) -> Any:
    """What a hook gives, copied here, in the load thread: iterating may run code of the plugin."""
    given = function(context)
    if isinstance(given, EachTool):
        return given
    if isinstance(given, Mapping):
        return dict(given)
    is_many = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
    return list(given) if is_many else given
