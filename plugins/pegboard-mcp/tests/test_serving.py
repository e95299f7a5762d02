"""A board as an MCP server, in memory and in both eras of the protocol."""

import asyncio
import logging
from itertools import pairwise
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_PARAMS, jsonrpc_message_adapter
from pegboard import (
    Accept,
    Output,
    RunContext,
    Text,
    Tool,
    ToolError,
    WrongArgumentError,
    tool,
)
from pegboard.formats.mcp import definitions
from pegboard_mcp import BoardServer
from pegboard_serving import ERAS, TOOLS, board_with, echo, listening, names, texts

eras = pytest.mark.parametrize("era", ERAS, ids=["handshake", "modern"])


def wire(model: Any) -> Any:
    """A message as it goes over the wire."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


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
async def test_a_server_says_its_name_and_its_instructions(era: str) -> None:
    async with board_with() as (_, board):
        server = BoardServer(board, name="library", instructions="Be brief.")
        async with Client(server, mode=era) as client:
            info, instructions = client.server_info, client.instructions

    assert info is not None
    assert (info.name, instructions) == ("library", "Be brief.")


@eras
async def test_a_value_is_text_and_structured_content(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("count", {"n": 3})

    assert (result.is_error, result.structured_content) == (False, {"n": 3})
    assert texts(result) == '{"n":3}'


@pytest.mark.parametrize(("era", "structured"), [("legacy", None), ("auto", "Pi")])
async def test_only_the_newer_era_gets_values_that_are_no_objects(
    era: str, structured: str | None
) -> None:
    async with board_with(echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("echo", {"value": "Pi"})

    assert (texts(result), result.structured_content) == ("Pi", structured)


@eras
async def test_content_of_every_kind_arrives(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        content = wire(await client.call_tool("blocks", {}))["content"]

    kinds = ["text", "image", "audio", "resource", "resource", "resource_link"]
    assert [each["type"] for each in content] == kinds
    assert [content[1]["data"], content[3]["resource"]["text"]] == ["iVBORw0KGgo=", "inside"]


@eras
async def test_b_034_a_failure_is_text_without_structured_content(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("fail", {"value": "db down"})

    assert (result.is_error, result.structured_content) == (True, None)
    assert texts(result) == "Error: db down"


@eras
async def test_wrong_arguments_are_a_failure_that_says_where(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("count", {"n": "three"})

    assert result.is_error
    assert "$.n must be an integer" in texts(result)


@eras
async def test_a_hidden_tool_is_one_that_does_not_exist(era: str) -> None:
    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        board.restrict(deny=["count"])

        refused = []
        for name in ("count", "cound"):
            with pytest.raises(MCPError) as error:
                await client.call_tool(name, {"m": "wrong"})
            refused.append((error.value.code, error.value.message.replace(name, "…")))
        seen = await names(client)

    assert refused == [(INVALID_PARAMS, "Unknown tool: …")] * 2
    assert "count" not in seen


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
async def test_progress_arrives_in_order_before_the_result(era: str) -> None:
    told: list[Any] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with board_with(*TOOLS) as (_, board), Client(BoardServer(board), mode=era) as client:
        await client.call_tool("steps", {}, progress_callback=progressed)

    assert told == [(0, 100, "0 %"), (50, 100, "50 %"), (100, 100, "100 %")]


@eras
async def test_progress_never_falls_and_reports_without_a_number_hardly_count(era: str) -> None:
    told: list[float] = []

    @tool
    async def talk(context: RunContext) -> None:
        """Talk."""
        context.report(message="one")
        context.report(float("nan"), float("inf"), "two")
        for done in (5, 3, None, 50, 50, None, 100):
            context.report(done, 100, "more")

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with board_with(talk) as (_, board), Client(BoardServer(board), mode=era) as client:
        await client.call_tool("talk", {}, progress_callback=progressed)

    assert [round(each, 3) for each in told] == [0, 0, 5, 5, 5, 50, 50, 50, 100]
    assert all(one < other for one, other in pairwise(told))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "null"},
        {"type": ["integer", "null"]},
        {},
        {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/n"}], "$defs": {"n": {"type": "null"}}},
        {"enum": [1, None]},
        {"$ref": "#"},
    ],
)
@eras
async def test_a_value_that_may_be_null_is_not_promised(era: str, schema: Any) -> None:
    nothing = Tool(
        name="nothing",
        description="Nothing.",
        parameters={"type": "object"},
        run=lambda arguments, context: None,
        output=Output(schema=schema),
    )

    async with board_with(nothing) as (_, board), Client(BoardServer(board), mode=era) as client:
        listed = await client.list_tools()
        result = await client.call_tool("nothing", {})

    assert (listed.tools[0].output_schema, result.structured_content) == (None, None)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["integer", "string"]},
        {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/n"}], "$defs": {"n": {"const": 1}}},
        {"enum": [1]},
        {"allOf": [{}, {"type": "integer"}]},
    ],
)
async def test_a_value_that_is_never_null_is_promised_to_the_newer_era(schema: Any) -> None:
    one = Tool(
        name="one",
        description="One.",
        parameters={"type": "object"},
        run=lambda arguments, context: 1,
        output=Output(schema=schema),
    )

    async with board_with(one) as (_, board), Client(BoardServer(board)) as client:
        listed = await client.list_tools()
        result = await client.call_tool("one", {})

    assert (listed.tools[0].output_schema, result.structured_content) == (schema, 1)


@eras
async def test_a_client_that_gives_up_cancels_the_call_which_still_has_one_outcome(
    era: str,
) -> None:
    ended: asyncio.Queue[Any] = asyncio.Queue()
    reasons: list[str | None] = []

    @tool
    async def wait(context: RunContext) -> None:
        """Wait."""
        try:
            await asyncio.sleep(60)
        finally:
            reasons.append(context.signal.reason)

    async with board_with(wait) as (host, board), Client(BoardServer(board), mode=era) as client:
        host.hook(call_finished=lambda outcome: ended.put_nowait(outcome.code))
        with pytest.raises(MCPError):
            await client.call_tool("wait", {}, read_timeout_seconds=0.1)
        code = await ended.get()

    assert (code, ended.empty(), reasons) == ("aborted", True, ["the client has cancelled it"])


async def test_a_client_that_leaves_cancels_its_calls() -> None:
    ended: list[Any] = []
    began = asyncio.Event()

    @tool
    async def wait() -> None:
        """Wait."""
        began.set()
        await asyncio.sleep(60)

    async with board_with(wait) as (host, board):
        host.hook(call_finished=lambda outcome: ended.append(outcome.code))
        async with Client(BoardServer(board), mode="legacy") as client:
            call = asyncio.create_task(client.call_tool("wait", {}))
            await began.wait()
        await asyncio.gather(call, return_exceptions=True)

        assert (ended, host.running) == (["aborted"], ())


@eras
async def test_every_call_has_an_id_of_its_own(era: str) -> None:
    ids: list[str] = []

    async with board_with(echo) as (host, board):
        host.hook(call_finished=lambda execution: ids.append(execution.call_id))
        server = BoardServer(board)
        for _ in range(2):
            async with Client(server, mode=era) as client:
                await client.call_tool("echo", {"value": "Pi"})

    assert len(set(ids)) == 2


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
async def test_words_that_have_no_place_in_json_harm_no_connection(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)  # what is captured can't be sent between pytest's workers
    told: list[Any] = []

    @tool
    async def odd(context: RunContext) -> str:
        """Say odd things."""
        context.report(1, message="a\ud800b")
        raise ToolError("c\ud800d")

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with board_with(odd, echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        result = await client.call_tool("odd", {}, progress_callback=progressed)
        again = await client.call_tool("echo", {"value": "Pi"})

    assert (told, result.is_error, texts(again)) == (["a?b"], True, "Pi")


@eras
async def test_a_value_too_deep_for_clients_is_a_failure(era: str) -> None:
    deep: Any = 1
    for _ in range(200):
        deep = {"a": deep}
    nest = Tool(
        name="nest",
        description="Nest.",
        parameters={"type": "object"},
        run=lambda arguments, context: deep,
        output=Output(schema={"type": "object"}),
    )

    async with board_with(nest) as (_, board), Client(BoardServer(board), mode=era) as client:
        await client.list_tools()
        result = await client.call_tool("nest", {})

    assert (result.is_error, result.structured_content) == (True, None)
    assert "more than 150 levels" in texts(result)


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


@eras
async def test_a_closed_board_answers_with_failures(
    era: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with board_with(echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        await board.close()
        result = await client.call_tool("echo", {"value": "Pi"})

    assert result.is_error
    assert texts(result) == "Error: board 'desk' is closed"
    assert [each.exc_info for each in caplog.records] == [None]
    assert "tools/call failed on board 'desk': board 'desk' is closed" in caplog.text


@eras
async def test_a_fault_of_the_server_is_logged_and_not_told(
    era: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret-7")

    async with board_with(echo) as (_, board), Client(BoardServer(board), mode=era) as client:
        monkeypatch.setattr("pegboard_mcp.serving.answers.results", broken)
        monkeypatch.setattr("pegboard_mcp.serving.listing.definitions", broken)
        result = await client.call_tool("echo", {"value": "Pi"})
        with pytest.raises(MCPError) as error:
            await client.list_tools(cache_mode="bypass")

    assert (result.is_error, texts(result)) == (True, "Error: the server failed")
    assert "secret-7" not in str(error.value.error)
    assert "secret-7" in caplog.text


async def test_nothing_of_a_server_stays_on_the_board_once_nobody_is_served() -> None:
    async with board_with(echo) as (_, board):
        async with Client(BoardServer(board)) as client:
            await client.list_tools()
            assert board._scope.chains().approve

        assert not board._scope.chains().approve
        assert not board._scope.chains().changed


@eras
@pytest.mark.parametrize("is_typed", [True, False], ids=["promised", "not promised"])
async def test_a_value_whose_content_a_policy_has_replaced_reaches_no_client(
    era: str, is_typed: bool
) -> None:
    secret = Tool(
        name="secret",
        description="A secret.",
        parameters={"type": "object"},
        run=lambda arguments, context: {"key": "tok-123"},
        output=Output(schema={"type": "object"} if is_typed else None),
    )

    async with board_with(secret) as (_, board):
        board.hook(after_call=lambda outcome: Accept(content=[Text("a key")]))
        async with Client(BoardServer(board), mode=era) as client:
            await client.list_tools()
            result = await client.call_tool("secret", {})

    assert "tok-123" not in str(wire(result))
    assert (texts(result), result.is_error) == ("a key", is_typed)


@eras
async def test_content_that_says_the_same_keeps_the_value_beside_it(era: str) -> None:
    long = Tool(
        name="long",
        description="Long.",
        parameters={"type": "object"},
        run=lambda arguments, context: {"n": 1},
        output=Output(schema={"type": "object"}),
    )

    async with board_with(long) as (_, board):
        board.hook(after_call=lambda outcome: Accept(content=[Text("1")], keeps_value=True))
        async with Client(BoardServer(board), mode=era) as client:
            result = await client.call_tool("long", {})

    assert (texts(result), result.structured_content, result.is_error) == ("1", {"n": 1}, False)


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
