"""Every method of the control channel, asked over a real socket of a real host."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import Failure, Host, ToolAnnotations, tool
from pegboard.version import VERSION
from pegboard_control import asked, calling, operated, refused, short_folder
from pegboard_versions import Versions, versions_at


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "run" / "c.sock"


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        versions.install(1)
        yield versions


async def test_status_tells_the_host_in_figures_and_what_was_called(path: Path) -> None:
    async with operated(path) as host:
        for name in ("echo", "missing"):
            await host.boards["desk"].call(name, {"value": "x"})
        status = await asked(path, "status")

    assert (status["version"], status["pid"], status["boards"]) == (VERSION, os.getpid(), 1)
    assert (status["is_ready"], status["is_draining"]) == (True, False)
    assert status["started"].endswith("+00:00")
    assert {"loaded", "unloaded"} <= dict(status["plugins"]).keys()
    assert (status["calls"]["total"], status["calls"]["failed"]) == (2, 1)
    assert status["calls"]["by_tool"].keys() == {"", "echo"}


async def test_what_runs_is_listed_on_one_board_and_on_all(path: Path) -> None:
    async with operated(path) as host, calling(host):
        await host.board("other")
        everywhere = await asked(path, "running")
        [elsewhere, here] = [await asked(path, "running", board=each) for each in ("other", "desk")]
        unknown = await refused(path, "running", board="dsk")

    [call] = everywhere
    assert {**call, "age": 0} == {
        "call_id": "c1",
        "tool": "wait",
        "board": "desk",
        "plugin": None,
        "generation": 0,
        "stage": "body",
        "age": 0,
        "abandoned": False,
    }
    assert elsewhere == []
    assert [each["call_id"] for each in here] == ["c1"]
    assert unknown == ("UnknownNameError", "unknown board 'dsk'; did you mean 'desk'?")


async def test_boards_are_listed_in_figures(path: Path) -> None:
    async with operated(path) as host, calling(host):
        board = await host.board("child", parent="desk", deny=["echo"])
        listed = await asked(path, "boards")
        revisions = [host.boards["desk"].revision, board.revision]

    desk = {"name": "desk", "parent": None, "tools": 2, "revision": revisions[0], "running": 1}
    child = {"name": "child", "parent": "desk", "tools": 1, "revision": revisions[1], "running": 0}
    assert listed == [each | {"presentation": "native"} for each in (desk, child)]


async def test_the_tools_of_the_host_and_of_a_board_are_listed_with_who_brought_them(
    path: Path, versions: Versions
) -> None:
    @tool(name="mine")
    def mine() -> str:
        """Give what is mine."""
        return "mine"

    async with operated(path) as host:
        await host.load("gauge")
        host.boards["desk"].register(mine)
        everywhere = await asked(path, "tools")
        here = await asked(path, "tools", board="desk")

    where = {each["name"]: (each["plugin"], each["layer"]) for each in everywhere}
    assert where["echo"] == (None, "global")
    assert where["version"] == ("gauge", "global")
    assert [each for each in here if each["name"] == "mine"] == [
        {
            "name": "mine",
            "description": "Give what is mine.",
            "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
            "plugin": None,
            "layer": "desk",
        }
    ]
    assert [each for each in here if each["name"] != "mine"] == everywhere


async def test_a_name_is_explained_for_programs_and_people(path: Path) -> None:
    async with operated(path) as host:
        host.boards["desk"].restrict(deny=["echo"])
        told = await asked(path, "explain", name="echo", board="desk")
        text = str(host.boards["desk"].explain("echo"))

    assert (told["name"], told["board"], told["visible"], told["text"]) == (
        "echo",
        "desk",
        False,
        text,
    )
    assert [each["kind"] for each in told["reasons"]] == ["registered", "restricted"]


async def test_a_plugin_is_loaded_listed_and_unloaded(path: Path, versions: Versions) -> None:
    async with operated(path) as host:
        loaded = await asked(path, "load", name="gauge")
        listed = {each["name"]: each for each in await asked(path, "plugins")}
        report = await asked(path, "unload", name="gauge", grace=0)
        tools = set(host.boards["desk"].tools)

    assert (loaded["state"], loaded["version"], loaded["tools"]) == (
        "loaded",
        "1.0",
        ["version", "held", "nested"],
    )
    assert listed["gauge"] == loaded
    assert report == {
        "name": "gauge",
        "generation": 1,
        "drained": 0,
        "cancelled": 0,
        "still_running": [],
        "errors": [],
        "leaked": [],
    }
    assert tools == {"echo", "wait"}


async def test_a_plugin_is_reloaded_with_the_code_on_disk(path: Path, versions: Versions) -> None:
    async with operated(path) as host:
        await host.load("gauge")
        versions.install(2)
        info = await asked(path, "reload", name="gauge", grace=1)
        seen = (await host.boards["desk"].call("version")).unwrap()

    assert (info["generation"], info["version"], seen) == (2, "2.0", [2, 2, 2])


async def test_a_sync_tells_first_and_does_then(path: Path, versions: Versions) -> None:
    async with operated(path) as host:
        await host.load("gauge")
        versions.install(2)
        told = await asked(path, "sync", dry_run=True)
        before = host.plugins["gauge"].version
        done = await asked(path, "sync")

    assert told["reloaded"] == done["reloaded"] == ["gauge"]
    assert (before, host.plugins["gauge"].version) == ("1.0", "2.0")


async def test_a_tool_vanishes_everywhere_and_comes_back(path: Path) -> None:
    async with operated(path) as host:
        await asked(path, "deny", selectors=["echo"])
        hidden = await host.boards["desk"].call("echo", {"value": "x"})
        await asked(path, "allow", selectors=["echo"])
        shown = await host.boards["desk"].call("echo", {"value": "x"})

    assert isinstance(hidden, Failure)
    assert (hidden.code, shown.unwrap()) == ("unknown_tool", "x")


async def test_tools_are_denied_on_one_board_by_what_they_are(path: Path) -> None:
    @tool(annotations=ToolAnnotations(read_only=True))
    def look() -> str:
        """Look."""
        return "seen"

    async with operated(path) as host:
        host.register(look)
        other = await host.board("other")
        await asked(path, "deny", selectors=[{"read_only": False}], board="desk")
        here, there = set(host.boards["desk"].tools), set(other.tools)

    assert (here, there) == ({"look"}, {"look", "echo", "wait"})


async def test_what_is_not_known_can_be_denied_only_as_pending(path: Path) -> None:
    async with operated(path) as host:
        unknown = await refused(path, "deny", selectors=["ehco", "other"])
        await asked(path, "deny", selectors=["later"], pending=True)
        tools = set(host.boards["desk"].tools)

    assert unknown == ("UnknownNameError", "unknown tool 'ehco'; did you mean 'echo'?")
    assert tools == {"echo", "wait"}


async def test_a_board_and_a_call_are_cancelled_with_the_operator_s_reason(path: Path) -> None:
    async with operated(path) as host:
        board = host.boards["desk"]
        tasks = [asyncio.create_task(board.call("wait", id=f"c{n}")) for n in range(3)]
        while sum(each.stage == "body" for each in host.running) < 3:
            await asyncio.sleep(0.001)
        one = await asked(path, "cancel", call_id="c1", reason="it runs wild")
        rest = await asked(path, "cancel", board="desk")
        outcomes = [await each for each in tasks]

    assert (one, rest) == ({"cancelled": 1}, {"cancelled": 2})
    assert [each.code for each in outcomes if isinstance(each, Failure)] == ["aborted"] * 3
    assert "it runs wild" in str(outcomes[1])
    assert "cancelled by an operator" in str(outcomes[0])


async def test_what_is_blocked_or_denied_for_good_survives_a_restart(
    path: Path, versions: Versions, tmp_path: Path
) -> None:
    fields = {"state": tmp_path / "state.json"}
    async with operated(path, **fields) as host:
        await host.load("gauge")
        await asked(path, "unload", name="gauge", block=True)
        await asked(path, "deny", selectors=["echo"], keep=True)
    async with operated(path, **fields) as host:
        await asked(path, "sync")
        blocked, tools = host.config.block, set(host.boards["desk"].tools)

    assert (blocked, tools) == (("gauge",), {"wait"})


async def test_a_host_can_be_asked_while_it_is_opened_and_until_it_is_closed(path: Path) -> None:
    async with operated(path) as host:
        is_open = path.is_socket()
        assert isinstance(host, Host)

    assert (is_open, path.exists(), list(path.parent.iterdir())) == (True, False, [])
