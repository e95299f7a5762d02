"""Programs search too, and what they find is declared from the next one on."""

from typing import Any

import pegboard_code
import pegboard_search
import pydantic_monty as monty
import pytest
from pegboard import Failure, Host, tool

SEARCHING = """
found = await tools_search(query="zebras")
[each["name"] for each in found["tools"]]
"""


@pytest.fixture(scope="module", autouse=True)
def what_monty_starts_once() -> None:
    """Threads and descriptors that stay for the life of a process, whatever runs in it."""
    with monty.Monty(min_processes=0, max_processes=1) as pool, pool.checkout() as session:
        session.feed_run("None")


@tool(defer_loading=True)
async def zebra_count(place: str) -> int:
    """Count zebras.

    Args:
        place: Where.
    """
    return len(place)


def ran(code: str) -> tuple[str, Any]:
    """A call of `run_code`."""
    return "run_code", {"description": "Count zebras.", "code": code}


async def test_a_program_finds_a_tool_and_the_next_one_calls_it() -> None:
    async with Host(discover=False) as host:
        await host.load(pegboard_code, name="code")
        await host.load(pegboard_search, name="search")
        host.register(zebra_count)
        board = await host.board("case", presentation="code")
        calling = ran('await zebra_count(place="Oslo")')
        early = await board.call(*calling)
        revision = board.revision
        found = (await board.call(*ran(SEARCHING))).unwrap()
        late = (await board.call(*calling)).unwrap()

        assert isinstance(early, Failure)
        assert "zebra_count" in early.message
        assert found["result"] == ["zebra_count"]
        assert late["result"] == 4
        assert board.revision == revision + 1
        assert [each.name for each in board.definitions()] == ["run_code"]
