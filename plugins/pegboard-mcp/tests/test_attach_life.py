"""The life of an attached server: started late, lost, started again, ended with all of it."""

import asyncio
import logging
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from pegboard import Board, Code, Failure, Host, PluginLoadError, ToolCall
from pegboard_attached import attached, name_of, until
from pegboard_mcp import McpServer
from pegboard_scripted import Scripted, is_alive, named, raw_names
from pegboard_sdk_server import SdkServer

READ = {"annotations": {"readOnlyHint": True}}


async def lost(board: Board, name: str, arguments: Any = None) -> str:
    """The message of a call that has to end because its server did."""
    outcome = await board.call(name, arguments)
    assert isinstance(outcome, Failure)
    assert outcome.code is Code.WORKER_LOST, outcome.message
    return outcome.message


async def test_a_server_is_started_and_listed_once_when_nothing_is_known_of_it(
    tmp_path: Path,
) -> None:
    server = Scripted(tmp_path, "t")
    async with attached(server) as (_, board):
        await board.call("s_t")
        await board.call("s_t")

    assert (len(server.starts), server.lists_fetched) == (1, 1)


async def test_with_a_kept_list_the_first_call_starts_the_server(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t", "u")
    async with attached(server):
        pass

    async with attached(server) as (_, board):
        assert raw_names(board) == ["t", "u"]
        assert len(server.starts) == 1
        assert (await board.call("s_t")).unwrap() == '{"t": {}}'
        assert len(server.starts) == 2


async def test_an_eager_server_is_started_in_spite_of_a_kept_list(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t")
    async with attached(server):
        pass
    server.change(tools=named("u"))

    async with attached(server, eager=True) as (_, board):
        assert raw_names(board) == ["u"]


async def test_a_list_is_kept_for_its_own_command_only(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path / "a", "t")):
        pass

    async with attached(Scripted(tmp_path / "b", "u")) as (_, board):
        assert raw_names(board) == ["u"]


async def test_no_list_is_kept_where_there_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", "")
    server = Scripted(tmp_path, "t")
    for _ in range(2):
        async with attached(server):
            pass

    assert len(server.starts) == 2


@pytest.mark.parametrize("damage", ["empty", "shared", "else"])
async def test_a_kept_list_that_cannot_be_trusted_is_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", str(tmp_path / "cache"))
    server = Scripted(tmp_path / "server", "t")
    async with attached(server):
        pass
    [kept] = [each for each in (tmp_path / "cache").rglob("*.json") if "tools" in each.read_text()]
    if damage == "shared":
        kept.chmod(0o666)
    else:
        kept.write_text("" if damage == "empty" else '{"version": 2, "tools": [1]}')

    async with attached(server):
        assert len(server.starts) == 2


async def test_what_the_kept_list_said_wrongly_is_put_right_with_the_first_call(
    tmp_path: Path,
) -> None:
    server = Scripted(tmp_path, "t", "gone", *named("other"))
    async with attached(server):
        pass
    server.change(tools=[*named("t", "new"), *named("other", description="Else.")])

    async with attached(server) as (_, board):
        assert raw_names(board) == ["gone", "other", "t"]
        changed = await board.call("s_other")
        await until(lambda: raw_names(board) == ["new", "other", "t"])

    assert isinstance(changed, Failure)
    assert "changed" in changed.message
    assert server.calls() == []


async def test_calls_that_come_first_together_start_one_server(tmp_path: Path) -> None:
    server = Scripted(tmp_path, *named("t", **READ))
    async with attached(server):
        pass

    async with attached(server) as (_, board):
        outcomes = await board.run([ToolCall(str(n), "s_t") for n in range(8)])

    assert not any(each.is_error for each in outcomes)
    assert len(server.starts) == 2


async def test_a_server_that_dies_ends_all_its_calls_at_once_with_its_last_words(
    tmp_path: Path,
) -> None:
    server = Scripted(tmp_path, *named("sleep", "die", **READ))
    async with attached(server) as (_, board):
        began = time.monotonic()
        outcomes = await board.run([ToolCall("1", "s_sleep"), ToolCall("2", "s_die")])
        seconds = time.monotonic() - began

    assert [each.code for each in outcomes if isinstance(each, Failure)] == ["worker_lost"] * 2
    assert all("SIGKILL" in each.message for each in outcomes if isinstance(each, Failure))
    assert all("about to die" in each.message for each in outcomes if isinstance(each, Failure))
    assert seconds < 2
    assert (len(server.calls("die")), len(server.calls("sleep"))) == (1, 1)


async def test_the_code_of_a_server_that_exits_is_told(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path, "leave")) as (_, board):
        assert "exited with code 7" in await lost(board, "s_leave", {"code": 7})


async def test_a_process_that_holds_the_dead_servers_pipes_holds_up_nothing(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "spawn", "die")
    async with attached(server) as (_, board):
        child = int((await board.call("s_spawn")).unwrap())
        async with asyncio.timeout(2):
            await lost(board, "s_die")

        assert not (await board.call("s_spawn")).is_error
        assert not is_alive(child)


