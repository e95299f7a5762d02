"""A host for programs without async: owns plugins and layers, and hands out boards."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pegboard.blocking.board import Board
from pegboard.blocking.loop import BackgroundLoop
from pegboard.blocking.operated import OperatedHost
from pegboard.blocking.registering import ThreadsafeRegistration
from pegboard.blocking.seats import Seat
from pegboard.blocking.streams import Watching
from pegboard.config import Config
from pegboard.errors import HostClosedError, PegboardError
from pegboard.host import Host as AsyncHost
from pegboard.plugins import OnSync
from pegboard.registry import Registration
from pegboard.reports import PluginInfo, UnloadReport
from pegboard.selection import Selector
from pegboard.tools import Tool
from pegboard.values import JSON


class Host(OperatedHost):
    """A plugin host for the tools of agents, for any thread; its loop runs in one of its own.

    Each method does what the one of `pegboard.Host` does, and waits for it. Tools, hooks and guards
    that are async run on the loop, and so do hooks and guards that aren't.

    Args:
        config: a `Config`, or the path of a `pegboard.toml`; nothing is read unless it is named.
        discover: whether entering loads every installed plugin.
        file: where `config` came from, which `sync` reads again; `config` itself if it is a path.
    """

    def __init__(
        self,
        config: Config | str | Path | None = None,
        *,
        discover: bool = True,
        file: str | Path | None = None,
    ) -> None:
        self._host = AsyncHost(config, discover=discover, file=file)
        said = self._host.config
        self._loop = BackgroundLoop(
            partial(self._host.close, grace=0),
            grace=said.stop_grace,
            most_nested=said.max_nesting,
        )

    def open(self) -> Self:
        """Start the loop, and load the plugins that are configured and installed.

        Raises:
            PluginLoadError: a plugin that the configuration requires isn't there.
            HostClosedError: it was closed.
        """
        is_first = self._loop.start(self)
        try:
            self._loop.run(self._host.open)
        except BaseException:
            if is_first:
                self._loop.end()
            raise
        return self

    def close(self, *, grace: float = 10.0) -> list[UnloadReport]:
        """Close every board, unload every plugin, end the loop; a second time does nothing.

        In a process that was forked while the host was open it does nothing.

        Args:
            grace: seconds that running calls have before they are cancelled.

        Raises:
            PegboardError: something holds the loop up, such as a hook that waits; says where.
        """
        close = partial(self._host.close, grace=grace)
        if not self._loop.is_open:
            self._loop.join(close, grace=grace)
            return []
        try:
            return self._loop.close(close)
        except HostClosedError:
            return []  # somebody else has closed it meanwhile

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except PegboardError as fault:
            if error is None:
                raise
            error.add_note(f"the host could not be closed: {fault}")

    def load(
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
            BoardError: the board is closed, or one of another host.
        """
        where = self._twin(board)
        load = partial(self._host.load, what, name=name, board=where, settings=settings)
        return self._loop.run(load)

    def stamps(self) -> tuple[tuple[str, str], ...] | None:
        """The files on which what is shown depends, with their states (see `pegboard.cache`).

        None where it depends on more: a plugin that failed, boards, or what was loaded by hand.
        """
        return self._loop.call(self._host.stamps)

    def watch(self, config: str | Path | None = None, *, on_sync: OnSync | None = None) -> Watching:
        """Follow what changes on disk: `with host.watch() as reports`; `pegboard[watch]`.

        Args:
            config: the configuration file, which may come later; the host's own if None.
            on_sync: gets the reports in the place of who iterates, on the loop; what it raises
                ends this.

        Raises:
            PegboardError: on entering: watchfiles isn't installed.
        """
        self._loop.check_open()
        watch = partial(self._host.watch, config, on_sync=on_sync)
        return Watching(self._loop, self._loop.call(watch), self)

    def register(self, tool: Tool) -> Registration:
        """Put a tool on the global layer.

        Raises:
            CollisionError: the layer has a tool of that name.
            ReservedNameError: the name is reserved.
            InvalidToolError: the tool can't be offered.
        """
        return self._kept(lambda host: host.register(tool))

    def guard(self, guard: Callable[..., Any]) -> Registration:
        """Have `guard(execution)` asked before every call on every board, on the loop."""
        return self._kept(lambda host: host.guard(guard))

    def hook(self, **hooks: Callable[..., Any]) -> Registration:
        """Have functions called as hooks for the calls on every board, on the loop."""
        return self._kept(lambda host: host.hook(**hooks))

    def restrict(self, *, deny: Iterable[Selector]) -> Registration:
        """Hide tools on every board, own tools included: the switch for an emergency."""
        return self._kept(lambda host: host.restrict(deny=deny))

    def board(
        self,
        name: str | None = None,
        *,
        parent: Board | str | None = None,
        allow: Iterable[Selector] | None = None,
        deny: Iterable[Selector] | None = None,
        presentation: str | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
    ) -> Board:
        """Get a board or make it; also `with host.board(…) as board`.

        Args:
            name: the board's name; a fresh board if None.
            parent: a board or its name; what the configuration says if None.
            allow: selectors of the inherited tools that it sees; None for all.
            deny: selectors of those that it doesn't.
            presentation: how models are shown its tools: `native`: each of them; `code`: only
                `run_code`, whose programs call them; `both`. As its parent does it if None.
            deps: an object for tools and hooks.
            labels: text to JSON, for audit.

        Raises:
            UnknownNameError: the parent, or a board that the configuration doesn't know.
            BoardError: it exists, and was made with other options; the parent is one of another
                host; there is no such presentation; or its tools are for programs, and no plugin
                gives a code runtime.
        """
        ask = partial(
            self._host.board,
            name,
            parent=self._twin(parent),
            allow=None if allow is None else tuple(allow),
            deny=None if deny is None else tuple(deny),
            presentation=presentation,
            deps=deps,
            labels=None if labels is None else dict(labels),
        )
        board = self._loop.run(ask)
        seat = Seat(self._host, board, None if name is None else ask)
        return Board(seat, self._loop, self)

    def _kept(self, put: Callable[[AsyncHost], Registration]) -> Registration:
        """What was put on the host, to be taken back from any thread."""
        return self._loop.call(lambda: ThreadsafeRegistration(self._loop, put(self._host)))
