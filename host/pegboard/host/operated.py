"""A host as its operator sees it: what is there, what runs, and what is to change."""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

from pegboard.board import Board, Engine, check_grace
from pegboard.calls import Flights, Pipeline
from pegboard.config import Config
from pegboard.errors import HostClosedError, UnknownNameError, WrongArgumentError
from pegboard.host.boards import Boards
from pegboard.host.closing import Closing
from pegboard.host.live import Live, named_file, read, read_aside, reservations
from pegboard.host.notices import Notices
from pegboard.host.operators import Operators
from pegboard.host.state import StateFile
from pegboard.host.switches import switch_off_configured
from pegboard.plugins import Coming, Loader, Observers, Problem, check_blockable
from pegboard.registry import PROGRAM, Generation, Registry, VisibleTools
from pegboard.reports import (
    DrainReport,
    HostStatus,
    LockReport,
    PluginInfo,
    RunningCall,
    SyncReport,
    UnloadReport,
)
from pegboard.selection import Selector
from pegboard.tools import Tool


class Control(Protocol):
    """What lets operators reach a host from other processes."""

    async def close(self) -> None:
        """Let nobody in any more."""


class OperatedHost:
    """What operators see of a host, and may change on it while it runs."""

    def __init__(
        self,
        config: Config | str | Path | None = None,
        *,
        discover: bool = True,
        file: str | Path | None = None,
    ) -> None:
        named = config if isinstance(config, (str, Path)) else file
        self._path = named_file(named)
        told = read(config) or Config()
        self._state = StateFile.read(told.state)
        self._config = self._state.state.over(told)
        self._discover = discover
        registry, flights = Registry(reservations(told)), Flights()
        pipeline = Pipeline(self._config, flights)
        self._observers = Observers()
        self._loader = Loader(self._config, registry, pipeline, flights, self._observers)
        program = Generation(PROGRAM, limits=told.limits)
        tell = self._observers.event
        self._engine = Engine(
            registry, pipeline, flights, self._loader, program, self._config, tell=tell
        )
        pipeline.approvals.tell = lambda flight, event: tell(flight.scope, event)
        self._boards = Boards(self._config, self._engine)
        self._loader.condition.boards = self._boards.open
        self._notices = Notices(self._engine, self._observers)
        self._is_open = False
        self._closing: Closing | None = None
        known = self._loader.upgrades.infos
        self._operators = Operators(self._engine, self._boards, self._state, known)
        self._live = Live(
            self._engine,
            self._boards,
            told,
            switch_off_configured(self._engine, told),
            self._loader.require,
            self._operators.names,
        )
        self._operators.restore()
        self._deciding: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._control: Control | None = None

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

    @property
    def is_ready(self) -> bool:
        """Whether calls are taken: it is open, not ending, and every required plugin is there."""
        return self._loader.condition.is_ready

    def status(self) -> HostStatus:
        """How the host is now, in figures."""
        return self._loader.condition.status()

    async def unload(
        self, name: str, *, grace: float = 10.0, force: bool = False, block: bool = False
    ) -> UnloadReport:
        """Take everything of a plugin back.

        Args:
            name: the plugin.
            grace: seconds that running calls have before they are cancelled.
            force: whether a required plugin goes too.
            block: whether it stays away until somebody loads it by its name, also when the host is
                started again; the configuration says in which file that is kept.

        Returns:
            what was drained, cancelled and left; it never claims more than is true.

        Raises:
            UnknownNameError: there is no such plugin; lists near names.
            PegboardError: it can't be blocked, and nothing has changed.
        """
        self._check_open()
        if block:
            async with self._decision(name):
                self._block(name)
        return await self._loader.unload(name, grace=grace, force=force)

    def _block(self, name: str) -> None:
        if name not in self.plugins:
            raise UnknownNameError("plugin", name, self.plugins)
        check_blockable(name, self._config)
        self._state.block(name)
        self._obey()

    def _decision(self, name: str) -> asyncio.Lock:
        """What is held while somebody decides whether a plugin is blocked."""
        return self._deciding.setdefault(name, asyncio.Lock())

    def _obey(self) -> None:
        """Follow the configuration and what operators have decided since."""
        self._config = self._state.state.over(self._live.told)
        self._loader.configure(self._config)

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
        a plugin that fails stops no other. A host that doesn't discover loads none that came. What
        another configuration says holds for all boards in one step; the report tells of each key
        that differs, and which of them hold at the next start only.

        Args:
            config: the configuration from now on; if None, the host's file is read again.
            dry_run: whether nothing happens, and what would is told.

        Raises:
            ConfigError: the file is broken, and nothing has changed.
            PegboardError: it can't be applied, and nothing has changed.
        """
        self._check_open()
        syncing = self._loader.syncing
        syncing.discovers = self._discover
        report = await syncing.sync(partial(self._coming, config), dry_run=dry_run)
        await self._loader.save()
        return report

    async def _coming(self, given: Config | str | Path | None) -> Coming:
        """What is configured now, and what has this host follow it."""
        named = self._path if given is None else given
        before = self._live.told
        told = await read_aside(named, before, limit=self._config.load_timeout) or before
        self._check_open()
        config = self._state.state.over(told)
        obey = partial(self._follow, given)
        return Coming(config, partial(self._live.check, told, config=config, obey=obey))

    def _follow(self, given: Config | str | Path | None) -> None:
        if isinstance(given, (str, Path)):
            self._path = Path(given)
        self._obey()

    def deny(
        self,
        *selectors: Selector,
        board: Board | str | None = None,
        keep: bool = False,
        pending: bool = False,
    ) -> tuple[str, ...]:
        """Hide tools until `allow` takes that back: on every board, own tools included, or on one.

        Args:
            selectors: exact names, patterns, or `Select(…)`.
            board: the board, or its name, where what is inherited is hidden; None for all.
            keep: whether that holds when the host is started again; the configuration says in
                which file that is kept.
            pending: whether exact names may name tools that aren't there yet.

        Returns:
            which of these tools stay visible, and why, such as those that the board itself owns.

        Raises:
            UnknownNameError: there is no such tool, plugin or board; lists near names.
            PegboardError: it can't be so, and nothing is hidden.
        """
        self._check_open()
        where = self._operated(board)
        return self._operators.deny(selectors, board=where, is_kept=keep, is_pending=pending)

    def allow(self, *selectors: Selector, board: Board | str | None = None) -> tuple[str, ...]:
        """Take back what `deny` has hidden; on a board, else lift its own masks for these tools.

        Args:
            selectors: as `deny` had them.
            board: the board, or its name; None for what was denied on all.

        Returns:
            which of these tools stay hidden, and by whom.

        Raises:
            UnknownNameError: there is no such board.
            RestrictionError: there is nothing to take back or to lift; says who hides it.
        """
        self._check_open()
        return self._operators.allow(selectors, board=self._operated(board))

    def _operated(self, board: Board | str | None) -> Board | None:
        if board is None or isinstance(board, Board):
            return board if board is None else self._boards.own(board)
        if board not in self.boards:
            raise UnknownNameError("board", board, self.boards)
        return self.boards[board]

    async def cancel(
        self,
        reason: str = "cancelled",
        *,
        board: Board | str | None = None,
        call_id: str | None = None,
    ) -> int:
        """Stop what runs on one board and its children, or the calls of one id; each has its end.

        Args:
            reason: what models read.
            board: the board, or its name.
            call_id: the id of calls, on that board or on any.

        Returns:
            how many calls were stopped.

        Raises:
            UnknownNameError: there is no such board, or no such call runs.
            WrongArgumentError: neither is given.
        """
        self._check_open()
        name = board.name if isinstance(board, Board) else board
        if call_id is not None:
            return await self._engine.cancel_calls(call_id, name, reason)
        if name is None:
            raise WrongArgumentError("say what to cancel: the calls of a board, or those of an id")
        found = self._engine.running_below(name)
        if not found:
            self._operated(name)
        on = {one for each in found for one in each.scope.ancestry if one.name == name}
        for scope in on:
            await self._engine.cancel(scope, reason)
        return len(found)

    async def drain(self, *, grace: float | None = None) -> DrainReport:
        """Take no more calls, and wait for those that run; to be followed by `close`.

        Calls that are made inside one that runs still run. Each call has its outcome.

        Args:
            grace: seconds that they have before they are cancelled; `close_grace` if None. Asked
                for once more meanwhile, the shortest holds.

        Raises:
            WrongArgumentError: it is no number of seconds.
        """
        self._check_open()
        limit = self._config.close_grace if grace is None else check_grace(grace)
        return await self._engine.drain_all("the host is shutting down", limit)

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

    def _check_open(self) -> None:
        if not self._is_open:
            raise HostClosedError("the host isn't open; use `async with Host(…) as host`")
