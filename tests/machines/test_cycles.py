"""Loading and unloading again and again, a new version each time, leaves nothing in the process.

`PEGBOARD_CYCLES` says how often, 60 times unless given; memory is judged from 500 on, and told.
"""

import asyncio
import gc
import linecache
import logging
import os
import sys
import threading
import time
from pathlib import Path

import attrs
import pytest
from pegboard import Board, Host

CYCLES = int(os.environ.get("PEGBOARD_CYCLES", "60"))
ARENA = 1_024
"""KiB in which Python takes memory from the system: one step may fall into any half."""
SOURCE = '''
import asyncio, contextlib, logging
from typing import Annotated, Optional

import attrs
from annotated_types import Ge, MinLen
from pegboard import RunContext, hookimpl, tool

log = logging.getLogger(__name__)

@attrs.frozen
class Settings:
    size: Annotated[int, Ge(0)] = {version}

@attrs.frozen
class Point:
    x: int
    y: Optional[int] = {version}

@attrs.frozen
class Line:
    start: Point
    end: "Point"
    tags: list[str] = attrs.Factory(lambda: ["version {version}"])

@tool
async def draw(line: Line, more: Annotated[list[Point], MinLen(0)] | None = None) -> Point:
    """Draw version {version}."""
    await asyncio.sleep(0)
    return line.start

@tool
def count(n: int, context: RunContext) -> int:
    """Count, in a thread."""
    log.debug("counting")
    context.plugin.log.debug("counting")
    return n + context.plugin.settings.size

@tool
async def fail(point: Point) -> None:
    """Fail."""
    raise ValueError(point)

@hookimpl
def pegboard_settings():
    return Settings

@hookimpl
@contextlib.asynccontextmanager
async def pegboard_lifespan(plugin):
    plugin.create_task(asyncio.sleep(3600))
    plugin.on_unload(lambda: None)
    yield Point(1)

@hookimpl
def pegboard_tools():
    return [draw, count, fail]

@hookimpl
def pegboard_guards():
    return [lambda execution: None]

@hookimpl
@contextlib.contextmanager
def pegboard_board(plugin, board):
    yield Point(2)

@hookimpl
def pegboard_before_call(execution):
    return None

@hookimpl
async def pegboard_around_call(execution, call_next):
    return await call_next()

@hookimpl
def pegboard_call_finished(execution, outcome):
    log.debug("finished")
'''


@attrs.frozen
class Count:
    """What there is in the process at one moment.

    Attributes:
        resident: its memory in KiB.
        blocks: how many blocks of memory Python has given out.
        objects: how many objects the collector knows.
    """

    resident: int
    blocks: int
    objects: int
    modules: int
    threads: int
    tasks: int
    files: int
    sources: int
    loggers: int

    @classmethod
    def now(cls) -> "Count":
        """What there is now, once threads that were told to end have ended."""
        time.sleep(0.05)
        gc.collect()
        status = Path("/proc/self/status").read_text()
        line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
        return cls(
            resident=int(line.split()[1]),
            blocks=sys.getallocatedblocks(),
            objects=len(gc.get_objects()),
            modules=len(sys.modules),
            threads=threading.active_count(),
            tasks=len(asyncio.all_tasks()),
            files=len(os.listdir("/proc/self/fd")),  # noqa: PTH208 - names only
            sources=len(linecache.cache),
            loggers=len(logging.Logger.manager.loggerDict),
        )

    def growth(self, before: "Count") -> dict[str, int]:
        """What has come since."""
        return {
            key: value - getattr(before, key)
            for key, value in attrs.asdict(self).items()
            if value != getattr(before, key)
        }


async def cycle(host: Host, board: Board, file: Path, version: int) -> None:
    """Load a version, call it in every way, and unload it."""
    file.write_text(SOURCE.format(version=version))
    os.utime(file, (version, version))
    await host.load(file, name="p", settings={"size": version})
    line = {"start": {"x": version}, "end": {"x": 2, "y": None}}
    assert (await board.call("draw", {"line": line})).unwrap()["x"] == version
    assert (await board.call("count", {"n": 1})).unwrap() == version + 1
    assert (await board.call("fail", {"point": {"x": 1}})).is_error
    assert (await board.call("draw", {"line": 3})).is_error
    assert len(board.definitions()) == 3
    report = await host.unload("p")
    assert (report.errors, report.leaked, report.still_running) == ((), (), ())


async def cycled(file: Path) -> tuple[Count, Count]:
    """What there is after half of the cycles, and after all."""
    async with Host(discover=False) as host:
        board = await host.board("b")
        half = None
        for version in range(CYCLES):
            await cycle(host, board, file, version)
            if version == CYCLES // 2 - 1:
                Count.now()
                half = Count.now()
        assert half is not None
        return half, Count.now()


def test_new_versions_again_and_again_leave_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.disable(logging.CRITICAL)
    try:
        half, end = asyncio.run(cycled(tmp_path / "versioned.py"))
    finally:
        logging.disable(logging.NOTSET)

    grown = end.growth(half)
    cycles = CYCLES - CYCLES // 2
    if CYCLES >= 500:
        with capsys.disabled():
            sys.stdout.write(f"\n{CYCLES} cycles; in the second half: {grown}\n")
        assert grown.get("resident", 0) <= cycles + ARENA
        assert grown.get("blocks", 0) <= cycles // 5
    assert grown.keys() <= {"resident", "blocks", "objects"}
    assert grown.get("objects", 0) <= cycles // 10
