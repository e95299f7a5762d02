"""What is still alive of a plugin after it was unloaded: threads, tasks and objects."""

import asyncio
import gc
import sys
import threading
from collections.abc import Iterator, Mapping
from types import FrameType, FunctionType, ModuleType
from typing import Any
from weakref import WeakSet, ref

import attrs

from pegboard.plugins.holding import left_on
from pegboard.plugins.loads import Loaded
from pegboard.plugins.modules import Ground, owned
from pegboard.plugins.unasked import is_extension, module_of, vars_of

_RUNNERS = frozenset({"threading", "concurrent.futures.thread", "multiprocessing.pool"})
_SHOWN = 5
_PAUSES = (0.005, 0.02, 0.05)
"""Seconds for threads to let go of what they have just done."""


@attrs.frozen(eq=False)
class Code:
    """The modules whose code is a plugin's own.

    Attributes:
        names: their names.
        since: the threads that were there before it; None where the modules are its alone.
    """

    names: frozenset[str]
    since: "WeakSet[threading.Thread] | None" = None

    def threads(self) -> Iterator[threading.Thread]:
        """The living threads that the plugin started itself."""
        frames: dict[int, FrameType] = sys._current_frames()  # noqa: SLF001 - no other way
        for thread in threading.enumerate():
            is_older = self.since is not None and thread in self.since
            if not is_older and not self.names.isdisjoint(_modules_of(thread, frames)):
                yield thread

    def tasks(self) -> Iterator["asyncio.Task[Any]"]:
        """The tasks that run a coroutine of its own modules, where they are its alone."""
        if self.since is not None:
            return
        for task in asyncio.all_tasks():
            frame = getattr(task.get_coro(), "cr_frame", None)
            if frame is not None and _name_of(frame) in self.names:
                yield task


def code_of(loaded: Loaded) -> Code:
    """Whose code is a loaded plugin's own."""
    source = loaded.plan.source
    if source.given is None:
        own = loaded.ground if source.adapter is None else source.own_ground
        return Code(frozenset(owned(own)))
    return Code(frozenset(_modules_of_hooks(source.given)), loaded.plan.leaks.before)


def _modules_of_hooks(plugin: object) -> Iterator[str]:
    """The modules in which the hook implementations of an object were written."""
    kind: Any = plugin if issubclass(type(plugin), type) else type(plugin)
    for each in type.__getattribute__(kind, "__mro__"):
        for key, value in type.__getattribute__(each, "__dict__").items():
            if key.startswith("pegboard_"):
                yield module_of(value)


def _modules_of(thread: threading.Thread, frames: Mapping[int, FrameType]) -> set[str]:
    """The modules of what a thread was started to do."""
    started = (getattr(thread, "_target", None), getattr(thread, "function", None))
    names = {type(thread).__module__, *map(module_of, started)}
    frame = frames.get(thread.ident or 0)
    outermost = None
    while frame is not None:
        if _name_of(frame) not in _RUNNERS:
            outermost = frame
        frame = frame.f_back
    return names | ({_name_of(outermost)} if outermost is not None else set())


def _name_of(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name if type(name) is str else ""


class Leftovers:
    """The threads and tasks that plugins of one host have left alive, by the plugins' names."""

    def __init__(self) -> None:
        self._threads: dict[str, WeakSet[threading.Thread]] = {}

    def of(self, name: str, code: Code) -> tuple[str, ...]:
        """What is alive of a plugin, in words; what was left by its earlier loads counts too."""
        threads = {each for each in self._threads.pop(name, ()) if each.is_alive()}
        threads.update(code.threads())
        if threads:
            self._threads[name] = WeakSet(threads)
        return (
            *sorted(f"thread {each.name}" for each in threads),
            *sorted(f"task {each.get_coro()!r:.120}" for each in code.tasks()),
        )


@attrs.frozen(eq=False)
class Remains:
    """What lives of modules that are gone: functions, classes, and extension modules themselves."""

    _held: "tuple[tuple[str, ref[Any]], ...]" = ()

    @classmethod
    def of(cls, modules: Mapping[str, ModuleType]) -> "Remains":
        """What must not outlive these modules."""
        found: dict[int, tuple[str, ref[Any]]] = {}
        for name, module in modules.items():
            own = vars_of(module)
            if is_extension(module):
                found[id(module)] = (name, ref(module))
            for key, value in list(own.items()):
                is_code = issubclass(type(value), (FunctionType, type))
                if is_code and module_of(value) == name:
                    found.setdefault(id(value), (f"{name}.{key}", ref(value)))
        return cls(tuple(found.values()))

    async def alive(self) -> tuple[str, ...]:
        """Those that are still held, counted and named, in one line; empty if there are none."""
        names = self._names()
        for pause in _PAUSES if names else ():
            await asyncio.sleep(pause)
            names = self._names() if names else names
        if not names:
            return ()
        more = ", …" if len(names) > _SHOWN else ""
        return (f"{len(names)} objects still held: {', '.join(names[:_SHOWN])}{more}",)

    def _names(self) -> list[str]:
        if self._held:
            gc.collect()
        return [name for name, held in self._held if held() is not None]


def remains_of(loaded: Loaded) -> Remains:
    """What must not outlive a plugin whose modules the host itself has imported."""
    source, holding = loaded.plan.source, loaded.holding
    taken, holding.taken = holding.taken, {}
    modules = {name: taken[name] for name in taken if name not in holding.earlier}
    is_imported = source.found is not None or source.location is not None
    return Remains.of(modules if is_imported else {})


def alive_modules(ground: Ground) -> tuple[str, ...]:
    """The modules of a plugin that are imported all the same, and belong to no other, in words."""
    return tuple(f"module {name}" for name in left_on(ground))
