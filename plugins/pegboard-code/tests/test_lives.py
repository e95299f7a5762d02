"""Processes: when they start, and that none is left."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pegboard_code
import pytest
from pegboard import Host, ProgramError
from pegboard.testing import check_plugin

TestPlugin = check_plugin("code")

ENDLESS = [
    "while True: pass",
    "x = 7\nwhile True: x = x * x",
    "while True: print('x')",
    "import time\ntime.sleep(3600)",
    "import asyncio\nawait asyncio.gather(*[any(wait=3600) for _ in range(100)])",
    "[any(wait=3600) for _ in range(5000)]",
]


async def test_no_process_starts_and_no_sandbox_is_imported_before_the_first_program(
    workers: Any,
) -> None:
    program = (
        "import pegboard_code, sys, threading; "
        "print('pydantic_monty' in sys.modules, threading.active_count())"
    )

    seen = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    async with Host(discover=False) as host:
        await host.load(pegboard_code)
        board = await host.board("native")
        assert "run_code" not in board.tools
        assert workers() == []

    assert seen.stdout.split() == [b"False", b"1"]


@pytest.mark.parametrize("program", ENDLESS)
async def test_nothing_of_a_cancelled_program_goes_on(
    lab: Any, workers: Any, wait_until: Any, program: str
) -> None:
    async with lab(keep_warm=False) as it:
        task = it.start(program, output=lambda text: None)
        await wait_until(workers)
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait([task])

        assert task.cancelled()
        assert workers() == []
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_program_can_be_cancelled_at_any_moment(lab: Any, workers: Any) -> None:
    async with lab(keep_warm=False) as it:
        for moment in range(40):
            task = it.start("print('x')\nawait any(wait=0.01)")
            await asyncio.sleep(moment / 1000)
            task.cancel()
            await asyncio.wait([task])

        assert workers() == []
        assert await it.value("1") == 1


@pytest.mark.parametrize("program", ENDLESS)
async def test_a_killed_worker_is_told_within_a_second_and_the_next_program_runs(
    lab: Any, workers: Any, wait_until: Any, program: str
) -> None:
    async with lab(keep_warm=False) as it:
        task = it.start(program, output=lambda text: None)
        await wait_until(workers)
        await asyncio.sleep(0.1)
        os.kill(workers()[0], signal.SIGKILL)
        await asyncio.wait([task], timeout=5)

        error = task.exception()
        assert isinstance(error, ProgramError)
        assert error.kind == "worker lost"
        assert await it.value("2") == 2


async def test_a_worker_that_is_killed_while_it_stands_ready_is_not_used(
    lab: Any, workers: Any, wait_until: Any
) -> None:
    async with lab() as it:
        await it.run("1")
        await wait_until(workers)
        await asyncio.sleep(0.1)
        for pid in workers():
            os.kill(pid, signal.SIGKILL)

        assert await it.value("2") == 2


@pytest.mark.parametrize("program", ENDLESS)
async def test_no_process_is_left_when_the_runtime_closes_while_programs_run(
    lab: Any, workers: Any, wait_until: Any, program: str
) -> None:
    async with lab() as it:
        await it.run("1")
        tasks = [it.start(program, output=lambda text: None) for _ in range(5)]
        await wait_until(lambda: len(workers()) >= 4)

    await asyncio.wait(tasks)
    assert workers() == []
    assert not [each for each in threading.enumerate() if each.name.startswith("pegboard-code")]
    assert {getattr(each.exception(), "kind", None) for each in tasks} == {"aborted"}


async def test_a_closed_runtime_runs_nothing_more(lab: Any, workers: Any) -> None:
    async with lab() as it:
        await it.run("1")

    error = await it.fault("1")
    assert error.kind == "aborted"
    assert workers() == []


async def test_closing_a_host_while_a_program_runs_leaves_no_process(
    workers: Any, wait_until: Any
) -> None:
    host = Host(discover=False)
    await host.open()
    await host.load(pegboard_code)
    board = await host.board("busy", presentation="code")
    arguments = {"description": "run on", "code": "x = 7\nwhile True: x = x * x"}
    task = asyncio.create_task(board.call("run_code", arguments))
    await wait_until(workers)
    await host.close(grace=0.1)

    assert (await task).is_error
    assert workers() == []


async def test_twenty_programs_on_four_workers_all_end(lab: Any, workers: Any) -> None:
    most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, len(workers()))
            await asyncio.sleep(0.01)

    async with lab(workers=4, keep_warm=False) as it:
        watching = asyncio.create_task(watch())
        program = "await any(wait=0.05)\nn = {n}\nn"
        both = await asyncio.gather(*[it.value(program.format(n=n)) for n in range(20)])
        watching.cancel()

    assert both == list(range(20))
    assert most <= 4


async def test_programs_see_nothing_of_those_before_and_beside_them(lab: Any) -> None:
    async with lab(workers=2) as it:
        await asyncio.gather(
            it.run("import json\nsecret = 1\nawait any(wait=0.1)\nprint(secret)"),
            it.run("secret = 2\nawait any(wait=0.05)"),
        )
        error = await it.fault("secret  # type: ignore")

    assert it.text == "1\n"
    assert "name 'secret' is not defined" in str(error)


async def test_many_programs_one_after_the_other_leave_nothing_behind(
    lab: Any, workers: Any
) -> None:
    async with lab() as it:
        for _ in range(20):
            await it.run("print(await any(x=1))")
        before = _open_files()
        for _ in range(60):
            await it.run("print(await any(x=1))")

        assert len(workers()) <= 2
        assert _open_files() - before < 10


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


AT_EXIT = """
import asyncio, logging, sys
from pegboard import ProgramLimits, Sdk
from pegboard_code import Door, Settings

