"""What a call costs that an agent of another framework makes on a board."""

from collections.abc import Callable
from typing import Any

import pytest
from agents import RunContextWrapper
from pegboard import Board
from pegboard.frameworks import langchain as ours_for_langchain
from pegboard.frameworks.openai_agents import BoardAgent
from pegboard.frameworks.openai_agents import tools as for_openai_agents
from pegboard.frameworks.pydantic_ai import BoardToolset
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import RunContext
from pydantic_ai.usage import RunUsage
from side_by_side import Way, measure
from ways import ARGUMENTS, ID, TEXT, a_board, add, langchain, openai_agents, pydantic_ai

RUN = RunContext[None](deps=None, model=TestModel(), usage=RunUsage())


def many(number: int) -> list[Callable[..., Any]]:
    """Functions with names of their own."""

    def named(name: str) -> Callable[..., Any]:
        async def function(a: int, b: list[str] | None = None, label: str = "") -> str:
            """Do something with a few arguments."""
            return label

        function.__name__ = name
        return function

    return [named(f"function_{index}") for index in range(number)]


def langchain_tools(board: Board) -> Way:
    """What the middleware does at each step."""

    async def offer() -> Any:
        return ours_for_langchain.tools(board)

    return offer


async def test_a_call_on_a_board_costs_at_most_three_of_the_frameworks_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with a_board(add) as board:
        [for_langchain] = ours_for_langchain.tools(board)
        agent = BoardAgent[None](name="bench", board=board)
        [of_agent] = await agent.get_all_tools(RunContextWrapper(None))
        [listed] = for_openai_agents(board)
        ways = {
            "pegboard, dict": lambda: board.call("add", ARGUMENTS, id=ID),
            "pydantic-ai, its own": await pydantic_ai(TEXT),
            "pydantic-ai, on a board": await pydantic_ai(TEXT, BoardToolset(board)),
            "langchain, its own": langchain(),
            "langchain, on a board": langchain(for_langchain),
            "openai-agents, its own": openai_agents(),
            "openai-agents, on a board": openai_agents(listed),
            "openai-agents, a BoardAgent": openai_agents(of_agent),
        }
        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("one call", "pegboard, dict"))
    for name in ("pydantic-ai", "langchain", "openai-agents"):
        assert figures.ratio(f"{name}, on a board", f"{name}, its own") <= 3


async def test_offering_a_hundred_tools_takes_less_than_ten_milliseconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What each adapter does before a model is asked, for a board that hasn't changed."""
    async with a_board(*many(100)) as board:
        toolset, agent = BoardToolset[None](board), BoardAgent[None](name="bench", board=board)
        context = RunContextWrapper(None)
        ways = {
            "pydantic-ai": lambda: toolset.get_tools(RUN),
            "openai-agents": lambda: agent.get_all_tools(context),
            "langchain": langchain_tools(board),
        }
        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("a hundred tools", "langchain"))
    assert all(figures.microseconds(way) < 10_000 for way in ways)
