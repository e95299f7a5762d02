"""Loading and unloading again and again, with commands running, leaves nothing in the process."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pegboard_shell
from pegboard import Host

CYCLES = 100
WAYS = 4
"""A call that runs, a job, a call that has ended; and all of them."""


async def cycle(host: Host, settings: dict[str, object], number: int) -> None:
    """Load, use the plugin in one of four ways, and unload it under what goes on."""
    await host.load(pegboard_shell, name="shell", settings=settings)
    board = await host.board("tests")
    running = None
    if number % WAYS in (0, 1):
        running = asyncio.create_task(board.call("shell_run", {"command": "sleep 600"}))
        while not host.running:
            await asyncio.sleep(0)
    if number % WAYS in (0, 2):
        await board.call("shell_start", {"command": "setsid sleep 600 & sleep 600"})
    if number % WAYS in (0, 3):
        assert (await board.call("shell_run", {"command": f"echo {number}"})).unwrap()["size"]
    report = await host.unload("shell", grace=0)
    assert running is None or (await running).is_error
    assert (report.errors, report.leaked, report.still_running) == ((), (), ())


def there_is() -> set[str]:
    """The names of open files and of threads, and the tasks."""
    threads = {f"thread {each.name}" for each in threading.enumerate()}
    tasks = {f"task {each.get_name()}" for each in asyncio.all_tasks()}
    return threads | tasks | {f"file {each.name}" for each in Path("/dev/fd").iterdir()}


async def test_a_hundred_lives_of_the_plugin_leave_nothing(root: Path, marked: Any) -> None:
    settings: dict[str, object] = {
        "root": str(root),
        "environment": ["PATH", "PEGBOARD_SHELL_TEST"],
    }
    async with Host(discover=False) as host:
        await cycle(host, settings, 0)
        before = there_is()
        for number in range(1, CYCLES):
            await cycle(host, settings, number)
        assert marked.running() == []
        assert there_is() - before == set()
    assert [each.name for each in root.iterdir()] == ["inner"]