async def main():
    door = Door(Settings(), logging.getLogger("x"))
    sdk = Sdk(text="", functions=(), names=(), declarations={})
    run = lambda code: door.run(code, sdk, None, ProgramLimits(), lambda text: None)
    await run("print(1)")
    if "busy" in sys.argv:
        task = asyncio.ensure_future(run("while True: print(1)"))
        await asyncio.sleep(0.05)
    if "close" in sys.argv:
        await door.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [["close"], ["leave"], ["busy"]])
def test_a_host_that_ends_right_after_a_program_ends_well(how: list[str]) -> None:
    ended = [
        subprocess.run([sys.executable, "-c", AT_EXIT, *how], capture_output=True, check=False)
        for _ in range(8)
    ]

    assert [each.returncode for each in ended] == [0] * 8
    assert b"".join(each.stderr for each in ended) == b""


STUCK = """
import asyncio, logging, threading, time
from pegboard import ProgramLimits, Sdk
from pegboard_code import Door, Settings
from pegboard_code import driving, running, runtime, threads

driving.lossless = lambda value: threading.Event().wait()
running._GRACE, runtime._GRACE, threads._AT_EXIT = 0.2, 0.5, 0.1

async def main():
    door = Door(Settings(keep_warm=False), logging.getLogger("x"))
    sdk = Sdk(text="", functions=(), names=(), declarations={})
    limits = ProgramLimits()
    task = asyncio.ensure_future(door.run("x = 1", sdk, None, limits, lambda text: None))
    await asyncio.sleep(1.5)
    begun = time.monotonic()
    await door.close()
    print(time.monotonic() - begun < 2, type(task.exception()).__name__)

asyncio.run(main())
"""


def test_a_thread_that_is_stuck_stops_neither_the_close_nor_the_exit_and_is_logged() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STUCK], capture_output=True, check=True, text=True, timeout=20
    )

    assert ended.stdout.split() == ["True", "ProgramError"]
    assert ended.stderr == "1 threads of programs have not ended in 0.5 s\n"


IMPORTING = """
import asyncio, logging, sys, threading
from pegboard import ProgramLimits, Sdk
from pegboard_code import Door, Settings

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "pydantic_monty":
            print(threading.current_thread() is threading.main_thread())

sys.meta_path.insert(0, Watch())

async def main():
    door = Door(Settings(), logging.getLogger("x"))
    sdk = Sdk(text="", functions=(), names=(), declarations={})
    run = lambda code: door.run(code, sdk, None, ProgramLimits(), print)
    first = asyncio.ensure_future(run("1"))
    await asyncio.sleep(0)
    if "cancel" in sys.argv:
        first.cancel()
    if "close" in sys.argv:
        await door.close()
    second = run("2")
    for each in await asyncio.gather(first, second, return_exceptions=True):
        print(getattr(each, "value", type(each).__name__))
    await door.close()

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("how", "first", "second"),
    [
        ("run", "1", "2"),
        ("cancel", "CancelledError", "2"),
        ("close", "ProgramError", "ProgramError"),
    ],
)
def test_the_sandbox_is_imported_beside_the_loop_and_once(
    how: str, first: str, second: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", IMPORTING, how], capture_output=True, check=True, text=True
    )

    assert ended.stdout.split() == ["False", first, second]
    assert ended.stderr == ""
