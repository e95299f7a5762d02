"""The boards of one host: made when they are first asked for, closed by who leaves last."""

import itertools
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from types import MappingProxyType, TracebackType
from typing import Any

import attrs

from pegboard.board import Board, Engine
from pegboard.config import BoardConfig, Config
from pegboard.errors import BoardError, UnknownNameError
from pegboard.names import check_name
from pegboard.registry import Restriction, Scope
from pegboard.reports import UnloadReport
from pegboard.selection import Selector
from pegboard.values import JSON


@attrs.frozen(eq=False)
class Options:
    """What a board was asked for with."""

    parent: Board | str | None = None
    allow: tuple[Selector, ...] | None = None
    deny: tuple[Selector, ...] | None = None
    deps: Any = None
    labels: Mapping[str, JSON] | None = None


class BoardRequest(Awaitable[Board]):
    """What `host.board(…)` gives: await it, or use it in `async with`."""

    __slots__ = ("_enter", "_get", "_leave", "_left")

    def __init__(
        self,
        get: Callable[[], Coroutine[Any, Any, Board]],
        enter: Callable[[], Awaitable[Board]],
        leave: Callable[[Board], Awaitable[None]],
    ) -> None:
        self._get = get
        self._enter = enter
        self._leave = leave
        self._left: Board | None = None

    def __await__(self) -> Generator[Any, None, Board]:
        return self._get().__await__()

    async def __aenter__(self) -> Board:
        self._left = await self._enter()
        return self._left

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._left is not None:
            await self._leave(self._left)


class Boards:
    """Hands out the boards of one host."""

    def __init__(self, config: Config, engine: Engine) -> None:
        self._config = config
        self._engine = engine
        self._boards: dict[str, Board] = {}
        self._scopes: dict[str, Scope] = {}
        self._options: dict[str, Options] = {}
        self._entered: dict[str, int] = {}
        self._fresh = itertools.count(1)

    @property
    def open(self) -> Mapping[str, Board]:
        """The open boards by name."""
        return MappingProxyType(self._boards)

    def request(
        self, name: str | None, asked: Options, check_open: Callable[[], None]
    ) -> BoardRequest:
        """A board that can be awaited or entered; nothing happens before."""

        async def get() -> Board:
            check_open()
            options = attrs.evolve(asked, parent=self._parent(asked.parent))
            return self._existing(name, options) or self._made(name, options)

        async def enter() -> Board:
            board = await get()
            self._entered[board.name] = self._entered.get(board.name, 0) + 1
            return board

        return BoardRequest(get, enter, self._leave)

    async def _leave(self, board: Board) -> None:
        left = self._entered.get(board.name, 1) - 1
        self._entered[board.name] = left
        if left <= 0:
            await board.close()

    def _parent(self, parent: Board | str | None) -> Board | None:
        if parent is None or isinstance(parent, Board):
            return parent
        if parent not in self._boards:
            raise UnknownNameError("board", parent, self._boards)
        return self._boards[parent]

    def _existing(self, name: str | None, options: Options) -> Board | None:
        if name is None or name not in self._boards:
            return None
        made = self._options[name]
        for field in attrs.fields(Options):
            asked = getattr(options, field.name)
            if asked is not None and asked != getattr(made, field.name):
                raise BoardError(f"board {name!r} exists, and its {field.name} is another")
        return self._boards[name]

    def _made(self, name: str | None, options: Options) -> Board:
        chosen = f"board-{next(self._fresh)}" if name is None else check_name(name, kind="board")
        said = self._config.board(chosen) if name is not None else None
        if name is not None and said is None and options.parent is None:
            self._check_known(name)
        parent = self._parent(options.parent) or self._configured_parent(chosen, said)
        scope = self._engine.registry.scope(chosen, self._scopes[parent.name] if parent else None)
        board = Board(scope, self._engine, self._forget, deps=options.deps, labels=options.labels)
        if options.allow is not None or options.deny is not None:
            board.restrict(allow=options.allow, deny=options.deny)
        if said is not None:
            self._configure(board, scope, said)
        self._boards[chosen] = board
        self._scopes[chosen] = scope
        self._options[chosen] = options
        return board

    def _check_known(self, name: str) -> None:
        if self._config.unknown_boards == "refuse":
            raise UnknownNameError("board", name, self._config.boards)

    def _configured_parent(self, name: str, said: BoardConfig | None) -> Board | None:
        if said is None or said.parent is None:
            return None
        if said.parent == name:
            raise BoardError(f"board {name!r} can't be its own parent")
        return self._boards.get(said.parent) or self._made(said.parent, Options())

    def _configure(self, board: Board, scope: Scope, said: BoardConfig) -> None:
        if said.allow is None and not said.deny:
            return
        board.check_restriction(said.allow, said.deny, is_pending=True)
        key = board.name if board.name in self._config.boards else "*"
        places = {
            "allow": self._config.place("boards", key, "allow"),
            **{f"deny:{each}": self._config.place("boards", key, "deny") for each in said.deny},
        }
        known = tuple((side, place) for side, place in places.items() if place is not None)
        self._engine.restrict(scope, Restriction(said.allow, said.deny, f"board {key!r}", known))

    def _forget(self, board: Board) -> None:
        children = [each for each in self._boards.values() if each.parent == board.name]
        if children:
            names = ", ".join(repr(each.name) for each in children)
            raise BoardError(f"board {board.name!r} has children: {names}; close them first")
        for known in (self._boards, self._scopes, self._options, self._entered):
            known.pop(board.name, None)

    async def close(self) -> list[UnloadReport]:
        """Close every board, children first."""
        reports = []
        for name in list(self._boards)[::-1]:
            reports += await self._close_with_children(name)
        return reports

    async def _close_with_children(self, name: str) -> list[UnloadReport]:
        board = self._boards.get(name)
        if board is None:
            return []
        reports = []
        for child in [each.name for each in self._boards.values() if each.parent == name]:
            reports += await self._close_with_children(child)
        return reports + await board.close()
