"""Plugins that the catalogue knows: shown at once, imported by the first call of a tool."""

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Any

import attrs

from pegboard.calls import Parking, Pipeline
from pegboard.config import Config
from pegboard.errors import PegboardError, PluginLoadError
from pegboard.plugins.attempts import Attempts
from pegboard.plugins.catalogue.record import Record, placeholder
from pegboard.plugins.discovery import Discovery, Found
from pegboard.plugins.loads import Instead
from pegboard.plugins.marks import Tried, mark_of
from pegboard.plugins.sources import Source, info_of, installed
from pegboard.plugins.trust import told_of_tools
from pegboard.registry import Contributions, Entry, Generation, Owner, tool_entry
from pegboard.reports import PluginInfo, RefusedTool

_log = logging.getLogger("pegboard.plugins")


@attrs.define(eq=False)
class Deferred:
    """A plugin that isn't imported yet.

    Attributes:
        found: the entry point that names it.
        record: what the catalogue holds of it.
        instead: what stands for it on the global layer.
        waking: gives what is known of it once it is imported.
    """

    found: Found
    record: Record
    instead: Instead
    waking: "asyncio.Task[PluginInfo] | None" = None

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.found.name


class Deferrals(Mapping[str, Deferred]):
    """The plugins of one host that are not imported yet, by name.

    Attributes:
        config: what the operator decided.
    """

    def __init__(  # noqa: PLR0917 - the parts of one host
        self,
        config: Config,
        pipeline: Pipeline,
        attempts: Attempts,
        find: Callable[[], Discovery],
        tasks: set[asyncio.Task[Any]],
        save: Callable[[], Awaitable[None]],
    ) -> None:
        self.config = config
        self._save = save
        self._registry = attempts.registry
        self._pipeline = pipeline
        self._attempts = attempts
        self._find = find
        self._tasks = tasks
        self._by_name: dict[str, Deferred] = {}
        self._context = contextvars.copy_context()

    def __getitem__(self, name: str) -> Deferred:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def open(self) -> None:
        """Import plugins in the context of who opens the host, whoever calls their tools."""
        self._context = contextvars.copy_context()

    def defer(self, found: Found, record: Record | None) -> bool:
        """Show what the catalogue holds of a plugin; False where it has to be imported for that.

        Where there is a lock file, it has to: what is shown must be what was accepted. A plugin
        that has nothing to offer is shown so where its adapter has said it.

        Args:
            found: the plugin.
            record: what the catalogue holds, if that is still right.
        """
        name, config = found.name, self.config
        is_wanted = name in config.required or config.plugin(name).eager
        if is_wanted or config.lock is not None or record is None:
            return False
        is_empty = found.adapter is not None and record.offers_nothing
        if not (record.is_deferrable or is_empty):
            return False
        try:
            deferred = self._put(found, record)
        except PegboardError as error:
            _log.info("%s can't be shown without importing it: %s", name, error)
            return False
        self._by_name[name] = deferred
        self._pipeline.parkings.defer(deferred.instead.generation, partial(self.wake, name))
        return True

    def _put(self, found: Found, record: Record) -> Deferred:
        name, scope = found.name, self._registry.root
        owner = Owner(name, found.distribution, found.version)
        generation = Generation(owner, limits=self.config.limits)
        left_out = (RefusedTool(each, name, why) for each, why in record.refused.items())
        given = Contributions(tuple(self._entries(record, generation)), refused=tuple(left_out))
        registration = self._registry.put(scope, given)
        self._attempts.tried[name] = Tried(name, record.mark, self.config.plugin(name))
        info = attrs.evolve(info_of(found), state="deferred", **told_of_tools(given))
        self._attempts.states.note(info, scope)
        return Deferred(found, record, Instead(generation, registration))

    def _entries(self, record: Record, generation: Generation) -> Iterator[Entry]:
        layer = self._registry.root.layer.name
        for each in record.tools:
            tool = placeholder(each, plugin=generation.owner.plugin or "")
            yield tool_entry(tool, generation, config=self.config, layer=layer, name=each["shown"])

    def wake(self, name: str) -> "asyncio.Task[PluginInfo]":
        """Import a plugin, in a task of the host; calls of its tools wait from now on."""
        deferred = self._by_name[name]
        if deferred.waking is None:
            parking = self._pipeline.parkings.begin([deferred.instead.generation])
            work = self._woken(deferred, parking)
            task = asyncio.get_running_loop().create_task(work, context=self._context.copy())
            deferred.waking = task
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        return deferred.waking

    def _ended(self, task: "asyncio.Task[PluginInfo]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits has it; nobody may

    async def _woken(self, deferred: Deferred, parking: Parking) -> PluginInfo:
        name = deferred.name
        try:
            source = self._source(deferred)
            async with AsyncExitStack() as locks:
                for key in (source.key, name):
                    await locks.enter_async_context(self._attempts.lock(key))
                if self._by_name.get(name) is not deferred:
                    raise PluginLoadError(f"plugin {name!r} is unloaded")
                root, instead = self._registry.root, deferred.instead
                return await self._attempts.load(name, source, root, None, instead=instead)
        except BaseException as error:
            parking.lost = f"its plugin {name!r} could not be loaded"
            if isinstance(error, PegboardError):
                _log.warning("%s", error)
            raise
        finally:
            self._take_back(deferred)
            self._pipeline.unpark(parking)
            await self._save()

    def _source(self, deferred: Deferred) -> Source:
        """Where the plugin comes from now.

        Raises:
            PluginLoadError: it isn't installed any more.
        """
        found = deferred.found
        mark = None
        with suppress(OSError):
            mark = mark_of(found)
        if mark != deferred.record.mark:
            now = self._find().found.get(deferred.name)
            if now is None:
                gone = attrs.evolve(info_of(found), state="failed", error="it isn't installed")
                self._attempts.states.note(gone, self._registry.root)
                raise PluginLoadError(f"plugin {deferred.name!r} isn't installed any more")
            found = now
        return self._attempts.trust.sealed(installed(found), None)

    def drop(self, name: str) -> bool:
        """Take back what stands for a plugin; whether anything did."""
        deferred = self._by_name.get(name)
        if deferred is not None:
            self._take_back(deferred)
        return deferred is not None

    def _take_back(self, deferred: Deferred) -> None:
        if self._by_name.get(deferred.name) is deferred:
            del self._by_name[deferred.name]
        self._pipeline.parkings.woken(deferred.instead.generation)
        deferred.instead.registration.close()
        self._registry.forget_stale()
