"""The boards of one host: made when they are first asked for, closed by who leaves last."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from types import MappingProxyType, TracebackType
from typing import Any
from weakref import WeakValueDictionary

import attrs

from pegboard.board import Board, Engine
from pegboard.config import BoardConfig, Config
from pegboard.errors import BoardError, UnknownNameError, WrongArgumentError
from pegboard.events import BoardClosed, BoardOpened
from pegboard.host.told import Told, sides
from pegboard.names import check_name
from pegboard.registry import Registration, Scope
from pegboard.reports import CloseReport
from pegboard.selection import Selector
from pegboard.values import JSON


@attrs.frozen(eq=False)
class Options:
    """What a board was asked for with."""

    parent: Board | str | None = None
    allow: tuple[Selector, ...] | None = None
    deny: tuple[Selector, ...] | None = None
    presentation: str | None = None
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
        self._told = Told(config, engine)
        self._engine = engine
        self._boards: dict[str, Board] = {}
        self._scopes: dict[str, Scope] = {}
        self._options: dict[str, Options] = {}
        self._children: dict[str, set[str]] = {}
        self._entered: dict[str, int] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._fresh = itertools.count(1)
        self._is_closed = False

    @property
    def _config(self) -> Config:
        return self._told.config

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
            if name is None:
                return await self._unnamed(options)
            async with self._locks.setdefault(name, asyncio.Lock()):
                existing = self._existing(name, options)
                return existing or await self._configured(check_name(name, kind="board"), options)

        async def enter() -> Board:
            board = await get()
            self._entered[board.name] = self._entered.get(board.name, 0) + 1
            return board

        return BoardRequest(get, enter, self._leave)

    async def _unnamed(self, options: Options) -> Board:
        names = (f"board-{number}" for number in self._fresh)
        taken = self._boards.keys() | self._config.boards.keys()
        name = next(each for each in names if each not in taken)
        options = await self._placed(name, options)
        return await self._made(name, options, self._config.boards.get("*"))

    async def _leave(self, board: Board) -> None:
        if not self._is_open(board):
            return
        left = self._entered.get(board.name, 1) - 1
        self._entered[board.name] = left
        if left <= 0:
            await board.close()

    def _parent(self, parent: Board | str | None) -> Board | None:
        if parent is None:
            return None
        if isinstance(parent, Board):
            return self.own(parent)
        if parent not in self._boards:
            raise UnknownNameError("board", parent, self._boards)
        return self._boards[parent]

    def own(self, board: Board) -> Board:
        """Give a board back that is open on this host.

        Raises:
            BoardError: it isn't.
        """
        if not isinstance(board, Board):
            raise WrongArgumentError(f"a board or its name is expected, not {type(board).__name__}")
        if not self._is_open(board):
            why = "is closed, or another host's"
            raise BoardError(f"board {board.name!r} can't be used here: it {why}")
        return board

    def scope(self, board: Board) -> Scope:
        """Where an open board stands."""
        return self._scopes[board.name]

    def _existing(self, name: str, options: Options) -> Board | None:
        if name not in self._boards:
            return None
        made = self._options[name]
        for field in attrs.fields(Options):
            asked, known = getattr(options, field.name), getattr(made, field.name)
            if field.name == "presentation":
                known = self._boards[name].presentation
            is_same = asked is known if field.name == "deps" else asked == known
            if asked is not None and not is_same:
                raise BoardError(f"board {name!r} exists, and its {field.name} is another")
        return self._boards[name]

    async def _configured(self, name: str, options: Options) -> Board:
        """A new board of that name, with what the configuration says of it."""
        said = self._config.board(name)
        if said is None and options.parent is None and self._config.unknown_boards == "refuse":
            raise UnknownNameError("board", name, self._config.boards)
        return await self._made(name, await self._placed(name, options), said)

    async def _placed(self, name: str, options: Options) -> Options:
        """The options with the parent that the configuration gives, if none was asked for."""
        if options.parent is not None:
            return options
        above = self._config.ancestors(name)
        missing = tuple(itertools.takewhile(lambda each: each not in self._boards, above))
        parent = next((self._boards[each] for each in above[len(missing) :]), None)
        for each in reversed(missing):
            parent = await self._ancestor(each, parent)
        return attrs.evolve(options, parent=parent)

    async def _ancestor(self, name: str, parent: Board | None) -> Board:
        check_name(name, kind="board")
        async with self._locks.setdefault(name, asyncio.Lock()):
            options = Options(parent=parent)
            said = self._config.board(name)
            return self._boards.get(name) or await self._made(name, options, said)

    async def _made(self, name: str, options: Options, said: BoardConfig | None) -> Board:
        config, parent = self._config, self._parent(options.parent)
        scope = self._engine.registry.scope(name, self._scopes[parent.name] if parent else None)
        board = Board(scope, self._engine, self._forget, deps=options.deps, labels=options.labels)
        if options.allow is not None or options.deny is not None:
            board.restrict(allow=options.allow, deny=options.deny)
        allow, deny = sides(said)
        if allow is not None or deny:
            board.check_restriction(allow, deny, is_pending=True)
        self._told.say(scope, said, asked=options.presentation)
        await self._enter(scope, options)
        if self._is_closed or (parent is not None and not self._is_open(parent)):
            await self._engine.plugins.leave(scope, grace=0)
            whose = "the host" if self._is_closed or parent is None else f"board {parent.name!r}"
            raise BoardError(f"board {name!r} can't be made: {whose} was closed meanwhile")
        self._boards[name] = board
        self._scopes[name] = scope
        self._options[name] = options
        if config is not self._config:
            for each in self._told.say_anew(name):
                each.close()
        if parent is not None:
            self._children.setdefault(parent.name, set()).add(name)
        self._engine.tell(scope, BoardOpened(name, board.parent))
        return board

    async def _enter(self, scope: Scope, options: Options) -> None:
        try:
            await self._engine.plugins.enter(scope, options.deps, options.labels or {})
        except BaseException:
            self._told.forget(str(scope.name))
            raise

    def _is_open(self, board: Board) -> bool:
        return self._boards.get(board.name) is board

    def differing(self, config: Config) -> tuple[str, ...]:
        """The open boards of which another configuration says something else."""
        return self._told.differing(config)

    def staying(self, before: Config, after: Config) -> Iterator[tuple[str, ...]]:
        """The keys that open boards don't follow: they would have to be made anew.

        Args:
            before: what holds so far.
            after: what holds from now on.
        """
        for name, board in self._boards.items():
            old, new = before.ancestors(name)[:1], after.ancestors(name)[:1]
            if old != new and (board.parent,) == (old or (None,)):
                yield from (("boards", each, "parent") for each in (name, "*"))
            if self._told.is_unknown(name, after):
                yield ("boards", name)

    def configure(self, config: Config) -> list[Registration]:
        """Follow another configuration from now on, each open board in one step.

        The parents of open boards stay as they are.

        Returns:
            what hides what was hidden before, to be closed.
        """
        return self._told.configure(config)

    def _forget(self, board: Board) -> None:
        children = self._children.get(board.name)
        if children:
            names = ", ".join(map(repr, sorted(children)))
            raise BoardError(f"board {board.name!r} has children: {names}; close them first")
        if board.parent is not None:
            self._children[board.parent].discard(board.name)
        self._engine.tell(self._scopes[board.name], BoardClosed(board.name))
        for known in (self._boards, self._scopes, self._options, self._entered, self._children):
            known.pop(board.name, None)
        self._told.forget(board.name)

    def reopen(self) -> None:
        """Make boards again."""
        self._is_closed = False

    async def close(self, *, grace: float) -> list[CloseReport]:
        """Close every board, children first."""
        self._is_closed = True
        boards = [self._boards[name] for name in self._inwards()]
        return [await board.close(grace=grace) for board in boards]

    def _inwards(self) -> list[str]:
        """The names of the open boards, each after its children."""
        found: list[str] = []
        waiting = [name for name, each in self._boards.items() if each.parent is None]
        while waiting:
            name = waiting.pop()
            found.append(name)
            waiting += self._children.get(name, ())
        return found[::-1]
