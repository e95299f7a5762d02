"""What is found reaches clients of MCP, and providers that read references to tools."""

from collections.abc import Callable
from typing import Any

import pytest
from mcp import Client
from pegboard import Tool
from pegboard.formats import anthropic
from pegboard_mcp import BoardServer
from pegboard_serving import eras, listening, names, texts

Made = Callable[..., Tool]


@eras
async def test_a_client_is_told_of_what_its_search_has_found_and_calls_it(
    desk: Any, made: Made, era: str
) -> None:
    tools = [made("zebra", "Count zebras."), made("horse", "Count horses.")]
    async with desk(*tools) as it, listening(BoardServer(it.board), era) as (client, told):
        before = await names(client)
        found = await client.call_tool("tools_search", {"query": "zebras"})
        await told.again()
        after = await names(client)
        called = await client.call_tool("zebra", {})

    assert (before, after) == (["tools_search"], ["zebra", "tools_search"])
    assert [each["name"] for each in found.structured_content["tools"]] == ["zebra"]
    assert texts(called) == "zebra"


@eras
async def test_a_client_is_told_of_nothing_where_a_search_finds_nothing_new(
    desk: Any, made: Made, era: str
) -> None:
    tools = [made("zebra", "Count zebras."), made("horse", "Count horses.")]
    async with desk(*tools) as it, listening(BoardServer(it.board), era) as (client, told):
        for query in ("zebra", "zebras", "nothing like that", "☃"):
            await client.call_tool("tools_search", {"query": query})
        await told.again()
        await client.call_tool("tools_search", {"query": "horses"})
        await told.again()

    assert told.times == 2


@eras
async def test_what_one_client_of_a_board_finds_every_client_of_it_is_shown(
    desk: Any, made: Made, era: str
) -> None:
    async with desk(made("zebra", "Count zebras.")) as it:
        server = BoardServer(it.board)
        async with listening(server, era) as (other, told), Client(server, mode=era) as client:
            await client.call_tool("tools_search", {"query": "zebras"})
            await told.again()
            shown = await names(other)

    assert shown == ["zebra", "tools_search"]


@pytest.mark.parametrize("query", ["zebras or horses", "zebra"])
async def test_a_provider_reads_references_to_what_was_found(
    desk: Any, made: Made, query: str
) -> None:
    tools = [made("zebra", "Count zebras."), made("horse", "Count horses.")]
    block = {"type": "tool_use", "id": "1", "name": "tools_search", "input": {"query": query}}
    async with desk(*tools) as it:
        sent = anthropic.definitions(it.board, referenced=True)
        outcomes = await it.board.run(anthropic.calls(block, it.board))
        (message,) = anthropic.results(outcomes, board=it.board)
        after = anthropic.definitions(it.board, referenced=True)

    found = [each["name"] for each in outcomes[0].unwrap()["tools"]]
    marked = {each["name"] for each in sent if each.get("defer_loading")}
    refers = [{"type": "tool_reference", "tool_name": each} for each in found]
    assert message["content"][0]["content"] == refers
    assert set(found) <= marked == {"zebra", "horse"}
    assert after == sent


async def test_a_provider_reads_in_words_that_nothing_was_found(desk: Any, made: Made) -> None:
    async with desk(made("zebra", "Count zebras.")) as it:
        outcomes = [await it.outcome(each) for each in ("giraffe", "☃")]
        (message,) = anthropic.results(outcomes, board=it.board)
        (nothing, failed) = [each["content"][0]["text"] for each in message["content"]]

    assert "no tool was found" in nothing
    assert "there is no word in query" in failed
