"""A body whose work ran elsewhere says that it is lost."""

import pytest
from pegboard import Config, Failure, Host, Output, Tool, WorkerLostError


def losing(message: str) -> Tool:
    """A tool whose worker is gone."""

    async def run(_arguments: object, _context: object) -> object:
        raise WorkerLostError(message)

    schema = {"type": "object"}
    return Tool(name="t", parameters={"type": "object"}, run=run, output=Output(schema=schema))


@pytest.mark.parametrize("mask_errors", [False, True], ids=["shown", "masked"])
async def test_the_call_ends_as_worker_lost_with_what_the_body_says(mask_errors: bool) -> None:
    async with Host(Config(mask_errors=mask_errors), discover=False) as host:
        host.register(losing("the server has ended with status 3"))
        board = await host.board("x")
        outcome = await board.call("t", {}, id="c")

    assert isinstance(outcome, Failure)
    assert (outcome.call_id, outcome.code) == ("c", "worker_lost")
    assert outcome.message == "the server has ended with status 3"


async def test_without_words_the_message_is_the_kind_of_the_error() -> None:
    async with Host(discover=False) as host:
        host.register(losing(""))
        board = await host.board("x")
        outcome = await board.call("t", {})

    assert isinstance(outcome, Failure)
    assert outcome.message == "WorkerLostError"
