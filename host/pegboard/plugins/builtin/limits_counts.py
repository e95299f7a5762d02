"""What `limits` has counted: calls, when they began, and how many run."""

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

import attrs

from pegboard.registry import Scope

WINDOW = 60.0
"""Seconds of a minute."""
_FEW = 64


@attrs.define(eq=False)
class Tally:
    """What was counted of one board, of one tool, or of everything together.

    Attributes:
        is_kept: whether the calls count for good.
        calls: how many there were.
        running: how many places are taken.
    """

    is_kept: bool = False
    calls: int = 0
    running: int = 0
    _starts: deque[float] = attrs.field(factory=deque)

    def count(self, now: float | None) -> None:
        """Count a call; at what time, if that matters."""
        self.calls += 1
        if now is not None:
            self._starts.append(now)

    def uncount(self, at: float) -> None:
        """Take a call back that was counted at that time and has not run."""
        self.calls -= 1
        if at in self._starts:
            self._starts.remove(at)

    def wait(self, most: int, now: float) -> float:
        """Seconds until one more may begin where so many may within a minute."""
        starts = self._starts
        while starts and starts[0] <= now - WINDOW:
            starts.popleft()
        return 0.0 if len(starts) < most else starts[-most] + WINDOW - now

    def is_idle(self, now: float) -> bool:
        """Whether forgetting it would change nothing."""
        is_recent = bool(self._starts) and self._starts[-1] > now - WINDOW
        return not (self.running or is_recent or (self.is_kept and self.calls))


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
