"""Toolboxes: made when they are first needed, each living in one thread."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import attrs
import llm

from pegboard_llm.lane import Lane
from pegboard_llm.options import arguments_of, has_secrets
from pegboard_llm.registered import Registered

_TELLING = ("prepare", "prepare_async", "tools")
_PAUSE = 0.002
"""Seconds between two looks whether a thread has ended."""


@attrs.define(eq=False)
class Box:
    """One toolbox of a plugin, for one load.

    Attributes:
        kind: its class.
        make: makes it, unless it is made already.
        lane: the thread in which it lives.
        is_given: whether it was made by the plugin itself.
        has_secrets: whether it is made with secrets, which what it raises might tell.
    """

    kind: type[llm.Toolbox]
    make: Callable[[], llm.Toolbox]
    lane: Lane
    is_given: bool = False
    has_secrets: bool = False
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
        await self.call(self._prepared)
        told: list[llm.Tool] = await self.call(lambda made: list(made.tools()))
        return told

    async def call(self, function: Callable[[llm.Toolbox], Any]) -> Any:
        """What a function gives of it, or the coroutine of a function, in its own thread."""
        return await self.lane.submit(lambda: function(self._made())).ended()

    def _made(self) -> llm.Toolbox:
        if self._ready is None:
            with self._discretion():
                made = self.make()
                made.prepare()  # type: ignore[no-untyped-call]
            self._ready = made
        return self._ready

    async def _prepared(self, made: llm.Toolbox) -> None:
        with self._discretion():
            await made.prepare_async()  # type: ignore[no-untyped-call]

    @contextmanager
    def _discretion(self) -> Iterator[None]:
        """Let no text of an error get out that may hold a secret."""
        try:
            yield
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            if not self.has_secrets:
                raise
            kind = type(error).__name__
            told = f"it raised {kind}; its text may hold a secret of its table, and isn't told"
            raise RuntimeError(told) from None

    def methods(self) -> Iterator[str]:
        """The names of the methods that are its tools."""
        for name in dir(self.kind):
            is_own = not name.startswith("_") and not hasattr(llm.Toolbox, name)
            if is_own and callable(getattr(self.kind, name)):
                yield name

    async def close(self) -> None:
        """Let it go, in its own thread, and end that; waits for it unless a call holds it."""
        self.lane.close(partial(setattr, self, "_ready", None))
        while self.lane.is_ending:  # noqa: ASYNC110 - a thread that ends sets no event
            await asyncio.sleep(_PAUSE)


def box_of(kind: type[llm.Toolbox], registered: Registered, options: Any) -> Box:
    """The box of a toolbox that is registered, made with its options."""
    what, arguments = registered.what, arguments_of(options)
    lane = Lane(f"pegboard-llm-{registered.label}", module=kind.__module__)
    if registered.is_made:
        return Box(kind, lambda: what, lane, is_given=True)
    return Box(kind, lambda: kind(**arguments), lane, has_secrets=has_secrets(options))
