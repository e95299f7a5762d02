"""`pegboard serve` is stopped in the middle of whatever it does: it ends, and leaves nothing."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import TextContent
from pegboard.control import connect
from pegboard_operated_http import (
    ask,
    attach,
    folder_to_serve,
    processes_with,
    served_here,
    until,
)
from pegboard_served import Served

PATIENCE = 30.0
STUBBORN = '''
import time
from pegboard import tool

@tool
def wait(seconds: float) -> str:
    """Wait in a thread that can't be stopped."""
    time.sleep(seconds)
    return "waited"
'''
BLOCKING = '''
import time
from pegboard import tool

@tool
async def wait(seconds: float) -> str:
    """Wait, and hold up the loop."""
    time.sleep(min(seconds, 2))
    return "waited"
'''
DEAF = '''
import asyncio
from pegboard import tool

@tool
async def wait(seconds: float) -> str:
    """Wait, whatever anybody says."""
    while True:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            pass
'''
STUBBORN_CODE = {"a thread": STUBBORN, "the loop": BLOCKING, "its own end": DEAF}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a configuration and plugins."""
    with folder_to_serve() as made:
        yield made


async def called(folder: Path, serving: Served) -> "asyncio.Task[object]":
    """A call that runs."""

    async def call() -> object:
        async with Client(serving.url) as client:
            result = await client.call_tool("wait", {"seconds": 60})
            return result.is_error

    task = asyncio.create_task(call())
    async with asyncio.timeout(PATIENCE):
        while not [each for each in await ask(folder, "running") if each["stage"] == "body"]:
            await asyncio.sleep(0.02)
    return task


async def stopped(serving: Served, *, times: int = 1) -> int:
    """The exit status after some SIGTERMs."""
    for _ in range(times):
        serving.process.terminate()
        await asyncio.sleep(0.2)
    return await asyncio.to_thread(serving.process.wait, PATIENCE)


def children_of(pid: int) -> list[int]:
    """The processes that another has started."""
    listed = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid="], text=True)
    pairs = [line.split() for line in listed.splitlines()]
    return [int(child) for child, parent in pairs if int(parent) == pid]


def is_alive(pid: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_client_at_the_control_socket_holds_no_stop_up(folder: Path) -> None:
    with served_here(folder) as serving:
        async with connect(folder / "run" / "host.sock") as client:
            await client.ask("status")
            status = await stopped(serving)

    assert (status, list((folder / "run").iterdir())) == (0, [])


@pytest.mark.parametrize("method", ["unload", "reload"])
async def test_an_operator_who_waits_for_calls_to_end_holds_no_stop_up(
    folder: Path, method: str
) -> None:
    with served_here(folder) as serving:
        call = await called(folder, serving)
        acting = asyncio.create_task(ask(folder, method, name="patient", grace=600))
        await asyncio.sleep(0.5)
        status = await stopped(serving)
        is_error = await call
        with suppress(Exception):
            await acting

    assert (status, is_error) == (0, True)
    assert list((folder / "run").iterdir()) == []


async def test_new_code_that_is_tried_in_another_process_ends_with_the_host(folder: Path) -> None:
    with served_here(folder) as serving:
        acting = asyncio.create_task(ask(folder, "reload", name="patient"))
        await until(lambda: children_of(serving.process.pid) != [])
        children = children_of(serving.process.pid)
        status = await stopped(serving)
        with suppress(Exception):
            await acting

    assert (status, [each for each in children if is_alive(each)]) == (0, [])


async def test_a_second_sigterm_ends_the_waiting_and_loses_no_outcome(folder: Path) -> None:
    text = (folder / "pegboard.toml").read_text()
    (folder / "pegboard.toml").write_text(text.replace("close_grace = 1.5", "close_grace = 600"))
    with served_here(folder) as serving:
        call = await called(folder, serving)
        status = await stopped(serving, times=2)

    assert (status, await call) == (0, True)


@pytest.mark.parametrize("code", STUBBORN_CODE.values(), ids=STUBBORN_CODE)
async def test_code_that_holds_something_up_holds_no_stop_up(code: str) -> None:
    with folder_to_serve(patient=code) as folder, served_here(folder) as serving:
        async with Client(serving.url) as client:
            call = asyncio.create_task(client.call_tool("wait", {"seconds": 60}))
            await asyncio.sleep(0.5)
            status = await stopped(serving)
            [content] = (await call).content

    assert status == 0
    assert isinstance(content, TextContent)
    assert content.text in ("waited", "Error: the host is shutting down")


async def test_a_host_that_was_killed_leaves_no_attached_server_and_starts_again(
    folder: Path,
) -> None:
    attach(folder, "one", "two")
    with served_here(folder) as serving:
        before = processes_with(str(folder))
        serving.process.kill()
        await until(lambda: processes_with(str(folder)) == [])
        left = (folder / "run" / "host.sock").exists()
    with served_here(folder) as again:
        is_ready = (await ask(folder, "status"))["is_ready"]
        status = await stopped(again)

    assert (len(before), left, is_ready, status) == (2, True, True, 0)


async def test_a_hang_up_has_the_configuration_read_and_nothing_stopped(folder: Path) -> None:
    config, log = folder / "pegboard.toml", folder / "serve.log"
    with served_here(folder) as serving:
        config.write_text(f"deny = ['send_mail']\n{config.read_text()}")
        serving.process.send_signal(signal.SIGHUP)
        await until(lambda: "deny" in log.read_text())
        async with Client(serving.url) as client:
            shown = {each.name for each in (await client.list_tools()).tools}
        status = await stopped(serving)

    assert (shown, status) == ({"ask_twice", "read_mail", "wait"}, 0)
