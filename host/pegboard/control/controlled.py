"""What the control channel asks of a host."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pegboard.board import Board
from pegboard.config import Config
from pegboard.plugins import Problem
from pegboard.registry import Registration
from pegboard.reports import HostStatus, PluginInfo, RunningCall, SyncReport, UnloadReport
from pegboard.selection import Selector
from pegboard.tools import Tool


class Controlled(Protocol):
    """A host, as far as operators reach it; `pegboard.Host` says what each does."""

    @property
    def config(self) -> Config:
        """What the operator decided."""

    @property
    def plugins(self) -> Mapping[str, PluginInfo]:
        """Every plugin that is known, by name."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What discovery couldn't read."""

    @property
    def boards(self) -> Mapping[str, Board]:
        """The open boards by name."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools of the global layer by name."""

    @property
    def running(self) -> tuple[RunningCall, ...]:
        """Every call that has not ended."""

    def status(self) -> HostStatus:
        """How it is now, in figures."""

    def hook(self, **hooks: Callable[..., Any]) -> Registration:
        """Have functions called as hooks."""

    async def load(self, what: object) -> PluginInfo:
        """Load an installed plugin."""

    async def unload(
        self, name: str, *, grace: float = ..., force: bool = ..., block: bool = ...
    ) -> UnloadReport:
        """Take everything of a plugin back."""

    async def reload(self, name: str, *, grace: float = ...) -> PluginInfo:
        """Exchange a plugin for its code on disk."""

    async def sync(self, *, dry_run: bool = ...) -> SyncReport:
        """Follow what is installed and configured."""

    async def cancel(
        self, reason: str = ..., *, board: str | None = ..., call_id: str | None = ...
    ) -> int:
        """Cancel calls."""

    def deny(
        self, *selectors: Selector, board: str | None = ..., keep: bool = ..., pending: bool = ...
    ) -> tuple[str, ...]:
        """Hide tools; gives remarks on those that stay visible."""

    def allow(self, *selectors: Selector, board: str | None = ...) -> tuple[str, ...]:
        """Take that back; gives remarks on tools that stay hidden."""
