"""Plugins whose files are edited while a host watches them."""

import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
from pegboard import Board, Config, Host, WatchReport
from pegboard.plugins import Watching
from pegboard.testing.distributions import Site

CODE = '''
from pegboard import tool

@tool
def {name}() -> int:
    """Give the version."""
    return {version}
'''


def code(version: int, *, name: str = "version") -> str:
    """The text of a plugin whose only tool gives this version, in three digits."""
    return CODE.format(name=name, version=1000 + version)


async def seen(board: Board, name: str = "version") -> int:
    """The version that a call sees now."""
    value: int = (await board.call(name)).unwrap()
    return value - 1000


@attrs.frozen
class Author:
    """Somebody who edits a plugin that is one file, and watches what comes of it."""

    host: Host
    board: Board
    file: Path
    reports: Watching

    def write(self, version: int) -> None:
        """Save another version."""
        self.file.write_text(code(version))

    async def told(
        self, expects: Callable[[WatchReport], object] = lambda each: True
    ) -> WatchReport:
        """The next report that is as expected."""
        async with asyncio.timeout(30):
            async for report in self.reports:
                if expects(report):
                    return report
        raise AssertionError("the watch has ended")

    async def saw(self, version: int) -> None:
        """Wait until calls see a version."""
        while await seen(self.board) != version:
            await self.told()


@asynccontextmanager
async def author_at(folder: Path, config: Config | Path | None = None) -> AsyncIterator[Author]:
    """An author with version 1 of a file that is loaded and watched."""
    file = folder / "edited.py"
    file.write_text(code(1))
    async with Host(config, discover=False) as host:
        board = await host.board("desk")
        await host.load(file)
        async with host.watch() as reports:
            yield Author(host, board, file, reports)


def install_editable(
    site: Site, project: Path, name: str, *, entry_points: Mapping[str, str] | str | None = None
) -> None:
    """Install a project as `pip install -e` does: its `src` is on the import path from then on.

    Args:
        site: where its metadata is written.
        project: its folder.
        name: the name of its distribution.
        entry_points: its plugins by name, or all of its `entry_points.txt`; one of its own name
            if None.
    """
    entries = {name: name} if entry_points is None else entry_points
    files = {f"_{name}.pth": f"{project / 'src'}\n"}
    info = site.install(name, entry_points=entries, files=files)
    told = {"url": project.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(told))
    with (info / "RECORD").open("a") as record:
        record.write(f"{info.name}/direct_url.json,,\n")
    importlib.invalidate_caches()
