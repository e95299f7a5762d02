"""The host: owns plugins and layers, and hands out boards."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pegboard.board import Board, check_grace
from pegboard.errors import PegboardError
from pegboard.host.boards import BoardRequest, Options
from pegboard.host.closing import Closing, Parts
from pegboard.host.live import named_file
from pegboard.host.operated import OperatedHost
from pegboard.host.switches import switch_off
from pegboard.plugins import Actions, OnSync, Watching
from pegboard.registry import Registration
from pegboard.reports import PluginInfo, UnloadReport
from pegboard.selection import Selector
from pegboard.tools import Tool
from pegboard.values import JSON


class Host(OperatedHost):
    """A plugin host for the tools of agents.

    Args:
        config: a `Config`, or the path of a `pegboard.toml`; nothing is read unless it is named.
        discover: whether entering loads every installed plugin.
        file: where `config` came from, which `sync` reads again; `config` itself if it is a path.
    """

    async def open(self) -> Self:
        """Load the built-in plugins that are configured, and the installed ones if this discovers.

        A host that is being closed is opened again once it is; not inside the call that closes it.

        Raises:
            PluginLoadError: a plugin that the configuration requires isn't there.
            HostClosedError: this is called inside a call while the host is being closed.
        """
        if self._closing is not None:
            await self._closing.over()
        if self._is_open:
            return self
        self._is_open = True
        self._boards.reopen()
        self._observers.start()
        self._notices.start()
        try:
            await self._open_control()
            await self._loader.open()
            if self._discover:
                await self._loader.opening.load_installed()
                await self._loader.save()
        except BaseException:
            await self.close()
            raise
        self._loader.condition.started = datetime.now(UTC)
        return self

    async def _open_control(self) -> None:
        """Let operators reach this from other processes, if the configuration says where."""
        if self._config.control is None:
            return
        from pegboard.control import ControlServer  # late: few hosts have one

        tell = partial(self._observers.event, self._engine.registry.root)
        control = ControlServer(self, self._config.control, tell)
        await control.open()
        self._control = control

    async def _close_control(self) -> None:
        """Let operators reach this no more, while what they did is still heard of."""
        control, self._control = self._control, None
        if control is not None:
            await control.close()

    async def close(self, *, grace: float = 10.0) -> list[UnloadReport]:
        """Close every board, unload every plugin; a second time does nothing.

        It goes on to its end in a task of the host, whatever becomes of who awaits it. Inside a
        call it doesn't wait for that call, and ends after it.

        Args:
            grace: seconds that running calls have before they are cancelled.
        """
        if not self._is_open:
            return []
        check_grace(grace)
        if self._closing is not None:
            return await self._closing.joined(grace)
        self._loader.condition.started = None
        parts = Parts(
            self._engine,
            self._boards,
            self._loader,
            self._notices,
            self._observers,
            self._close_control,
        )
        limit = self._config.stop_grace
        self._closing = Closing(parts, grace=grace, stop_grace=limit, on_end=self._ended)
        return await self._closing.reports()

    def _ended(self, error: BaseException | None) -> None:
        self._closing = None
        self._is_open = error is not None

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
        """Load one plugin, all or nothing; one that an operator has blocked is blocked no more.

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
        load = partial(self._loader.load, what, name=name, settings=settings)
        is_blocked = isinstance(what, str) and what in self._state.state.block
        info = await (self._load_blocked(str(what), load) if is_blocked else load())
        await self._loader.save()
        return info

    async def _load_blocked(
        self, name: str, load: Callable[[], Awaitable[PluginInfo]]
    ) -> PluginInfo:
        """Load what an operator has blocked; it stays blocked where that fails."""
        async with self._decision(name):
            self._state.unblock(name)
            self._obey()
            try:
                return await load()
            except PegboardError:
                self._state.block(name)
                self._obey()
                raise

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
        path = self._path if config is None else named_file(config)
        actions = Actions(self.sync, lambda: self.sync(self._live.told), self.reload)
        return Watching(self._loader, actions, self.hook, path, on_sync)

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
        presentation: str | None = None,
        deps: Any = None,
        labels: Mapping[str, JSON] | None = None,
    ) -> BoardRequest:
        """Get a board or make it: await this, or use it in `async with`.

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
            BoardError: it exists, and was made with other options; there is no such presentation;
                or its tools are for programs, and no plugin gives a code runtime.
        """
        options = Options(
            parent,
            None if allow is None else tuple(allow),
            None if deny is None else tuple(deny),
            presentation,
            deps,
            None if labels is None else dict(labels),
        )
        return self._boards.request(name, options, self._check_open)
