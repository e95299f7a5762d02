"""A policy that puts another content in the place of a result's hides the value with it."""

from typing import Any

import pytest
from pegboard import Accept, Host, Outcome, Success, Text, tool
from pegboard.records import outcome_from_json, to_json


async def outcome_after(*verdicts: Accept) -> Outcome:
    """The outcome of a call after these verdicts, the first one's layer nearest."""

    @tool
    async def one() -> int:
        """One."""
        return 1

    async with Host(discover=False) as host:
        host.register(one)
        board = await host.board("outer")
        for number, verdict in enumerate(reversed(verdicts)):
            board.hook(after_call=_giving(verdict))
            board = await host.board(f"inner-{number}", parent=board)
        return await board.call("one", {})


def _giving(verdict: Accept) -> Any:
    return lambda outcome: verdict


@pytest.mark.parametrize(
    ("verdicts", "hides"),
    [
        ([], False),
        ([Accept()], False),
        ([Accept(contexts=["more"])], False),
        ([Accept(value=2)], False),
        ([Accept(content=[Text("x")])], True),
        ([Accept(content=[])], True),
        ([Accept(content=[Text("x")], keeps_value=True)], False),
        ([Accept(content=[Text("x")]), Accept(content=[Text("y")], keeps_value=True)], True),
        ([Accept(content=[Text("x")]), Accept(value=2)], False),
    ],
    ids=["none", "nothing", "context", "value", "content", "empty", "kept", "both", "renewed"],
)
async def test_the_outcome_says_whether_its_value_is_for_models_too(
    verdicts: list[Accept], hides: bool
) -> None:
    outcome = await outcome_after(*verdicts)

    assert isinstance(outcome, Success)
    assert outcome.hides_value is hides


async def test_the_program_that_called_still_has_the_value() -> None:
    outcome = await outcome_after(Accept(content=[Text("x")]))

    assert outcome.unwrap() == 1


async def test_a_record_keeps_it() -> None:
    outcome = await outcome_after(Accept(content=[Text("x")]))

    assert outcome_from_json(to_json(outcome)) == outcome
