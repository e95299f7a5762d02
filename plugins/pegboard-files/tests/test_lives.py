"""The life of the plugin: loaded and unloaded under calls."""

import asyncio
from pathlib import Path

import pegboard_files
from pegboard import Host, Outcome
from pegboard.testing import check_plugin

CYCLES = 100


def everything(folder: Path) -> dict[str, object]:
    """Settings with which every tool is there."""
    return {"root": str(folder), "move": True, "delete": True, "fallback_encoding": "cp1252"}


TestEveryTool = check_plugin("files", settings=everything)


async def test_a_hundred_loads_and_unloads_under_calls_leave_nothing(
    root: Path, ripgrep: str
) -> None:
    settings = everything(root) | {"ripgrep": ripgrep, "fallback_encoding": None}
    calls = [
        ("files_search", {"pattern": "one"}),
        ("files_write", {"path": "a/file", "content": "one\n" * 100}),
        ("files_glob", {"pattern": "**"}),
        ("files_move", {"path": "a", "to": "b"}),
        ("files_delete", {"path": "b", "recursive": True}),
    ]
    async with Host(discover=False) as host:
        board = await host.board("tests")
        for number in range(CYCLES):
            await host.load(pegboard_files, name="files", settings=settings)
            running = [asyncio.create_task(board.call(*each)) for each in calls]
            await asyncio.sleep(0.001 * (number % 5))
            report = await host.unload("files")
            ended: list[Outcome] = await asyncio.gather(*running)
            assert (report.still_running, report.errors, report.leaked) == ((), (), ())
            assert all(not each.is_error or each.code != "crashed" for each in ended)
