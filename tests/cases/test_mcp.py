"""The cases of section MCP, for servers as plugins."""

import json
from pathlib import Path
from typing import Any

import pytest
from pegboard import Code, Config, Failure, Host, PluginConfig, Success, Text, hookimpl
from pegboard.formats import mcp
from pegboard_attached import attached, calling, name_of, until
from pegboard_locked import accept
from pegboard_mcp import BoardServer, McpServer
from pegboard_scripted import STYLES, Scripted, named, raw_names, raw_of
from pegboard_serving import ERAS, listening, names

FILES = ("calculator", "everything", "fetch", "filesystem", "sequential-thinking")


async def test_p_359_each_tool_is_callable_and_the_server_receives_its_own_name(
    tmp_path: Path,
) -> None:
    server = Scripted(tmp_path, *STYLES)
    async with attached(server) as (_, board):
        given = {raw: await board.call(ours) for ours, raw in raw_of(board).items()}

    assert {raw: json.loads(each.unwrap()) for raw, each in given.items()} == {
        raw: {raw: {}} for raw in STYLES
    }


@pytest.mark.shared
@pytest.mark.parametrize("server", FILES)
async def test_p_359_the_definitions_of_real_servers_are_shown_again_but_for_their_names(
    tmp_path: Path, shared_definitions: Path, server: str
) -> None:
    [file] = shared_definitions.glob(f"*-{server}.json")
    tools = json.loads(file.read_text())["tools"]

    async with attached(Scripted(tmp_path, *tools)) as (_, board):
        raw = raw_of(board)
        shown = [{**each, "name": raw[str(each["name"])]} for each in mcp.definitions(board)]

    assert shown == tools


@pytest.mark.parametrize("arguments", [None, "", "null", {}])
async def test_p_360_absent_null_and_empty_arguments_arrive_as_an_empty_object(
    tmp_path: Path, arguments: Any
) -> None:
    server = Scripted(tmp_path, "t")

    await calling(server, "t", arguments)

    assert server.calls() == [{}]


async def test_p_361_a_result_with_the_error_flag_is_a_tool_error_with_the_servers_text(
    tmp_path: Path,
) -> None:
    tools = named("t", outputSchema={"type": "object", "required": ["n"]})
    result = {"content": [{"type": "text", "text": "db down"}], "isError": True}

    outcome = await calling(Scripted(tmp_path, *tools, replies={"t": result}), "t")

    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message) == (Code.TOOL_ERROR, "db down")
    assert outcome.content == (Text("db down"),)


@pytest.mark.parametrize(("value", "is_right"), [("ab-12", True), ("ab12", False)])
async def test_p_362_a_pattern_in_an_output_schema_is_enforced(
    tmp_path: Path, value: str, is_right: bool
) -> None:
    pattern = {"type": "string", "pattern": "^[a-z]+-[0-9]+$"}
    schema = {"type": "object", "properties": {"id": pattern}}
    result = {"content": [], "structuredContent": {"id": value}}
    server = Scripted(tmp_path, *named("t", outputSchema=schema), replies={"t": result})

    outcome = await calling(server, "t")

    assert isinstance(outcome, Success) is is_right
    assert is_right or "$.id" in str(getattr(outcome, "message", ""))


async def test_p_363_a_tool_whose_schema_cannot_be_enforced_is_refused_and_the_others_are_there(
    tmp_path: Path,
) -> None:
    wrong = {"type": "object", "properties": {"a": {"type": "strange"}}}
    tools = [{"name": "wrong", "inputSchema": wrong}, *named("right")]

    async with attached(Scripted(tmp_path, *tools)) as (host, board):
        [refused] = host.plugins["s"].refused

        assert raw_names(board) == ["right"]
        assert (refused.name, bool(refused.reason)) == ("s_wrong", True)


class Reserving:
    """A plugin with a reserved name, that hears of changes."""

    def __init__(self) -> None:
        self.told: list[str] = []

    @hookimpl
    def pegboard_reserved_names(self) -> dict[str, str]:
        """Give the name."""
        return {"s_mine": "it is mine"}

    @hookimpl
    def pegboard_tools_changed(self, board: Any) -> None:
        """Keep whose tools have changed."""
        self.told.append(board.name)


async def test_p_364_few_lists_are_fetched_and_everything_holds_for_the_new_one(
    tmp_path: Path,
) -> None:
    server, reserving = Scripted(tmp_path, "change", "read"), Reserving()
    async with attached(server) as (host, board):
        await host.load(reserving, name="r")
        board.restrict(deny=["*delete*"])
        board.definitions()
        script = {"tools": named("change", "read", "mine", "bulk_delete", "new")}

        await board.call("s_change", {"script": script, "notices": 20})
        await until(lambda: "s_new" in board.tools)

        assert raw_names(board) == ["change", "new", "read"]
        assert server.lists_fetched <= 4
        await until(lambda: reserving.told)


@pytest.mark.parametrize("era", ERAS)
async def test_p_364_our_own_clients_are_told(tmp_path: Path, era: str) -> None:
    server = Scripted(tmp_path, "change")
    async with attached(server) as (_, board), listening(BoardServer(board), era) as served:
        client, told = served
        await board.call("s_change", {"script": {"tools": named("change", "new")}, "notices": 20})
        await told.again()

        assert await names(client) == ["s_change", "s_new"]
        assert told.times == 1


async def test_p_364_the_lock_file_holds_for_the_new_list(tmp_path: Path) -> None:
    server, lock = Scripted(tmp_path / "server", "change"), tmp_path / "pegboard.lock"
    await accept(lock, McpServer(server.command, eager=True), name="s")

    async with attached(server, config=Config(lock=lock), eager=True) as (host, board):
        await board.call("s_change", {"script": {"tools": named("change", "new")}})
        await until(lambda: host.plugins["s"].quarantined)

        assert list(board.tools) == ["s_change"]
        assert (await board.call("s_new")).is_error
    assert server.calls("new") == []


async def test_p_365_a_name_that_is_taken_is_refused_and_no_other_tool_is_lost(
    tmp_path: Path,
) -> None:
    async with Host(discover=False) as host:
        await host.load(McpServer(Scripted(tmp_path / "a", "x", "y").command, prefix=""), name="a")
        await host.load(McpServer(Scripted(tmp_path / "b", "x", "z").command, prefix=""), name="b")

        [refused] = host.plugins["b"].refused
        assert list((await host.board("b")).tools) == ["x", "y", "z"]
        assert (refused.name, "'a'" in refused.reason) == ("x", True)


async def test_p_365_a_name_that_is_taken_may_be_renamed_by_the_operator(tmp_path: Path) -> None:
    config = Config(plugins={"b": PluginConfig(rename={"x": "x_of_b"})})
    async with Host(config, discover=False) as host:
        await host.load(McpServer(Scripted(tmp_path / "a", "x").command, prefix=""), name="a")
        await host.load(McpServer(Scripted(tmp_path / "b", "x").command, prefix=""), name="b")
        board = await host.board("b")

        assert list(board.tools) == ["x", "x_of_b"]
        assert (await board.call("x_of_b")).unwrap() == '{"x": {}}'
        assert name_of(board, "x") in board.tools
