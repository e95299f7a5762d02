"""The built-in plugin that tells an agent that it repeats itself."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import attrs
from annotated_types import Ge, MinLen

from pegboard.calls import Execution, Token
from pegboard.decisions import Accept
from pegboard.hooks import hookimpl
from pegboard.plugins.plugin import PluginContext
from pegboard.plugins.pluginboard import PluginBoard
from pegboard.values.codec import sorted_text

_MESSAGE = (
    "{tool} was called {times} times in a row with the same arguments. Unless another result is to "
    "be expected, change the arguments, use another tool, or say what is missing."
)


@attrs.frozen
class RepeatsSettings:
    """The settings of the plugin.

    Attributes:
        after: how many equal calls in a row there are for each reminder.
        message: what the model reads; `{tool}` and `{times}` in it are filled in.
    """

    after: Annotated[int, Ge(2)] = 3
    message: Annotated[str, MinLen(1)] = _MESSAGE


@attrs.define(eq=False)
class _Row:
    """Equal calls of one board, one after the other."""

    latest: bytes = b""
    token: Token | None = None
    times: int = 0

    def count(self, execution: Execution) -> int:
        """Which one of its row a call is; asking again changes nothing."""
        if self.token is not execution.token:
            called = _digest(execution)
            self.times = self.times + 1 if called == self.latest else 1
            self.latest, self.token = called, execution.token
        return self.times


class Rows:
    """The rows of boards where the plugin is loaded once; they outlive a load that is exchanged."""

    def __init__(self) -> None:
        self._rows: dict[str, _Row] = {}
        self._users: Counter[str] = Counter()

    def of(self, board: str) -> _Row | None:
        """The row of a board, while some load counts for it."""
        return self._rows.get(board)

    @contextmanager
    def used(self, board: str) -> Iterator[None]:
        """Keep the row of a board; what no load uses afterwards is forgotten."""
        self._rows.setdefault(board, _Row())
        self._users[board] += 1
        try:
            yield
        finally:
            self._users[board] -= 1
            if not self._users[board]:
                del self._rows[board], self._users[board]


class Repeats:
    """Reminds the model of a board after every so many equal calls in a row.

    Calls inside calls don't count, and don't end a row.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @hookimpl
    def pegboard_settings(self) -> type:
        """The class of its settings."""
        return RepeatsSettings

    @hookimpl
    @contextmanager
    def pegboard_board(self, board: PluginBoard) -> Iterator[None]:
        """Count for a board while it lives."""
        with self._rows.used(board.name):
            yield

    @hookimpl
    def pegboard_after_call(self, execution: Execution, plugin: PluginContext) -> Accept | None:
        """Remind the model where its row has become long enough once more."""
        row = self._row(execution)
        if row is None or row.count(execution) % plugin.settings.after:
            return None
        said = plugin.settings.message.replace("{times}", str(row.times))
        return Accept(contexts=[said.replace("{tool}", execution.tool)])

    @hookimpl
    def pegboard_call_finished(self, execution: Execution) -> None:
        """Count the calls that no verdict was asked for: they make or end a row too."""
        row = self._row(execution)
        if row is not None:
            row.count(execution)

    def _row(self, execution: Execution) -> _Row | None:
        return None if execution.parent is not None else self._rows.of(execution.board)


def _digest(execution: Execution) -> bytes:
    called: list[Any] = [execution.tool, execution.arguments]
    return hashlib.blake2b(sorted_text(called), digest_size=16).digest()
