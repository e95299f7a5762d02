"""A machine that changes boards in any order and compares them with the model after each step."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

from board_model import Place, Standing, view
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule
from pegboard import (
    Board,
    BoardError,
    CollisionError,
    Host,
    PegboardError,
    PluginLoadError,
    Success,
    Tool,
    hookimpl,
)

T = TypeVar("T")
NAMES = ("read", "Read", "write", "x_read", "web_post", "WRITE", "xyz", "wait")
PATTERNS = ("read", "*read", "re*", "w*", "*", "Read", "*_post", "[xw]*", "nothing")
PLUGINS = ("p0", "p1", "p2")

names = st.sampled_from(NAMES)
patterns = st.lists(st.sampled_from(PATTERNS), max_size=2)
picks = st.integers(0, 7)


def marked(name: str, mark: int) -> Tool:
    """A tool that gives its mark."""

    async def run(arguments: Any, context: Any) -> int:
        return mark

    return Tool(name=name, description=str(mark), parameters={"type": "object"}, run=run)


class Offering:
    """A plugin with tools, and perhaps one for each board."""

    def __init__(self, tools: list[Tool], per_board: Tool | None) -> None:
        self.tools = tools
        self.per_board = per_board

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give the tools."""
        return self.tools

    @hookimpl
    @contextlib.asynccontextmanager
    async def pegboard_board(self, board: Any) -> AsyncIterator[None]:
        """Put the other tool on every board."""
        if self.per_board is not None:
            board.register(self.per_board)
        yield


