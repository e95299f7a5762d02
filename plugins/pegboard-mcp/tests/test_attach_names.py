"""The tools of an attached server: their names, their definitions, and which are taken."""

import json
from pathlib import Path
from typing import Any

import pytest
from pegboard import Config, Host, PluginConfig, PluginLoadError
from pegboard.formats import mcp
from pegboard_attached import attached, name_of
from pegboard_mcp import McpServer
from pegboard_scripted import STYLES, Scripted, named, raw_names, raw_of

FULL: dict[str, Any] = {
    "name": "full",
    "title": "In full",
    "description": "Has all there is.",
    "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"},
    "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
    "annotations": {"readOnlyHint": True, "title": "A title", "x-more": [1]},
    "icons": [{"src": "data:image/png;base64,AAAA"}],
    "execution": {"taskSupport": "optional"},
    "_meta": {"any": {"thing": None}},
    "unheard": "of",
}


async def test_every_tool_is_called_under_a_name_of_ours_and_the_server_hears_its_own(
    tmp_path: Path,
) -> None:
    server = Scripted(tmp_path, *STYLES)
    async with attached(server) as (_, board):
        given = {raw: await board.call(ours) for ours, raw in raw_of(board).items()}

    assert {raw: json.loads(each.unwrap()) for raw, each in given.items()} == {
        raw: {raw: {}} for raw in STYLES
    }


async def test_names_are_the_same_in_any_order_and_after_a_restart(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path / "a", *STYLES)) as (_, board):
        first = raw_of(board)
    async with attached(Scripted(tmp_path / "b", *reversed(STYLES))) as (_, board):
        second = raw_of(board)

    assert first == second
    assert len(first) == len(STYLES)


async def test_a_clean_name_stays_readable_behind_the_plugins_name(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path, "echo"), name="my.server") as (_, board):
        assert list(board.tools) == ["my_server_echo"]


@pytest.mark.parametrize(("prefix", "name"), [("", "echo"), ("x_", "x_echo")])
async def test_another_prefix_may_be_given(tmp_path: Path, prefix: str, name: str) -> None:
    async with attached(Scripted(tmp_path, "echo"), prefix=prefix) as (_, board):
        assert list(board.tools) == [name]


async def test_a_prefix_that_no_name_can_begin_with_is_refused(tmp_path: Path) -> None:
    server = McpServer(Scripted(tmp_path, "echo").command, prefix="1 ")
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="'1 '"):
            await host.load(server, name="s")


async def test_only_the_tools_that_are_named_are_taken(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "read", "read_all", "write", "x_read")

    async with attached(server, tools=["read*", "write", "gone"]) as (_, board):
        assert raw_names(board) == ["read", "read_all", "write"]


async def test_nothing_of_a_definition_is_lost_but_its_name(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path, FULL), prefix="") as (_, board):
        assert mcp.definitions(board) == [FULL]


async def test_one_bad_tool_costs_only_itself(tmp_path: Path) -> None:
    bad = [
        {"name": "none"},
        {"name": "text", "inputSchema": {"type": "string"}},
        {"name": "null", "inputSchema": {"type": "object", "required": None}},
        {"name": "hidden", "description": "a\u202eb", "inputSchema": {"type": "object"}},
        {"inputSchema": {"type": "object"}},
    ]
    fine = {"name": "fine", "inputSchema": {"type": "object", "properties": {"r": True}}}

    async with attached(Scripted(tmp_path, *bad, fine, "fine")) as (host, board):
        refused = {each.name: each.reason for each in host.plugins["s"].refused}

        assert raw_names(board) == ["fine"]
        assert set(refused) == {
            *(f"s_{name}" for name in ("none", "text", "null", "hidden", "fine")),
            "tool 5 of the list",
        }
        assert all(refused.values())


async def test_a_tool_whose_name_is_taken_costs_only_itself(tmp_path: Path) -> None:
    async with Host(discover=False) as host:
        await host.load(McpServer(Scripted(tmp_path / "a", "x", "y").command, prefix=""), name="a")
        await host.load(McpServer(Scripted(tmp_path / "b", "x", "z").command, prefix=""), name="b")
        board = await host.board("b")

        [refused] = host.plugins["b"].refused
        assert list(board.tools) == ["x", "y", "z"]
        assert "'a'" in refused.reason


async def test_a_tool_of_a_server_may_be_renamed_by_the_operator(tmp_path: Path) -> None:
    config = Config(plugins={"s": PluginConfig(rename={"s_x": "better"})})
    async with attached(Scripted(tmp_path, "x"), config=config) as (_, board):
        assert list(board.tools) == ["better"]
        assert (await board.call("better")).unwrap() == '{"x": {}}'


async def test_annotations_decide_what_may_overlap(tmp_path: Path) -> None:
    tools = named("read", annotations={"readOnlyHint": True})

    async with attached(Scripted(tmp_path, *tools)) as (_, board):
        annotations = board.tools[name_of(board, "read")].annotations

    assert annotations is not None
    assert annotations.read_only is True
