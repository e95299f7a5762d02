"""Lists with something wrong in them, and kept lists that are another server's or none at all."""

import json
from pathlib import Path

import pytest
from pegboard import Config, EachTool, Host, PluginConfig, PluginContext, hookimpl
from pegboard_attached import attached, name_of, until
from pegboard_mcp import McpServer
from pegboard_mcp.attached.target import digest_of, target_of
from pegboard_scripted import Scripted, named, raw_names

OBJECT = '{"type": "object"}'
NULLS = dict.fromkeys(
    ("title", "description", "outputSchema", "annotations", "icons", "execution", "_meta")
)
BAD = {
    "nan": '{"name": "bad", "inputSchema": {"type": "object", "default": NaN}}',
    "infinite": '{"name": "bad", "inputSchema": {"type": "object", "default": 1e999}}',
    "half a character": f'{{"name": "bad", "inputSchema": {OBJECT}, "title": "\\ud800"}}',
    "deep schema": '{"name": "bad", "inputSchema": {"type": "object", "not": %s}}'
    % ('{"not":' * 600 + "{}" + "}" * 600),
    "deep meta": f'{{"name": "bad", "inputSchema": {OBJECT}, "_meta": {{"a": %s}}}}'
    % ("[" * 900 + "]" * 900),
}
NAMELESS = {
    "list": f'{{"name": ["x"], "inputSchema": {OBJECT}}}',
    "number": f'{{"name": 5, "inputSchema": {OBJECT}}}',
    "text": '"x"',
    "null": "null",
}


def listing(folder: Path, *further: str, before: tuple[str, ...] = ("change", "good")) -> Scripted:
    """A server whose list holds what no JSON writer would write."""
    server = Scripted(folder, *before)
    rewrite(server, *further)
    return server


def rewrite(server: Scripted, *further: str) -> None:
    """Have it list other definitions, as text, behind its own."""
    tools = ", ".join([*map(json.dumps, server.script["tools"]), *further])
    script = json.dumps({**server.script, "tools": "TOOLS"}).replace('"TOOLS"', f"[{tools}]")
    (server.folder / "script.json").write_text(script)


class Failing(McpServer):
    """A server whose tools can't be had while it fails."""

    fails = False

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> EachTool:
        """Give the server's tools."""
        if self.fails:
            raise ValueError("no tools now")
        return super().pegboard_tools(plugin)


def kept_in(folder: Path) -> Path:
    """The one list that is kept in a cache folder."""
    [found] = [each for each in folder.rglob("*.json") if '"tools"' in each.read_text()]
    return found


@pytest.mark.parametrize("tool", BAD.values(), ids=BAD)
async def test_a_tool_that_cannot_be_kept_costs_only_itself(tmp_path: Path, tool: str) -> None:
    server = listing(tmp_path, tool)
    for _ in range(2):
        async with attached(server) as (host, board):
            assert raw_names(board) == ["change", "good"]
            assert not (await board.call("s_good")).is_error
            await until(lambda: [each.name for each in host.plugins["s"].refused] == ["s_bad"])


@pytest.mark.parametrize("tool", NAMELESS.values(), ids=NAMELESS)
async def test_a_tool_without_a_name_is_refused_by_its_place(tmp_path: Path, tool: str) -> None:
    async with attached(listing(tmp_path, tool)) as (host, board):
        [refused] = host.plugins["s"].refused

        assert refused.name == "tool 3 of the list"
        assert not (await board.call("s_good")).is_error


async def test_a_place_in_the_list_counts_over_all_pages(tmp_path: Path) -> None:
    server = Scripted(tmp_path, *"abcd", page_size=2)
    server.change(tools=[*server.script["tools"], {"name": 5}])
    async with attached(server) as (host, _):
        assert [each.name for each in host.plugins["s"].refused] == ["tool 5 of the list"]