async def test_the_next_call_starts_the_server_again_and_lists_again(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "die", "t")
    async with attached(server) as (_, board):
        await lost(board, "s_die")
        server.change(tools=named("t", "new"))

        assert not (await board.call("s_t")).is_error
        assert raw_names(board) == ["new", "t"]

    assert (len(server.starts), server.lists_fetched) == (2, 2)


async def test_a_server_that_dies_between_calls_is_told_in_the_log_and_started_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = Scripted(tmp_path, "t")
    async with attached(server) as (_, board):
        os.kill(server.starts[0], signal.SIGKILL)
        await until(lambda: "the server has ended: it was ended by SIGKILL" in caplog.text)

        assert not (await board.call("s_t")).is_error


async def test_the_pauses_before_a_restart_grow(tmp_path: Path) -> None:
    server, times = Scripted(tmp_path, "die"), []
    async with attached(server) as (_, board):
        for _ in range(5):
            began = time.monotonic()
            await lost(board, "s_die")
            times.append(time.monotonic() - began)

    assert times[4] > 0.6


async def test_a_server_that_does_not_come_up_again_is_lost_and_says_why(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "die", "t")
    async with attached(server) as (_, board):
        await lost(board, "s_die")
        server.change(exits=4, says="no disk")

        message = await lost(board, "s_t")

    assert "code 4" in message
    assert "no disk" in message


async def test_a_call_may_give_up_while_the_server_is_waited_for(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "die", "t")
    async with attached(server, read_timeout=0.5) as (_, board):
        await lost(board, "s_die")
        server.change(silent=["tools/list"])

        outcome = await board.call("s_t")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.TIMED_OUT


async def test_unloading_ends_the_server_and_what_it_has_started(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "spawn")
    async with attached(server) as (host, board):
        child = int((await board.call("s_spawn")).unwrap())
        report = await host.unload("s")

        assert not is_alive(server.starts[0])
        assert not is_alive(child)
        assert (report.errors, report.leaked, report.still_running) == ((), (), ())


async def test_unloading_ends_a_server_that_ignores_what_it_is_told(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t", stubborn=True)
    async with attached(server) as (host, _):
        report = await host.unload("s")

        assert not is_alive(server.starts[0])
        assert (report.errors, report.leaked) == ((), ())


async def test_unloading_waits_for_a_call_and_then_ends_it(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "sleep")
    async with attached(server) as (host, board):
        call = asyncio.create_task(board.call("s_sleep", {"seconds": 20}))
        await until(lambda: server.calls("sleep"))
        report = await host.unload("s", grace=0.1)

        assert report.cancelled == 1
        assert (await call).is_error
        assert not is_alive(server.starts[0])


async def test_unloading_while_the_server_starts_leaves_nothing(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t", silent=["tools/list"])
    async with Host(discover=False) as host:
        load = asyncio.create_task(host.load(McpServer(server.command), name="s"))
        await until(lambda: server.lists_fetched)
        load.cancel()
        await asyncio.wait([load])
        await until(lambda: not is_alive(server.starts[0]))


def open_files() -> int:
    """How many files this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_fifty_loads_and_unloads_leave_nothing(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t")
    async with Host(discover=False) as host:
        board = await host.board("b")
        before = open_files()
        for _ in range(50):
            await host.load(McpServer(server.command, eager=True), name="s")
            assert not (await board.call("s_t")).is_error
            assert (await host.unload("s")).leaked == ()

        assert open_files() <= before
        assert len(asyncio.all_tasks()) <= 2
    assert not [each for each in server.starts if is_alive(each)]


async def test_fifty_loads_of_a_server_in_this_process_leave_nothing() -> None:
    async with Host(discover=False) as host:
        board = await host.board("b")
        for _ in range(50):
            await host.load(McpServer(SdkServer()), name="s")
            assert not (await board.call("s_echo")).is_error
            assert (await host.unload("s")).leaked == ()

        assert len(asyncio.all_tasks()) <= 2


async def test_one_server_may_be_loaded_for_each_board(tmp_path: Path) -> None:
    server = McpServer(Scripted(tmp_path, "t").command)
    async with Host(discover=False) as host:
        one, two = await host.board("one"), await host.board("two")
        await host.load(server, name="s", board=one)
        await host.load(server, name="r", board=two)

        assert (list(one.tools), list(two.tools)) == (["s_t"], ["r_t"])
        assert not (await two.call(name_of(two, "t"))).is_error


async def test_the_servers_last_words_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pegboard.plugins.s")
    async with attached(Scripted(tmp_path, "die")) as (_, board):
        await lost(board, "s_die")

    assert "about to die" in caplog.text


async def test_a_server_that_exits_at_once_cannot_be_loaded_and_says_why(tmp_path: Path) -> None:
    server = Scripted(tmp_path, "t", exits=3, says="there is no such database")
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(McpServer(server.command), name="s")

    assert "exited with code 3" in str(caught.value)
    assert "there is no such database" in str(caught.value)
    assert "scripted_server.py" in str(caught.value)
