"""Loading and unloading, again and again."""

import subprocess
import sys
from pathlib import Path

CYCLES = """
import asyncio, os, sys, threading
from importlib import import_module
from pegboard import Host

def left():
    return len(os.listdir("/dev/fd")), threading.active_count()

async def main():
    async with Host(discover=False) as host:
        board = await host.board("agent")
        for number in range(100):
            module = import_module("pegboard_todo")
            await host.load(module, name="todo", settings={"path": sys.argv[1]})
            added = (await board.call("todo_add", {"texts": [f"item {number}"]})).unwrap()
            assert added["items"][-1]["id"] == number + 1, added
            assert (await board.call("todo_remove", {"ids": [9_000]})).is_error
            report = await host.unload("todo")
            assert (report.still_running, report.errors, report.leaked) == ((), (), ()), report
            if number == 9:
                await asyncio.sleep(0.1)
                before = left()
        while any(now > then for now, then in zip(left(), before)):
            await asyncio.sleep(0.01)
        assert not [name for name in sys.modules if name.startswith("pegboard_todo")]

asyncio.run(main())
"""


def test_a_hundred_cycles_of_loading_and_calling_leave_nothing(path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", CYCLES, str(path)]

    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert [each.name for each in path.parent.iterdir()] == [path.name]
