"""What plugins keep for each board: a context entered while both the plugin and the board live."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import attrs

from pegboard.config import Config, PluginConfig
from pegboard.plugins.keeping import Keeper
from pegboard.plugins.leaving import Leaving
from pegboard.plugins.pluginboard import PluginBoard, Side
from pegboard.registry import Contributions, Generation, Registry, Scope


@attrs.frozen(eq=False)
class _Entered:
    user: "User"
    board: PluginBoard
    keeper: Keeper


class PerBoard:
    """Enters and leaves the board contexts of one host's plugins."""

    def __init__(self, registry: Registry, config: Config) -> None:
        self._registry = registry
        self._config = config
        self._sides: dict[int, Side] = {}
        self._users: dict[int, User] = {}
        self._entered: dict[int, dict[int, _Entered]] = {}
        self._shown: set[int] = set()
        self._lock = asyncio.Lock()
        self._later: set[asyncio.Task[tuple[str, ...]]] = set()

    @property
    def config(self) -> Config:
        """The configuration that holds now."""
        return self._config

    def configure(self, config: Config) -> None:
        """Follow another configuration from now on."""
        self._config = config

    async def add_user(self, user: "User") -> None:
        """Enter a plugin's context for every board that it reaches; nothing shows before `publish`.

        Raises:
            PluginLoadError: one of them raised; those that were entered are left again.
        """
        async with self._lock:
            for side in self._sides.values():
                if user.reaches(side.scope):
                    await self._enter(user, side)
            self._users[id(user.generation)] = user

    async def remove_user(self, user: "User") -> None:
        """Leave a plugin's context on every board."""
        async with self._lock:
            self._users.pop(id(user.generation), None)
            for scope_id in list(self._entered)[::-1]:
                await self._leave(scope_id, user.generation)

    def pending(self, generation: Generation) -> list[tuple[Scope, Contributions]]:
        """What a plugin has registered on its boards, and isn't shown yet."""
        return [pair for each in self._of(generation) for pair in each.board.pending]

    def publish(self, generation: Generation) -> None:
        """Show what a plugin has registered on its boards."""
        self._shown.add(id(generation))
        for each in self._of(generation):
            each.board.publish()

    def withdraw(self, generation: Generation) -> None:
        """Take back what a plugin has registered on boards, before its contexts are left.

        Boards that are made from here on have nothing of it.
        """
        self._users.pop(id(generation), None)
        self._shown.discard(id(generation))
        for each in self._of(generation):
            each.board.withdraw()

    def _of(self, generation: Generation) -> list[_Entered]:
        entered = (each.get(id(generation)) for each in self._entered.values())
        return [each for each in entered if each is not None]

    async def add_board(self, side: Side) -> None:
        """Enter every plugin's context for a new board.

        Raises:
            PegboardError: one of them raised; those that were entered are left again.
        """
        async with self._lock:
            try:
                for user in list(self._users.values()):
                    if user.reaches(side.scope) and id(user.generation) in self._users:
                        await self._enter(user, side)
            except BaseException:
                await self._leave_board(side.scope)
                raise
            self._sides[id(side.scope)] = side
            for generation, each in self._entered.get(id(side.scope), {}).items():
                if generation in self._shown:
                    each.board.publish()

    async def remove_board(self, scope: Scope) -> tuple[str, ...]:
        """Leave every plugin's context on a board.

        Returns:
            what they raised, in one line each.
        """
        async with self._lock:
            self._sides.pop(id(scope), None)
            return await self._leave_board(scope)

    def remove_board_after(self, scope: Scope, unused: Awaitable[object]) -> None:
        """Withdraw what plugins show on a board, and leave their contexts once nothing uses it."""

        async def leave() -> tuple[str, ...]:
            await unused
            return await self.remove_board(scope)

        self._sides.pop(id(scope), None)
        for each in self._entered.get(id(scope), {}).values():
            each.board.withdraw()
        task = asyncio.create_task(leave())
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def closed(self) -> None:
        """Wait for the contexts that are left later."""
        if self._later:
            await asyncio.wait(self._later)

    async def _leave_board(self, scope: Scope) -> tuple[str, ...]:
        errors: list[str] = []
        entered = list(self._entered.get(id(scope), {}).values())
        for each in entered[::-1]:
            before = len(each.user.leaving.errors)
            await self._leave(id(scope), each.user.generation)
            errors += each.user.leaving.errors[before:]
        return tuple(errors)

    async def _enter(self, user: "User", side: Side) -> None:
        masked_by = side.scope.steps_below(user.scope)
        board = PluginBoard(
            side,
            user.generation,
            self._registry,
            options=user.options,
            config=self._config,
            masked_by=masked_by,
        )
        what = f"pegboard_board of {user.name!r} for board {board.name!r}"
        keeper = user.leaving.keeper(what, limit=self._config.load_timeout)
        state = await keeper.enter(partial(user.function, user.generation.context, board))
        entered_here = self._entered.setdefault(id(side.scope), {})
        entered_here[id(user.generation)] = _Entered(user, board, keeper)
        user.generation.states[id(side.scope)] = state

    async def _leave(self, scope_id: int, generation: Generation) -> None:
        entered_here = self._entered.get(scope_id, {})
        entered = entered_here.pop(id(generation), None)
        if not entered_here:
            self._entered.pop(scope_id, None)
        if entered is not None:
            entered.board.withdraw()
            await entered.user.leaving.leave(entered.keeper)
            generation.states.pop(scope_id, None)


@attrs.frozen(eq=False)
class User:
    """A plugin with a context for each board.

    Attributes:
        function: its `pegboard_board`.
        generation: who it is.
        scope: where it was loaded.
        leaving: leaves what it entered, and keeps what goes wrong.
        options: the operator's prefix and renaming.
    """

    function: Callable[..., Any]
    generation: Generation
    scope: Scope
    leaving: Leaving
    options: PluginConfig

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.generation.owner.plugin or ""

    def reaches(self, scope: Scope) -> bool:
        """Whether the board is on the layer where the plugin was loaded, or inherits from it."""
        return any(each is self.scope for each in scope.ancestry)
