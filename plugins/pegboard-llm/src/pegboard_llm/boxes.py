"""Toolboxes: made when they are first needed, each living in one thread."""

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import attrs
import llm

from pegboard_llm.lane import Lane
from pegboard_llm.registered import Registered

T = TypeVar("T")
_TELLING = ("prepare", "prepare_async", "tools")


@attrs.define(eq=False)
class Box:
    """One toolbox of a plugin, for one load.

    Attributes:
        kind: its class.
        make: makes it, unless it is made already.
        lane: the thread in which it lives.
        is_given: whether it was made by the plugin itself.
    """

    kind: type[llm.Toolbox]
    make: Callable[[], llm.Toolbox]
    lane: Lane
    is_given: bool = False
    _ready: llm.Toolbox | None = None

    @property
    def has_more(self) -> bool:
        """Whether only the toolbox itself can tell what its tools are."""
        has_own = any(getattr(self.kind, name) != getattr(llm.Toolbox, name) for name in _TELLING)
        made_by = inspect.unwrap(self.kind.__init__)
        names = getattr(getattr(made_by, "__code__", None), "co_names", ())
        return self.is_given or has_own or "add_tool" in names

    async def prepare(self) -> list[llm.Tool]:
        """Its tools, once it is made and prepared."""
        made = await self.awaited()
        await made.prepare_async()  # type: ignore[no-untyped-call]
        return await asyncio.wrap_future(self.lane.submit(lambda: list(made.tools())))

    async def awaited(self) -> llm.Toolbox:
        """It itself, made and prepared in its own thread."""
        return await asyncio.wrap_future(self.lane.submit(self._made))

    def call(self, function: Callable[[llm.Toolbox], T]) -> T:
        """What a function gives of it, in its own thread; waits for that."""
        return self.lane.submit(lambda: function(self._made())).result()

    def _made(self) -> llm.Toolbox:
        if self._ready is None:
            made = self.make()
            made.prepare()  # type: ignore[no-untyped-call]
            self._ready = made
        return self._ready

    def methods(self) -> Iterator[str]:
        """The names of the methods that are its tools."""
        for name in dir(self.kind):
            is_own = not name.startswith("_") and not hasattr(llm.Toolbox, name)
            if is_own and callable(getattr(self.kind, name)):
                yield name

    def close(self) -> None:
        """Let it go, in its own thread, and end that."""
        self.lane.close(partial(setattr, self, "_ready", None))


def box_of(registered: Registered, arguments: Mapping[str, Any]) -> Box:
    """The box of a toolbox that is registered, made with some arguments."""
    what, kind = registered.what, registered.toolbox
    if kind is None:
        raise TypeError(f"{registered.label!r} is no toolbox")
    lane = Lane(f"pegboard-llm-{registered.label}")
    if registered.is_made:
        return Box(kind, lambda: what, lane, is_given=True)
    return Box(kind, lambda: kind(**arguments), lane)
