"""What is no board is refused where it is given."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard import Host, WrongArgumentError
from pegboard.frameworks import langchain, openai_agents, pydantic_ai

TAKERS: dict[str, Callable[[Any], object]] = {
    "langchain's middleware": langchain.BoardMiddleware,
    "langchain's tools": langchain.tools,
    "openai's tools": openai_agents.tools,
    "openai's agent": lambda given: openai_agents.BoardAgent(name="agent", board=given),
    "pydantic's toolset": pydantic_ai.BoardToolset,
}


@pytest.fixture(params=list(TAKERS))
def take(request: pytest.FixtureRequest) -> Callable[[Any], object]:
    return TAKERS[request.param]


@pytest.mark.parametrize("given", [None, 5, "agent", [], Host])
def test_what_is_no_board_is_refused_by_name(take: Callable[[Any], object], given: Any) -> None:
    with pytest.raises(WrongArgumentError, match=f"not {type(given).__name__}$"):
        take(given)


async def test_a_board_that_was_not_awaited_is_told_how(take: Callable[[Any], object]) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(WrongArgumentError, match=r"what `await host\.board\(…\)` gives"):
            take(host.board("agent"))


@pytest.mark.parametrize("given", [None, 5, "climb"])
def test_what_is_no_tool_of_pydantic_ai_is_refused_by_name(given: Any) -> None:
    with pytest.raises(WrongArgumentError, match="takes a Tool of pydantic-ai or a function, not"):
        pydantic_ai.from_pydantic_ai(given)
