"""Where a server is and what it gets: given by a program, or set by an operator."""

import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from pegboard import ConfigError, Failure, Host, PluginLoadError, Secret
from pegboard_attached import attached, calling
from pegboard_mcp import McpServer, McpSettings
from pegboard_scripted import Scripted, named, raw_names
from pegboard_sdk_server import SdkServer

TOKEN = "tok-123-secret"


async def refused(settings: dict[str, Any]) -> str:
    """Why a server with these settings can't be loaded."""
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(McpServer.configured(), name="s", settings=settings)
    return str(caught.value)


async def seen_by(target: Any, **options: Any) -> dict[str, Any]:
    """The environment and the folder of a server."""
    found: dict[str, Any] = json.loads(
        (await calling(target, "environment", None, **options)).unwrap()
    )
    return found


async def test_a_command_line_is_split_into_words(tmp_path: Path) -> None:
    server = Scripted(tmp_path / "a folder", "t")
    line = f'{sys.executable} "{server.command[1]}" "{server.folder}"'

    assert (await calling(line, "t")).unwrap() == '{"t": {}}'


async def test_the_sdks_own_parameters_are_taken(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "environment")
    command, *arguments = server.command
    given = StdioServerParameters(command=command, args=arguments, env={"A": "1"}, cwd=tmp_path)

    seen = await seen_by(given)

    assert (seen["env"]["A"], seen["cwd"]) == ("1", str(tmp_path))


async def test_a_server_sees_what_it_was_given_and_little_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET", "not yours")
    server = Scripted(tmp_path / "server", "environment")

    seen = await seen_by(server, env={"TOKEN": Secret(TOKEN), "MODE": "x"}, cwd=str(tmp_path))

    assert (seen["env"]["TOKEN"], seen["env"]["MODE"]) == (TOKEN, "x")
    assert "PATH" in seen["env"]
    assert "AWS_SECRET" not in seen["env"]
    assert seen["cwd"] == str(tmp_path)


async def test_a_server_is_loaded_from_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    (tmp_path / "key").write_text("from a file\n")
    server = Scripted(tmp_path / "server", "environment", "other")
    settings = {
        "command": server.command,
        "env": {"A": {"env": "MY_TOKEN"}, "B": {"file": str(tmp_path / "key")}, "C": "plain"},
        "cwd": str(tmp_path),
        "tools": ["env*"],
        "prefix": "my_",
        "read_timeout": 5,
    }
    async with Host(discover=False) as host:
        await host.load(McpServer.configured(), name="s", settings=settings)
        board = await host.board("b")
        env = json.loads((await board.call("my_environment")).unwrap())["env"]

        assert list(board.tools) == ["my_environment"]
        assert board.tools["my_environment"].timeout == 5
    assert (env["A"], env["B"], env["C"]) == (TOKEN, "from a file", "plain")


async def test_settings_may_be_an_instance(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t")
    settings = McpSettings(command=tuple(server.command))
    async with Host(discover=False) as host:
        await host.load(McpServer.configured(), name="s", settings=settings)

        assert raw_names(await host.board("b")) == ["t"]


async def test_a_configured_server_may_be_eager(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t")
    for _ in range(2):
        async with Host(discover=False) as host:
            settings = {"command": server.command}
            await host.load(McpServer.configured(eager=True), name="s", settings=settings)

    assert len(server.starts) == 2


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({}, "either a command or a url"),
        ({"command": "a", "url": "http://b"}, "either a command or a url"),
        ({"command": ""}, "command"),
        ({"command": []}, "command"),
        ({"command": "a 'b"}, "can't be split"),
        ({"url": "http://b", "env": {"A": "1"}}, "headers"),
        ({"command": "a", "headers": {"A": "1"}}, "env"),
        ({"url": "ftp://b"}, "http://"),
        ({"command": "http://b"}, "as url"),
        ({"command": "a", "tools": [""]}, "tools"),
        ({"command": "a", "read_timeout": 0}, "read_timeout"),
        ({"command": "a", "env": {"A": {"env": "NOT_SET"}}}, "NOT_SET"),
        ({"command": "a", "comand": "b"}, "'command'"),
    ],
)
async def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], word: str) -> None:
    assert word in await refused(settings)


@pytest.mark.parametrize(
    ("target", "options", "word"),
    [
        ("", {}, "a program"),
        ([], {}, "a program"),
        ("a 'b", {}, "can't be split"),
        (["a", 1], {}, "a program"),
        ("http://b", {"env": {"A": "1"}}, "env"),
        ("a", {"headers": {"A": "1"}}, "headers"),
        (object(), {}, "not object"),
        (SdkServer(), {"cwd": "a"}, "cwd"),
    ],
)
def test_a_target_that_makes_no_sense_is_refused(
    target: object, options: dict[str, Any], word: str
) -> None:
    with pytest.raises(ConfigError, match=word):
        McpServer(target, **options)


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("no-such-program --flag", {}, ["'no-such-program --flag'", "no such file"]),
        ([sys.executable], {"cwd": "/no/such/folder"}, ["/no/such/folder"]),
        (["/"], {}, ["permission denied"]),
        (["a\0b"], {}, ["null byte"]),
    ],
)
async def test_a_command_that_cannot_be_started_fails_and_is_named(
    target: Any, options: dict[str, Any], words: list[str]
) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(McpServer(target, **options), name="s")

        assert host.plugins["s"].state == "failed"
    assert [each for each in words if each not in str(caught.value)] == []


async def test_a_server_that_lists_nothing_in_time_is_tried_again(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t", silent=["tools/list"])
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="in time"):
            await host.load(McpServer(server.command, start_timeout=0.5), name="s")

        assert host.plugins["s"].state == "retrying"


async def test_no_secret_shows_in_messages_logs_or_representations(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = Scripted(tmp_path, "t", "u", "die", exits=1, says=f"cannot use {TOKEN}")
    plugin = McpServer(server.command, env={"TOKEN": TOKEN})
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(plugin, name="s")
    del server.script["exits"]
    failing = {"content": [{"type": "text", "text": f"bad {TOKEN}"}], "isError": True}
    error = {"code": -32000, "message": f"worse {TOKEN}"}
    server.change(replies={"t": failing}, errors={"u": error}, stray=[f"stray {TOKEN}"])
    async with attached(server, env={"TOKEN": TOKEN}) as (_, board):
        outcomes = [await board.call(each) for each in ("s_t", "s_u", "s_die")]

    said = [repr(plugin), str(caught.value), *map(repr, outcomes), caplog.text]
    assert all(isinstance(each, Failure) for each in outcomes)
    assert [each for each in said if TOKEN in each] == []


def test_a_server_is_shown_by_its_command_or_its_host() -> None:
    url = McpServer("https://me:pass@example.org/secret/mcp?key=1", headers={"A": TOKEN})

    assert repr(McpServer("python 'a b.py'")) == """McpServer(command "python 'a b.py'")"""
    assert repr(url) == "McpServer(URL 'https://example.org/…')"
    assert repr(McpServer.configured()) == "McpServer(as configured)"


async def test_a_tool_that_nobody_has_is_told_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with attached(Scripted(tmp_path, *named("a", "b")), tools=["a", "z*"]):
        pass

    assert "'z*'" in caplog.text
