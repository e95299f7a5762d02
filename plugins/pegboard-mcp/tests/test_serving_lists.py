"""The list of tools that clients of a board are given, and how they learn of its changes."""

import asyncio
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_PARAMS, jsonrpc_message_adapter
from pegboard import (
    Tool,
    WrongArgumentError,
)
from pegboard.formats.mcp import definitions
from pegboard_mcp import BoardServer
from pegboard_serving import TOOLS, board_with, echo, eras, listening, names, wire


@eras
async def test_a_client_sees_the_definitions_of_the_board(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        listed = wire(await client.list_tools())["tools"]

        assert listed == definitions(board, any_output=era != "legacy")


@eras
async def test_changes_of_the_list_are_promised(era: str) -> None:
    async with board_with(echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        tools = client.server_capabilities.tools

    assert tools is not None
    assert tools.list_changed is True


@eras
async def test_a_tool_comes_and_goes_while_a_client_is_connected(era: str) -> None:
    async with board_with(echo) as (host, board), listening(BoardServer(board), era) as served:
        client, told = served
        seen = [await names(client)]
        for change in (
            lambda: host.register(TOOLS[1]),
            lambda: board.restrict(deny=["echo"]),
            lambda: host.restrict(deny=["count"]),
        ):
            change()
            await told.again()
            seen.append(await names(client))

    assert seen == [["echo"], ["echo", "count"], ["count"], []]


@eras
async def test_changes_are_told_to_who_has_never_listed(era: str) -> None:
    async with board_with(echo) as (host, board), listening(BoardServer(board), era) as served:
        for each in TOOLS[1:3]:
            host.register(each)
            await served[1].again()

        assert served[1].times == 2


@eras
async def test_many_changes_at_once_are_told_once(era: str) -> None:
    async with board_with() as (host, board), listening(BoardServer(board), era) as served:
        for each in TOOLS:
            host.register(each)
        await served[1].again()
        await asyncio.sleep(0.05)

        assert served[1].times == 1


@eras
async def test_what_another_board_shows_is_nobodys_business(era: str) -> None:
    async with board_with(*TOOLS) as (host, board), listening(BoardServer(board), era) as served:
        other = await host.board("other", parent=board)
        await names(served[0])
        _ = other.revision
        other.restrict(deny=["echo"])
        await asyncio.sleep(0.05)

        assert served[1].times == 0


@eras
async def test_pages_hold_as_many_tools_as_configured(era: str) -> None:
    async with board_with(*TOOLS) as (_, board):
        server = BoardServer(board, page_size=2)
        async with Client(server, mode=era) as client:
            pages, cursor = [], None
            while not pages or cursor:
                listed = await client.list_tools(cursor=cursor, cache_mode="bypass")
                pages.append([each.name for each in listed.tools])
                cursor = listed.next_cursor

    assert pages == [["echo", "count"], ["fail", "steps"], ["blocks"]]


def named(name: str) -> Tool:
    """A tool of this name."""
    return Tool(
        name=name,
        description="One.",
        parameters={"type": "object"},
        run=lambda arguments, context: 1,
    )


@pytest.mark.parametrize("what", ["remove", "deny", "shadow", "register again", "remove others"])
@eras
async def test_a_tool_that_stays_is_on_one_page_whatever_happens_meanwhile(
    era: str, what: str
) -> None:
    async with board_with() as (host, board):
        added = {name: host.register(named(name)) for name in "abcdefg"}
        async with Client(BoardServer(board, page_size=2), mode=era) as client:
            listed = await client.list_tools(cache_mode="bypass")
            seen = [each.name for each in listed.tools]
            if what == "deny":
                board.restrict(deny=["b"])
            elif what == "shadow":
                board.register(named("b"))
            else:
                for name in "ac" if what == "remove others" else "b":
                    added[name].close()
            host.register(named("h"))
            if what == "register again":
                host.register(named("b"))
            while listed.next_cursor:
                listed = await client.list_tools(cursor=listed.next_cursor, cache_mode="bypass")
                seen += [each.name for each in listed.tools]

    stay = [each for each in seen if each not in "abc"]
    assert stay == list("defgh")
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    "cursor", ["", "x", "ZWNobw==", "YmxvY2tz\n", "é", "_" * 10_000, "OQ==", "LTE="]
)
@pytest.mark.parametrize("page_size", [None, 2])
@eras
async def test_a_cursor_that_was_never_given_is_refused(
    era: str, page_size: int | None, cursor: str
) -> None:
    async with board_with(*TOOLS[1:]) as (_, board):
        server = BoardServer(board, page_size=page_size)
        async with Client(server, mode=era) as client:
            with pytest.raises(MCPError, match="Invalid cursor") as error:
                await client.list_tools(cursor=cursor, cache_mode="bypass")

    assert error.value.code == INVALID_PARAMS


@pytest.mark.parametrize("size", [0, -1, True, 1.5, "2"])
async def test_a_page_size_is_a_positive_number(size: Any) -> None:
    async with board_with() as (_, board):
        with pytest.raises(WrongArgumentError, match="page_size takes a whole number from 1 on"):
            BoardServer(board, page_size=size)


@eras
async def test_a_definition_that_clients_cannot_read_costs_only_what_is_wrong_with_it(
    era: str,
) -> None:
    odd = Tool(
        name="odd",
        description="Odd.",
        parameters={"type": "object"},
        run=lambda arguments, context: None,
        passthrough={"icons": "no list", "_meta": 3},
    )

    async with board_with(echo, odd) as (_, board), Client(BoardServer(board), mode=era) as client:
        listed = wire(await client.list_tools())["tools"]

    assert [each["name"] for each in listed] == ["echo", "odd"]
    assert listed[1] == {"name": "odd", "description": "Odd.", "inputSchema": {"type": "object"}}


@eras
async def test_icons_titles_hints_and_further_fields_arrive(era: str) -> None:
    icons = [{"src": "https://example.org/x.png", "mimeType": "image/png"}]
    odd = Tool(
        name="rich",
        description="Rich.",
        title="Riches",
        parameters={"type": "object"},
        run=lambda arguments, context: None,
        passthrough={"icons": icons, "_meta": {"example.org/kind": 3}},
    )

    async with board_with(odd) as (_, board), Client(BoardServer(board), mode=era) as client:
        [listed] = wire(await client.list_tools())["tools"]

    assert (listed["title"], listed["icons"]) == ("Riches", icons)
    assert listed["_meta"] == {"example.org/kind": 3}


@eras
async def test_the_list_of_an_unchanged_board_is_made_once(
    era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def counted(board: Any, **options: Any) -> Any:
        made.append(options)
        return definitions(board, **options)

    monkeypatch.setattr("pegboard_mcp.serving.listing.definitions", counted)
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        first, second = [await client.list_tools(cache_mode="bypass") for _ in range(2)]

    assert (wire(first), made) == (wire(second), [{"any_output": era != "legacy"}])


async def test_a_client_that_reads_again_is_told_of_what_it_has_missed() -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}

    async with board_with(echo) as (host, board):
        server = BoardServer(board)
        sending, incoming = anyio.create_memory_object_stream[Any](10)
        outgoing, reading = anyio.create_memory_object_stream[Any](0)
        serving = asyncio.create_task(
            server.run(incoming, outgoing, server.create_initialization_options())
        )
        await sending.send(message(id=1, method="initialize", params=hello))
        await reading.receive()
        await sending.send(message(method="notifications/initialized"))
        told = []
        for each in TOOLS[1:]:
            await asyncio.sleep(0.1)
            host.register(each)
        for number in range(3):
            told.append((await asyncio.wait_for(reading.receive(), 10)).message.method)
            if number == 1:
                host.register(named("late"))
        await sending.aclose()
        await serving
        reading.close()

    assert told == ["notifications/tools/list_changed"] * 3


CLIENT = {"name": "x", "version": "1"}


def message(**parts: Any) -> SessionMessage:
    """A message of the handshake era."""
    return SessionMessage(jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **parts}))
