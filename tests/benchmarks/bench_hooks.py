"""What hooks cost: nothing where there are none, and little where there are ten."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from unittest.mock import patch

import pytest
from pegboard import Board, Execution, Outcome
from pegboard.calls import Pipeline
from side_by_side import measure
from ways import ARGUMENTS, ID, a_board, add


async def before(execution: Execution) -> None:
    """Have no opinion."""


async def after(execution: Execution, outcome: Outcome) -> None:
    """Have no opinion."""


async def around(call_next: Any) -> Any:
    """Let it happen."""
    return await call_next()


@asynccontextmanager
async def with_hooks(**hooks: Any) -> AsyncIterator[Board]:
    """A board with five of each of these hooks."""
    async with a_board(add) as board:
        for _ in range(5):
            board.hook(**hooks)
        yield board


async def test_ten_async_hooks_cost_at_most_as_much_again_as_the_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with AsyncExitStack() as stack:
        bare = await stack.enter_async_context(a_board(add))
        ten = await stack.enter_async_context(with_hooks(before_call=before, after_call=after))
        wrapped = await stack.enter_async_context(with_hooks(around_call=around))
        ways = {
            "no hook": lambda: bare.call("add", ARGUMENTS, id=ID),
            "5 before, 5 after": lambda: ten.call("add", ARGUMENTS, id=ID),
            "5 around": lambda: wrapped.call("add", ARGUMENTS, id=ID),
        }
        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("hooks", "no hook"))
    assert figures.ratio("5 before, 5 after", "no hook") <= 2


class Stageless(Pipeline):
    """A pipeline without the stages of policies, wrappers, verdicts and finalizers."""

    async def call(self, scope: Any, call: Any, request: Any) -> Outcome:
        """Take one call through what is left."""
        flight = self.begin(scope, call, request)
        outcome = self.ready(flight)
        if outcome is None:
            begun = self._bodies.begin(flight, flight.entry, self._side)  # type: ignore[arg-type]
            outcome = begun if not hasattr(begun, "__await__") else await begun
        flight.is_final = True
        return self._landed(flight, outcome)


async def test_a_stage_without_hooks_costs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    async with AsyncExitStack() as stack:
        whole = await stack.enter_async_context(a_board(add))
        with patch("pegboard.host.host.Pipeline", Stageless):
            without = await stack.enter_async_context(a_board(add))
        ways = {
            "without the stages": lambda: without.call("add", ARGUMENTS, id=ID),
            "with them, no hook": lambda: whole.call("add", ARGUMENTS, id=ID),
            "with them, no hook (again)": lambda: whole.call("add", ARGUMENTS, id=ID),
        }
        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("empty stages", "without the stages"))
