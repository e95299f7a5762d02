"""What `limits` has counted: calls, when they began, and how many run."""

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol
from weakref import WeakKeyDictionary

import attrs

from pegboard.registry import Scope

WINDOW = 60.0
"""Seconds of a minute."""
KEPT = 10_000
"""How many calls of a minute are remembered where no rule asks for more."""
_FEW = 64


class Counted(Protocol):
    """A call, as far as counting needs to know it."""

    began: float
    """When its body was started; 0 until then."""


@attrs.define(eq=False)
class Tally:
    """What was counted of one board, of one tool, or of everything together.

    A call that may begin counts from then on, and holds its place within the minute until it does:
    it may have to wait for a thread meanwhile.

    Attributes:
        is_kept: whether the calls count for good.
        calls: how many there were.
        running: how many places are taken.
    """

    is_kept: bool = False
    calls: int = 0
    running: int = 0
    _coming: dict[int, Counted] = attrs.field(factory=dict)
    _starts: deque[float] = attrs.field(factory=deque)
    _most: int = KEPT

    def count(self, call: Counted) -> None:
        """Count a call that may begin from now on."""
        self.calls += 1
        self._coming[id(call)] = call

    def settle(self, call: Counted) -> None:
        """Note when a call has begun, if it has."""
        if call.began and self._coming.pop(id(call), None) is not None:
            self._note([call.began], 0)

    def give_back(self, call: Counted) -> None:
        """Take a call back that has not begun, and never will."""
        if self._coming.pop(id(call), None) is not None:
            self.calls -= 1

    def coming(self) -> int:
        """How many calls count, and have not begun."""
        return sum(not each.began for each in self._coming.values())

    def wait(self, most: int, now: float) -> float:
        """Seconds until one more may begin where so many may within a minute.

        It is what may happen at the earliest where all of them have yet to begin.
        """
        if len(self._starts) + len(self._coming) < most:
            return 0.0
        self._settle_all(most)
        self._forget_before(now - WINDOW)
        room = most - len(self._coming)
        if room <= 0:
            return WINDOW
        return 0.0 if len(self._starts) < room else self._starts[-room] + WINDOW - now

    def is_idle(self, now: float) -> bool:
        """Whether forgetting it would change nothing."""
        is_recent = bool(self._starts) and self._starts[-1] > now - WINDOW
        return not (self.running or self._coming or is_recent or (self.is_kept and self.calls))

    def _settle_all(self, most: int) -> None:
        begun = {key: each.began for key, each in self._coming.items() if each.began}
        for key in begun:
            del self._coming[key]
        self._note(sorted(begun.values()), most)

    def _note(self, begun: list[float], most: int) -> None:
        """Keep when calls have begun; as many as may matter by figures that are yet to come."""
        starts = self._starts
        if starts and begun and begun[0] < starts[-1]:
            begun = sorted([*starts, *begun])
            starts.clear()
        starts.extend(begun)
        if starts:
            self._forget_before(starts[-1] - WINDOW)
        self._most = max(self._most, most)
        while len(starts) > self._most:
            starts.popleft()

    def _forget_before(self, oldest: float) -> None:
        while self._starts and self._starts[0] <= oldest:
            self._starts.popleft()


@attrs.define(eq=False)
class Sheet:
    """The tallies of one rule; those of a board go with it."""

    _boards: WeakKeyDictionary[Scope, dict[str, Tally]] = attrs.field(factory=WeakKeyDictionary)
    _together: dict[str, Tally] = attrs.field(factory=dict)
    _room: int = _FEW

    def tally(self, scope: Scope | None, tool: str, now: float, *, is_kept: bool) -> Tally:
        """The tally of a board and a tool, made where there is none.

        Args:
            scope: the board; None for all boards together.
            tool: the name of the tool; empty for all tools together.
            now: the time.
            is_kept: whether calls count for good.
        """
        tallies = self._together if scope is None else self._boards.setdefault(scope, {})
        found = tallies.get(tool)
        if found is None:
            if len(self._together) >= self._room:
                self._forget_idle(now)
            found = tallies[tool] = Tally()
        found.is_kept = is_kept
        return found

    def _forget_idle(self, now: float) -> None:
        """Forget tools that are not called any more: they come and go with their plugins."""
        idle = [tool for tool, each in self._together.items() if each.is_idle(now)]
        for tool in idle:
            del self._together[tool]
        self._room = max(_FEW, 2 * len(self._together))


class Counts:
    """What was counted where the plugin is loaded once; it outlives a load that is exchanged."""

    def __init__(self) -> None:
        self._sheets: dict[Hashable, Sheet] = {}
        self._users: Counter[Hashable] = Counter()

    def sheet(self, key: Hashable) -> Sheet:
        """What was counted for a rule."""
        return self._sheets.setdefault(key, Sheet())

    @contextmanager
    def used(self, keys: Iterable[Hashable]) -> Iterator[None]:
        """Keep what was counted for rules; what no load uses afterwards is forgotten."""
        own = Counter(keys)
        self._users += own
        try:
            yield
        finally:
            self._users -= own
            for key in self._sheets.keys() - self._users.keys():
                del self._sheets[key]