class BoardMachine(RuleBasedStateMachine):
    """Boards, layers, masks and plugins, changed in any order."""

    undoing = Bundle("undoing")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.host = self.run(Host(discover=False).open())
        self.root = Place("global")
        self.places: dict[str, Place] = {}
        self.boards: dict[str, Board] = {}
        self.off: list[list[str]] = []
        self.plugins: dict[str, tuple[Place, Standing | None]] = {}
        self.seen: dict[str, tuple[Any, int]] = {}
        self.made = self.steps = 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine."""
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        """Close the host."""
        self.run(self.host.close())
        self.run(asyncio.sleep(0))
        self.loop.close()

    def mark(self) -> int:
        """A number that no other tool has."""
        self.made += 1
        return self.made

    def place(self, pick: int) -> Place:
        """Some place: the global layer or a board."""
        known = [self.root, *self.places.values()]
        return known[pick % len(known)]

    def below(self, place: Place) -> Iterator[Place]:
        """The boards that inherit from a place, itself included."""
        for each in self.places.values():
            ancestor: Place | None = each
            while ancestor is not None and ancestor is not place:
                ancestor = ancestor.parent
            if ancestor is place:
                yield each

    @initialize(
        offered=st.lists(names, min_size=1, max_size=3, unique_by=str.lower),
        allow=st.none() | patterns,
        deny=patterns,
    )
    def begin(self, offered: list[str], allow: list[str] | None, deny: list[str]) -> None:
        for name in offered:
            self.register(0, name)
        for _ in range(2):
            self.open_board(0)
        self.restrict(1, allow, deny)

    @rule(target=undoing, pick=picks, name=names)
    def register(self, pick: int, name: str) -> Any:
        place, mark = self.place(pick), self.mark()
        side = self.host if place is self.root else self.boards[place.name]
        if is_taken(place, name):
            with refused(CollisionError):
                side.register(marked(name, mark))
            return None
        standing = Standing(name, "", mark)
        place.tools.append(standing)
        return side.register(marked(name, mark)), lambda: drop(place.tools, standing)

    @rule(target=undoing, name=names)
    def register_for_all(self, name: str) -> Any:
        return self.register(0, name)

    @rule(undo=consumes(undoing))
    def take_back(self, undo: Any) -> None:
        if undo is not None:
            registration, forget = undo
            registration.close()
            registration.close()
            forget()

    @rule(target=undoing, pick=picks, allow=st.none() | patterns, deny=patterns)
    def restrict(self, pick: int, allow: list[str] | None, deny: list[str]) -> Any:
        place = self.place(pick)
        if place is self.root:
            if not deny:
                return None
            self.off.append(deny)
            return self.host.restrict(deny=deny), lambda: drop(self.off, deny)
        if allow is None and not deny:
            return None
        mask = (allow, deny)
        place.masks.append(mask)
        board = self.boards[place.name]
        made = board.restrict(allow=allow, deny=deny, pending=True)
        return made, lambda: drop(place.masks, mask)

    @rule(target=undoing, pick=picks, pattern=st.sampled_from(PATTERNS))
    def grant(self, pick: int, pattern: str) -> Any:
        place = self.place(pick)
        if place is self.root:
            return None
        granted = [pattern]
        place.grants.append(granted)
        made = self.boards[place.name].grant(pattern)
        return made, lambda: drop(place.grants, granted)

    @rule(pick=picks)
    def open_board(self, pick: int) -> None:
        parent, name = self.place(pick), f"b{self.mark()}"
        if len(self.places) >= 6:
            return
        place = Place(name, parent)
        reaching = [each for at, each in self.plugins.values() if each and at in ancestry(place)]
        asked = self.host.board(name, parent=self.boards.get(parent.name))
        if has_twins([each.name for each in reaching]):
            with refused(PegboardError):
                self.run(awaited(asked))
            return
        place.tools += reaching
        self.places[name], self.boards[name] = place, self.run(awaited(asked))

    @rule(pick=picks)
    def close_board(self, pick: int) -> None:
        place = self.place(pick)
        if place is self.root:
            return
        if len(list(self.below(place))) > 1:
            with refused(BoardError):
                self.run(self.boards[place.name].close())
            return
        self.run(self.boards.pop(place.name).close())
        del self.places[place.name]
        self.seen.pop(place.name, None)
        gone = [name for name, (at, _) in self.plugins.items() if at is place]
        for name in gone:
            del self.plugins[name]

    @rule(
        name=st.sampled_from(PLUGINS),
        pick=picks,
        offered=st.lists(names, max_size=2),
        per_board=st.none() | names,
    )
    def load(self, name: str, pick: int, offered: list[str], per_board: str | None) -> None:
        if name in self.plugins:
            return
        place = self.place(pick)
        tools = [Standing(each, name, self.mark()) for each in offered]
        extra = Standing(per_board, name, self.mark(), place) if per_board else None
        plugin = Offering(
            [marked(each.name, each.mark) for each in tools],
            marked(extra.name, extra.mark) if extra else None,
        )
        loading = self.host.load(plugin, name=name, board=self.boards.get(place.name))
        if self.collides(place, tools, extra):
            with refused(PluginLoadError):
                self.run(loading)
            return
        self.run(loading)
        place.tools += tools
        for each in self.below(place) if extra else ():
            each.tools.append(extra)
        self.plugins[name] = (place, extra)

    def collides(self, place: Place, tools: list[Standing], extra: Standing | None) -> bool:
        """Whether a plugin can't be loaded for its names."""
        wanted = [each.name for each in tools]
        if has_twins(wanted) or any(is_taken(place, each) for each in wanted):
            return True
        if extra is None:
            return False
        on_board = place is not self.root and has_twins([*wanted, extra.name])
        return on_board or any(is_taken(each, extra.name) for each in self.below(place))

    @rule(name=st.sampled_from(PLUGINS))
    def unload(self, name: str) -> None:
        if name not in self.plugins:
            return
        self.run(self.host.unload(name))
        del self.plugins[name]
        for place in (self.root, *self.places.values()):
            place.tools[:] = [each for each in place.tools if each.plugin != name]

    @rule(pick=picks, name=names)
    def call(self, pick: int, name: str) -> None:
        place = self.place(pick)
        if place is self.root:
            return
        expected = {each.name: each.mark for each in view(place, self.off)}.get(name)
        outcome = self.run(self.boards[place.name].call(name))
        found = outcome.value if isinstance(outcome, Success) else None
        assert found == expected
        assert self.boards[place.name].explain(name).visible is (expected is not None)

    @invariant()
    def a_board_that_missed_some_changes_shows_what_the_definition_says(self) -> None:
        self.steps += 1
        for number, name in enumerate(self.places):
            if (self.steps + number) % 5 == 0:
                self.look(name)

    @rule()
    def look_at_all(self) -> None:
        for name in self.places:
            self.look(name)

    def look(self, name: str) -> None:
        """Compare what a board shows with the model."""
        expected = [(each.name, each.mark) for each in view(self.places[name], self.off)]
        assert shown(self.boards[name]) == expected
        revision = self.boards[name].revision
        before, number = self.seen.get(name, (expected, revision))
        assert (revision == number) is (before == expected)
        assert revision >= number
        self.seen[name] = (expected, revision)


def shown(board: Board) -> list[tuple[str, int]]:
    """The names and marks that a board shows."""
    found = [(each.name, int(each.description)) for each in board.definitions()]
    assert [(name, int(each.description)) for name, each in board.tools.items()] == found
    return found


def ancestry(place: Place) -> list[Place]:
    """A place and all that it inherits from."""
    return [place] if place.parent is None else [place, *ancestry(place.parent)]


def is_taken(place: Place, name: str) -> bool:
    """Whether a layer has a tool of that name, in whatever case."""
    return any(each.name.lower() == name.lower() for each in place.tools)


def has_twins(wanted: list[str]) -> bool:
    """Whether two of the names are one."""
    return len({each.lower() for each in wanted}) < len(wanted)


def drop(standing: list[Any], gone: Any) -> None:
    """Take the very object out of a list, if it is there."""
    standing[:] = [each for each in standing if each is not gone]


async def awaited(asked: Any) -> Any:
    """What an awaitable gives."""
    return await asked


@contextlib.contextmanager
def refused(error: type[Exception]) -> Iterator[None]:
    """Fail unless the block raises the error."""
    try:
        yield
    except error:
        return
    raise AssertionError(f"nothing raised {error.__name__}")
