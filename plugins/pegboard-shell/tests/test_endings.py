"""Whatever a command starts, and however its call ends: nothing of it goes on."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pegboard import Host, Outcome, Signal

Call = Callable[..., Outcome]

LEFT = {
    "in the background": "sleep 600 & echo done",
    "holding the pipe": "(while :; do sleep 1; done) & echo done",
    "in a session of its own": "setsid sleep 600 & echo done",
    "forked twice": "(setsid sh -c 'sleep 600 & sleep 600' &) & echo done",
    "without hearing hang-ups": "nohup sleep 600 > /dev/null 2>&1 & echo done",
    "without hearing anything": "(trap '' TERM HUP INT; sleep 600; sleep 600) & echo done",
    "stopped": "sleep 600 & kill -STOP $!; echo done",
    "as a daemon": (
        f"{sys.executable} -c 'import os, time; os.fork() and os._exit(0); os.setsid(); "
        "os.fork() and os._exit(0); [os.close(each) for each in range(3)]; time.sleep(600)'; "
        "echo done"
    ),
    "as a zombie's parent": (
        f"{sys.executable} -c 'import os, time; os.fork() or os._exit(0); time.sleep(600)' & "
        "echo done"
    ),
}


async def test_what_a_command_leaves_running_is_ended_and_told(hosted: Any, marked: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")

        outcomes = await asyncio.gather(
            *(board.call("shell_run", {"command": each}) for each in LEFT.values())
        )

        assert marked.running() == []
    values = {name: each.unwrap() for name, each in zip(LEFT, outcomes, strict=True)}
    assert {
        name: (each["output"], each["ended"], each["exit_status"]) for name, each in values.items()
    } == dict.fromkeys(LEFT, ("done\n", "exited", 0))
    assert all(each["notes"][0].startswith(TOLD) for each in values.values())


TOLD = "processes that the command had left running were ended"


def test_what_ends_by_itself_right_after_the_shell_is_let_end_or_is_told(call: Call) -> None:
    value = call({"command": "(sleep 0.01; echo last) & echo first"}).unwrap()

    if value["notes"]:
        assert value["notes"][0].startswith(TOLD)
    else:
        assert value["output"] == "first\nlast\n"


CANCELLED = {
    **LEFT,
    "deaf": "trap '' TERM; while :; do sleep 1; done",
    "holding what it runs under": "while kill -STOP $PPID; do :; done",
}


async def test_cancelled_calls_leave_nothing(hosted: Any, marked: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        stop, going = Signal(), {name: asyncio.Event() for name in CANCELLED}
        calls = [
            asyncio.create_task(
                board.call(
                    "shell_run",
                    {"command": f"echo go; ({command}); sleep 600"},
                    signal=stop,
                    on_progress=lambda _, name=name: going[name].set(),
                )
            )
            for name, command in CANCELLED.items()
        ]
        await asyncio.gather(*(each.wait() for each in going.values()))
        stop.cancel("enough")

        ends = [(each.code, each.details) for each in await asyncio.gather(*calls)]
        assert ends == [("aborted", None)] * len(CANCELLED)
        assert marked.running() == []


async def test_a_call_that_is_cancelled_at_once_leaves_nothing(hosted: Any, marked: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        for wait in range(8):
            calling = asyncio.create_task(board.call("shell_run", {"command": "sleep 600"}))
            await asyncio.sleep(wait * 0.02)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling

        assert marked.running() == []


async def test_a_tool_timeout_of_the_operator_leaves_nothing(hosted: Any, marked: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        host.hook(around_call=within(0.4))

        outcome = await board.call("shell_run", {"command": "setsid sleep 600 & sleep 600"})

        assert outcome.is_error
        assert marked.running() == []


def within(seconds: float) -> Any:
    """A hook that cancels what takes longer."""

    async def around(execution: Any, call_next: Any) -> Any:
        limit = Signal()
        asyncio.get_running_loop().call_later(seconds, limit.cancel, "too slow")
        return await call_next(signal=limit)

    return around


@pytest.mark.parametrize("how", ["unload", "close the board", "close the host"])
async def test_a_command_ends_with_what_it_runs_on(hosted: Any, marked: Any, how: str) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        arguments = {"command": "setsid sleep 600 & sleep 600"}
        calling = asyncio.create_task(board.call("shell_run", arguments))
        await until(lambda: len(marked.running()) > 1)
        report = await ended(host, how)

        assert (await calling).is_error
        assert marked.running() == []
        assert not report or (report.errors, report.leaked, report.still_running) == ((), (), ())


async def ended(host: Host, how: str) -> Any:
    """Take the plugin, the board or the host away from under a command."""
    match how:
        case "unload":
            return await host.unload("shell", grace=0)
        case "close the board":
            await host.boards["tests"].close(grace=0)
        case _:
            await host.close(grace=0)
    return None


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.01)


KILLED = {
    "killed": "setsid sleep 600 & sleep 0.2; kill -KILL $PPID; sleep 600",
    "killed from another session": "setsid sh -c 'sleep 0.2; kill -KILL $0; sleep 600' $PPID",
}


@pytest.mark.parametrize("command", KILLED.values(), ids=KILLED)
def test_a_command_that_kills_what_it_runs_under_ends_with_it(call: Call, command: str) -> None:
    value = call({"command": command}).unwrap()

    assert (value["ended"], value["exit_status"], value["signal"]) == ("lost", None, None)
    assert "mustn't kill its parent" in value["notes"][0]


def test_a_command_that_tells_what_it_runs_under_to_end_is_ended(call: Call) -> None:
    value = call({"command": "kill -TERM $PPID; sleep 600"}).unwrap()

    assert (value["ended"], value["signal"]) == ("stopped", "SIGTERM")


def test_a_command_that_stops_what_it_runs_under_is_ended_in_time(call: Call) -> None:
    given = {"command": "setsid sleep 600 & kill -STOP $PPID; sleep 600", "timeout": 0.5}

    assert call(given).unwrap()["ended"] == "timeout"


def test_a_command_that_stops_it_again_and_again_is_ended_by_force(call: Call) -> None:
    given = {"command": "trap '' TERM; while kill -STOP $PPID; do :; done", "timeout": 0.5}

    value = call(given, grace=0.0).unwrap()

    assert (value["ended"], value["exit_status"]) == ("timeout", None)


HOST = """
import asyncio, json, os, sys, time
import pegboard_shell
from pegboard import Host

COMMANDS = (
    "setsid sleep 600 & sleep 600",
    "trap '' TERM; while :; do sleep 1; done",
    "kill -STOP $PPID; touch held; sleep 600",
)

async def main():
    async with Host(discover=False) as host:
        await host.load(pegboard_shell, settings=json.loads(sys.argv[1]))
        board = await host.board("tests")
        for command in COMMANDS:
            await board.call("shell_start", {"command": command})
        heir = os.fork()
        if not heir:
            sys.stdin.read()
            os._exit(0)
        print("ready", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_commands_end_with_a_host_that_is_killed_though_its_sockets_were_inherited(
    root: Path, marked: Any
) -> None:
    given = {"root": str(root), "grace": 0.2, "environment": ["PATH", "PEGBOARD_SHELL_TEST"]}
    command = [sys.executable, "-W", "ignore", "-c", HOST, json.dumps(given)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=os.environ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        await until(lambda: len(commands(marked)) > 6 and (root / "held").exists())
        host.send_signal(signal.SIGKILL)

        await until(lambda: commands(marked) == [])
    await until(lambda: marked.running() == [])


def commands(marked: Any) -> list[str]:
    """What runs, without the host and its heir."""
    return [each for each in marked.running() if "import pegboard_shell" not in each]