@pytest.mark.parametrize("tool", [*BAD.values(), *NAMELESS.values()], ids=[*BAD, *NAMELESS])
async def test_a_bad_tool_that_comes_later_costs_neither_connection_nor_list(
    tmp_path: Path, tool: str
) -> None:
    server = Scripted(tmp_path, "change", "good")
    async with attached(server) as (host, board):
        server.script["tools"] = named("change", "good", "new")
        rewrite(server, tool)
        await board.call("s_change", {"script": {}})
        await until(lambda: raw_names(board) == ["change", "good", "new"])

        assert not (await board.call("s_good")).is_error
        assert len(host.plugins["s"].refused) == 1
    assert len(server.starts) == 1


async def test_a_bad_tool_that_is_not_taken_is_not_told(tmp_path: Path) -> None:
    server = listing(tmp_path, BAD["nan"])
    async with attached(server, tools=["good"]) as (host, _):
        assert host.plugins["s"].refused == ()


async def test_null_counts_as_absent(tmp_path: Path) -> None:
    server = Scripted(tmp_path, *named("t", **NULLS))
    async with attached(server) as (host, board):
        outcome = await board.call("s_t")

        assert host.plugins["s"].refused == ()
        assert outcome.unwrap() == '{"t": {}}'


async def test_a_list_that_is_not_shown_is_neither_kept_nor_in_force(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = Scripted(tmp_path, "change", "good")
    plugin = Failing(server.command)
    async with Host(discover=False) as host:
        await host.load(plugin, name="s")
        board = await host.board("b")
        plugin.fails = True
        await board.call("s_change", {"script": {"tools": named("change", "new")}})
        await until(lambda: "isn't shown" in caplog.text)

        assert not (await board.call("s_good")).is_error
    async with attached(server) as (_, board):
        assert raw_names(board) == ["change", "good"]


@pytest.mark.parametrize(
    "tools",
    [
        *(f"[{each}]" for each in (*BAD.values(), *NAMELESS.values())),
        "[]",
        "[{}]",
        "[" * 100_000,
        f'[{{"name": "t", "inputSchema": {OBJECT}, "x": {"9" * 5000}}}]',
    ],
    ids=[*BAD, *NAMELESS, "empty", "blank", "brackets", "digits"],
)
async def test_a_damaged_kept_list_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: str
) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", str(tmp_path / "cache"))
    server = Scripted(tmp_path / "server", "t")
    async with attached(server):
        kept_in(tmp_path / "cache").write_text(f'{{"version": 2, "tools": {tools}}}')
    async with attached(server) as (_, board):
        assert raw_names(board) == ["t"]

    assert len(server.starts) == 2


@pytest.mark.parametrize("take", [None, ["b"]])
async def test_a_kept_list_of_which_nothing_is_taken_is_asked_for_again(
    tmp_path: Path, take: list[str] | None
) -> None:
    server = Scripted(tmp_path, *([] if take is None else ["a"]))
    async with attached(server, tools=take) as (_, board):
        assert raw_names(board) == []
    server.change(tools=named("b"))

    async with attached(server, tools=take) as (_, board):
        assert raw_names(board) == ["b"]


async def test_a_list_is_kept_for_the_folder_that_it_was_listed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Scripted(tmp_path / "server", "a")
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        server.change(tools=named(folder))
        async with attached(server) as (_, board):
            assert raw_names(board) == [folder]


@pytest.mark.parametrize("is_url", [False, True])
async def test_another_value_of_a_secret_is_another_server(tmp_path: Path, is_url: bool) -> None:
    place, option = ("http://h/mcp", "headers") if is_url else (str(tmp_path), "env")
    digests = [
        digest_of(target_of(place, **{option: {"TOKEN": each}}))
        for each in ("token one", "token two", "token one")
    ]

    assert digests[0] == digests[2] != digests[1]


async def test_a_reload_asks_the_server_itself(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "old")
    async with Host(Config(mcp={"s": PluginConfig({"command": server.command})})) as host:
        board = await host.board("b")
        server.change(tools=named("new"))
        await host.reload("s")

        assert raw_names(board) == ["new"]
        assert not (await board.call(name_of(board, "new"))).is_error
