"""What a call costs, beside the floor below it and beside pegboard's peers."""

from typing import Any

import orjson
import pytest
from side_by_side import measure
from ways import ARGUMENTS, ID, TEXT, Floor, a_board, add, langchain, openai_agents, pydantic_ai

RECORDS = {
    "records": [
        {"id": number, "name": f"record number {number}", "score": number / 4, "tags": ["a", "bc"]}
        for number in range(18)
    ]
}
"""About 1.2 KB of JSON."""


async def records() -> dict:  # type: ignore[type-arg]  # as authors write
    """Give some records."""
    return RECORDS


async def nothing() -> dict:  # type: ignore[type-arg]  # as authors write
    """Give nothing."""
    return {}


async def test_a_small_call_costs_at_most_four_floors_and_less_than_at_the_peers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    floor = Floor()
    async with a_board(add) as board:
        ways = {
            "bare await": lambda: add(**ARGUMENTS),
            "floor, dict": lambda: floor.call("add", ARGUMENTS, ID),
            "floor, text": lambda: floor.call("add", TEXT, ID),
            "pegboard, dict": lambda: board.call("add", ARGUMENTS, id=ID),
            "pegboard, dict (again)": lambda: board.call("add", ARGUMENTS, id=ID),
            "pegboard, text": lambda: board.call("add", TEXT, id=ID),
            "openai-agents `invoke_function_tool`, text": openai_agents(),
            "pydantic-ai `ToolManager`, dict": await pydantic_ai(ARGUMENTS),
            "pydantic-ai `ToolManager`, text": await pydantic_ai(TEXT),
            "langchain `ainvoke`, dict": langchain(),
        }
        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("one call", "pegboard, dict"))
        for kind in ("dict", "text"):
            print(f"{kind}: {figures.ratio(f'pegboard, {kind}', f'floor, {kind}'):.2f} floors")
    for kind in ("dict", "text"):
        assert figures.ratio(f"pegboard, {kind}", f"floor, {kind}") <= 4
        assert figures.ratio(f"pegboard, {kind}", f"pydantic-ai `ToolManager`, {kind}") < 1
    assert figures.ratio("pegboard, text", "openai-agents `invoke_function_tool`, text") < 1


async def test_a_kilobyte_of_output_adds_at_most_one_and_a_half_round_trips_to_a_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def round_trip() -> Any:
        return orjson.loads(orjson.dumps(RECORDS))

    async with a_board(records, nothing) as board:
        ways = {
            "orjson round trip": round_trip,
            "pegboard, no output": lambda: board.call("nothing", id=ID),
            "pegboard, 1.2 KB": lambda: board.call("records", id=ID),
        }
        figures = await measure(ways)

    added = figures.added("pegboard, 1.2 KB", "pegboard, no output", beside="orjson round trip")
    with capsys.disabled():
        size = len(orjson.dumps(RECORDS))
        print("\n\n" + figures.table(f"{size} bytes of output", "orjson round trip"))
        whole = figures.ratio("pegboard, 1.2 KB", "orjson round trip")
        print(f"the whole call takes {whole:.2f} round trips, the output adds {added:.2f}")
    assert added <= 1.5
