"""The host: owns plugins and layers, and hands out boards."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pegboard.board import Board, Engine
from pegboard.calls import Flights, Pipeline, RunningCall
from pegboard.config import Config
from pegboard.errors import HostClosedError
from pegboard.host.boards import BoardRequest, Boards, Options
from pegboard.host.notices import Notices
from pegboard.host.switches import switch_off, switch_off_configured
from pegboard.names import check_tool_name
from pegboard.plugins import Actions, Loader, Observers, OnSync, Problem, Watching
from pegboard.registry import (
    PROGRAM,
    Generation,
    Registration,
    Registry,
    Reservation,
    VisibleTools,
    exact_names,
)
from pegboard.reports import LockReport, PluginInfo, SyncReport, UnloadReport
from pegboard.selection import Selector
from pegboard.tools import Tool
from pegboard.values import JSON


class Host:
    """A plugin host for the tools of agents.

    Args:
        config: a `Config`, or the path of a `pegboard.toml`; nothing is read unless it is named.
        discover: whether entering loads every installed plugin.
    """

    def __init__(self, config: Config | str | Path | None = None, *, discover: bool = True) -> None:
        self._path = Path(config) if isinstance(config, (str, Path)) else None
        self._config = _read(config) or Config()
        self._discover = discover
        reserved = [
            Reservation(check_tool_name(name, owner="the configuration"), reason, None, place)
            for name, reason in self._config.reserved.items()
            for place in [self._config.place("reserved", name)]
        ]
        registry, flights = Registry(reserved), Flights()
        pipeline = Pipeline(self._config, flights)
        self._observers = Observers()
        self._loader = Loader(self._config, registry, pipeline, flights, self._observers)
        program = Generation(PROGRAM, limits=self._config.limits)
        tell = self._observers.event
        self._engine = Engine(
            registry, pipeline, flights, self._loader, program, self._config, tell=tell
        )
        pipeline.approvals.tell = lambda flight, event: tell(flight.scope, event)
        self._boards = Boards(self._config, self._engine)
        self._notices = Notices(self._engine, self._observers)
        self._is_open = False
        self._denied = switch_off_configured(self._engine, self._config)

    @property
    def config(self) -> Config:
        """What the operator decided."""
        return self._config

    @property
    def plugins(self) -> Mapping[str, PluginInfo]:
        """Every plugin that is known, by name."""
        return self._loader.infos

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What discovery couldn't read: distribution, path and reason."""
        return self._loader.discovery.problems

    @property
    def boards(self) -> Mapping[str, Board]:
        """The open boards by name."""
        return self._boards.open

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools of the global layer by name, in order."""
        return VisibleTools(self._engine.registry.root.view())

    @property
    def running(self) -> tuple[RunningCall, ...]:
        """Every call that has not ended, abandoned bodies included."""
        return self._engine.flights.listing()

    async def open(self) -> Self:
        """Load the built-in plugins that are configured, and the installed ones if this discovers.

        Raises:
            PluginLoadError: a plugin that the configuration requires isn't there.
        """
        if self._is_open:
            return self
        self._is_open = True
        self._observers.start()
        self._notices.start()
        try:
            await self._loader.open()
            if self._discover:
                await self._loader.opening.load_installed()
                await self._loader.save()
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self, *, grace: float = 10.0) -> list[UnloadReport]:
        """Close every board, unload every plugin; a second time does nothing."""
        if not self._is_open:
            return []
        closed = await self._boards.close(grace=grace)
        reports = [each for report in closed for each in report.unloaded]
        reports += await self._loader.close(grace=grace)
        self._notices.stop()
        await self._observers.stop(grace=self._config.stop_grace)
        await self._engine.pipeline.close()
        self._is_open = False
        return reports

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def load(
        self,
        what: object,
        *,
        name: str | None = None,
        board: Board | str | None = None,
        settings: Any = None,
    ) -> PluginInfo:
        """Load one plugin, all or nothing.

        Args:
            what: the name of an installed plugin, the path of a `.py` file, a module, or any
                object with hook implementations.
            name: its name on this host; the module's or type's name if None.
            board: the board, or its name, on whose layer everything of it stands; the global
                layer if None.
            settings: its settings: a table, or an instance of its settings class.

        Raises:
            PluginLoadError: it could not be loaded; it is listed as `failed`.
            UnknownNameError: no installed plugin has that name.
            BoardError: the board isn't open on this host.
        """
        self._check_open()
        if board is not None:
            where = await self.board(board) if isinstance(board, str) else self._boards.own(board)
            return await where.load(what, name=name, settings=settings)
        info = await self._loader.load(what, name=name, settings=settings)
        await self._loader.save()
        return info

    async def unload(self, name: str, *, grace: float = 10.0, force: bool = False) -> UnloadReport:
        """Take everything of a plugin back.

        Args:
            name: the plugin.
            grace: seconds that running calls have before they are cancelled.
            force: whether a required plugin goes too.

        Returns:
            what was drained, cancelled and left; it never claims more than is true.

        Raises:
            UnknownNameError: there is no such plugin; lists near names.
        """
        self._check_open()
        return await self._loader.unload(name, grace=grace, force=force)

    async def lock(self, *, write: bool = True) -> LockReport:
        """Accept what is loaded, and what boards have been given by plugins: write the lock file.

        The host must have been made with a configuration that names a lock file and says `accept`.

        Args:
            write: whether the file is written; else only what would change is told.

        Raises:
            PegboardError: this host doesn't accept changes, or the file can't be written.
        """
        self._check_open()
        return self._loader.lock(write=write, is_all=self._discover)

    async def reload(self, name: str, *, grace: float = 10.0) -> PluginInfo:
        """Exchange a plugin for its code on disk as it is now, all or nothing.

        The new code is tried in another process first. Then calls of the plugin wait until those
        that run have ended and the new code is there; no call runs code of both. Plugins of one
        distribution go together. Asked for inside a call of the plugin, this returns once the new
        code was tried, and the rest happens when that call has ended.

        Args:
            name: the plugin.
            grace: seconds that running calls have before they are cancelled.

        Raises:
            UnknownNameError: there is no such plugin; lists near names.
            PluginLoadError: it can't be reloaded, or its new code can't be loaded, and the old one
                goes on; `restart needed` says that only a new process can load it.
        """
        self._check_open()
        info = await self._loader.reload(name, grace=grace)
        await self._loader.save()
        return info

    async def sync(
        self, config: Config | str | Path | None = None, *, dry_run: bool = False
    ) -> SyncReport:
        """Follow what is installed and configured now; nothing that is unchanged is touched.

        Plugins that came are loaded, those that changed are reloaded, those that went are unloaded;
        a plugin that fails stops no other. A host that doesn't discover loads none that came. Of
        the configuration, limits and reserved names stay as they were on entering.

        Args:
            config: the configuration from now on; if None, the host's file is read again.
            dry_run: whether nothing happens, and what would is told.

        Raises:
            ConfigError: the file is broken, and nothing has changed.
            PegboardError: it can't be applied, and nothing has changed.
        """
        self._check_open()
        told = _read(self._path if config is None else config) or self._config
        self._loader.check(told)
        boards = self._boards.differing(told)
        self._engine.registry.check_unreserved(exact_names(told.deny))

        def apply() -> None:
            if told.deny != self._config.deny:
                before = self._denied
                self._denied = switch_off_configured(self._engine, told)
                if before is not None:
                    before.close()
            self._boards.configure(told)
            self._loader.configure(told)
            self._config = told
            if isinstance(config, (str, Path)):
                self._path = Path(config)

        syncing = self._loader.syncing
        syncing.discovers = self._discover
        report = await syncing.sync(told, boards=boards, apply=apply, dry_run=dry_run)
        await self._loader.save()
        return report

    def stamps(self) -> tuple[tuple[str, str], ...] | None:
        """The files on which what is shown depends, with their states (see `pegboard.cache`).

        None where it depends on more: a plugin that failed, boards, or what was loaded by hand.
        """
        return self._loader.states()

    def watch(self, config: str | Path | None = None, *, on_sync: OnSync | None = None) -> Watching:
        """Follow what changes on disk: `async with host.watch() as reports`; `pegboard[watch]`.

        Args:
            config: the configuration file, which may come later; the host's own if None.
            on_sync: gets the reports in the place of who iterates; what it raises ends this.

        Raises:
            PegboardError: on entering: watchfiles isn't installed.
        """
        self._check_open()
        path = self._path if config is None else Path(config)
        return Watching(self._loader, Actions(self.sync, self.reload), self.hook, path, on_sync)

    def register(self, tool: Tool) -> Registration:
        """Put a tool on the global layer.

        Raises:
            CollisionError: the layer has a tool of that name.
            ReservedNameError: the name is reserved.
            InvalidToolError: the tool can't be offered.
        """
        return self._engine.register(self._engine.registry.root, tool)

    def guard(self, guard: Callable[..., Any]) -> Registration:
        """Have `guard(execution)` asked before every call on every board."""
        return self._engine.guard(self._engine.registry.root, guard)

    def hook(self, **hooks: Callable[..., Any]) -> Registration:
        """Have functions called as hooks for the calls on every board: `call_finished=f`."""
        return self._engine.hook(self._engine.registry.root, hooks)

    def restrict(self, *, deny: Iterable[Selector]) -> Registration:
        """Hide tools on every board, own tools included: the switch for an emergency."""
        return switch_off(self._engine, tuple(deny), "the host")

    def board(
        self,
        name: str | None = None,
        *,
        parent: Board | str | None = None,
        allow: Iterable[Selector] | None = None,
        deny: Iterable[Selector] | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
    ) -> BoardRequest:
        """Get a board or make it: await this, or use it in `async with`.

        Args:
            name: the board's name; a fresh board if None.
            parent: a board or its name; what the configuration says if None.
            allow: selectors of the inherited tools that it sees; None for all.
            deny: selectors of those that it doesn't.
            deps: an object for tools and hooks.
            labels: text to JSON, for audit.

        Raises:
            UnknownNameError: the parent, or a board that the configuration doesn't know.
            BoardError: it exists, and was made with other options.
        """
        options = Options(
            parent,
            None if allow is None else tuple(allow),
            None if deny is None else tuple(deny),
            deps,
            None if labels is None else dict(labels),
        )
        return self._boards.request(name, options, self._check_open)

    def _check_open(self) -> None:
        if not self._is_open:
            raise HostClosedError("the host isn't open; use `async with Host(…) as host`")


def _read(config: Config | str | Path | None) -> Config | None:
    if not isinstance(config, (str, Path)):
        return config
    from pegboard.configuration import read_config  # late: a tenth of the start, for files only

    return read_config(Path(config))
