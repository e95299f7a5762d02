"""A host without async as its operator sees it: what is there, what runs, what is to change."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from pegboard.blocking.board import Board, host_of, twin_of
from pegboard.blocking.loop import BackgroundLoop
from pegboard.blocking.seats import Seat
from pegboard.board import Board as AsyncBoard
from pegboard.config import Config
from pegboard.errors import BoardError
from pegboard.host import Host as AsyncHost
from pegboard.plugins import Problem
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


class OperatedHost:
    """What operators see of a host, and may change on it while it runs, from any thread."""

    _host: AsyncHost
    _loop: BackgroundLoop

    @property
    def config(self) -> Config:
        """What the operator decided."""
        return self._host.config

    @property
    def plugins(self) -> Mapping[str, PluginInfo]:
        """Every plugin that is known, by name, as it is now."""
        return self._loop.call(lambda: MappingProxyType(dict(self._host.plugins)))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What discovery couldn't read: distribution, path and reason."""
        return self._loop.call(lambda: self._host.problems)

    @property
    def boards(self) -> Mapping[str, Board]:
        """The boards that are open now, by name."""
        return self._loop.call(
            lambda: MappingProxyType(
                {name: self._seated(each) for name, each in self._host.boards.items()}
            )
        )

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools of the global layer by name, in order, as they are now."""
        return self._loop.call(lambda: self._host.tools)

    @property
    def running(self) -> tuple[RunningCall, ...]:
        """Every call that has not ended, abandoned bodies included."""
        return self._loop.call(lambda: self._host.running)

    @property
    def is_ready(self) -> bool:
        """Whether calls are taken: it is open, not ending, and every required plugin is there."""
        return self._loop.call(lambda: self._host.is_ready)

    def status(self) -> HostStatus:
        """How the host is now, in figures."""
        return self._loop.call(self._host.status)

    def unload(
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
        unload = partial(self._host.unload, name, grace=grace, force=force, block=block)
        return self._loop.run(unload)

    def lock(self, *, write: bool = True) -> LockReport:
        """Accept what is loaded, and what boards have been given by plugins: write the lock file.

        The host must have been made with a configuration that names a lock file and says `accept`.

        Args:
            write: whether the file is written; else only what would change is told.

        Raises:
            PegboardError: this host doesn't accept changes, or the file can't be written.
        """
        return self._loop.run(lambda: self._host.lock(write=write))

    def reload(self, name: str, *, grace: float = 10.0) -> PluginInfo:
        """Exchange a plugin for its code on disk as it is now, all or nothing.

        Args:
            name: the plugin.
            grace: seconds that running calls have before they are cancelled.

        Raises:
            UnknownNameError: there is no such plugin; lists near names.
            PluginLoadError: it can't be reloaded, or its new code can't be loaded, and the old one
                goes on; `restart needed` says that only a new process can load it.
        """
        return self._loop.run(lambda: self._host.reload(name, grace=grace))

    def sync(
        self, config: Config | str | Path | None = None, *, dry_run: bool = False
    ) -> SyncReport:
        """Follow what is installed and configured now; nothing that is unchanged is touched.

        Args:
            config: the configuration from now on; if None, the host's file is read again.
            dry_run: whether nothing happens, and what would is told.

        Raises:
            ConfigError: the file is broken, and nothing has changed.
            PegboardError: it can't be applied, and nothing has changed.
        """
        return self._loop.run(lambda: self._host.sync(config, dry_run=dry_run))

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
        where = self._twin(board)
        deny = partial(self._host.deny, *selectors, board=where, keep=keep, pending=pending)
        return self._loop.call(deny)

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
        return self._loop.call(partial(self._host.allow, *selectors, board=self._twin(board)))

    def cancel(
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
        where = self._twin(board)
        return self._loop.run(partial(self._host.cancel, reason, board=where, call_id=call_id))

    def drain(self, *, grace: float | None = None) -> DrainReport:
        """Take no more calls, and wait for those that run; to be followed by `close`.

        Args:
            grace: seconds that they have before they are cancelled; `close_grace` if None.
        """
        return self._loop.run(partial(self._host.drain, grace=grace))

    def _twin(self, board: Board | str | None) -> AsyncBoard | str | None:
        """What the host itself knows a board by."""
        if not isinstance(board, Board):
            return board
        if host_of(board) is not self:
            raise BoardError(f"board {board.name!r} is one of another host; give one of this host")
        return twin_of(board)

    def _seated(self, board: AsyncBoard) -> Board:
        return Board(Seat(self._host, board, None), self._loop, self)
