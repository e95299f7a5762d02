"""What is watched through links: a deployment that exchanges one is followed, and what comes then.

`current -> release-1` and links to links, a folder in whose place a link comes, a loop of links.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
from pegboard import Host, WatchReport
from pegboard_live import files_read, web_search
from pegboard_watched import code, seen

CONFIGURED = "[boards.a]\ndeny = ['{}_*']\n"
"""Hides the tools of one name on the board."""
WEB, FILES = ["files_read"], ["web_search"]
"""What is shown where the others are denied."""


@attrs.frozen
class Watched:
    """A host that watches its configuration."""

    host: Host
    reports: "asyncio.Queue[WatchReport]"

    async def shows(self, tools: list[str]) -> None:
        """Wait until its board shows these tools."""
        async with asyncio.timeout(20):
            while list(self.host.boards["a"].tools) != tools:
                await self.reports.get()


@asynccontextmanager
async def watched(file: Path) -> AsyncIterator[Watched]:
    """A host that follows a file, with a board that shows one of two tools."""
    reports: asyncio.Queue[WatchReport] = asyncio.Queue()
    async with Host(file, discover=False) as host:
        host.register(files_read)
        host.register(web_search)
        await host.board("a")
        async with host.watch(on_sync=reports.put_nowait):
            yield Watched(host, reports)


def release(folder: Path, denied: str) -> Path:
    """A folder with a configuration that denies tools."""
    folder.mkdir()
    (folder / "pegboard.toml").write_text(CONFIGURED.format(denied))
    return folder


def link(path: Path, target: str) -> None:
    """Make a link, or put it at once in the place of another, as `ln -s` and `mv -T` do."""
    fresh = path.with_name("fresh-link")
    fresh.symlink_to(target)
    fresh.replace(path)


def deployed(folder: Path) -> Path:
    """`current -> release-1`."""
    link(folder / "current", "release-1")
    return folder / "current/pegboard.toml"


def mounted(folder: Path) -> Path:
    """`pegboard.toml -> ..data/pegboard.toml` with `..data -> release-1`, as clusters mount it."""
    link(folder / "..data", "release-1")
    link(folder / "pegboard.toml", "..data/pegboard.toml")
    return folder / "pegboard.toml"


def deep(folder: Path) -> Path:
    """A link to a link, above several folders."""
    link(folder / "current", "latest")
    link(folder / "latest", "release-1")
    return folder / "current/../current/pegboard.toml"


@pytest.mark.parametrize(
    ("deploy", "name"), [(deployed, "current"), (mounted, "..data"), (deep, "latest")]
)
async def test_a_link_that_is_exchanged_is_followed_and_then_edits_behind_it(
    tmp_path: Path, deploy: Callable[[Path], Path], name: str
) -> None:
    release(tmp_path / "release-1", "web")
    second = release(tmp_path / "release-2", "files")
    async with watched(deploy(tmp_path)) as seen_by:
        await asyncio.sleep(0.3)

        link(tmp_path / name, "release-2")
        await seen_by.shows(FILES)
        (second / "pegboard.toml").write_text(CONFIGURED.format("web"))
        await seen_by.shows(WEB)
        link(tmp_path / name, "release-1")
        (tmp_path / "release-1/pegboard.toml").write_text(CONFIGURED.format("files"))
        await seen_by.shows(FILES)


@pytest.mark.parametrize("inner", [".", "inner"])
async def test_a_folder_in_whose_place_a_link_comes_is_followed(tmp_path: Path, inner: str) -> None:
    outer = tmp_path / "conf"
    for folder, denied in ((outer, "web"), (tmp_path / "c6", "files")):
        folder.mkdir()
        (folder / inner).mkdir(exist_ok=True)
        (folder / inner / "pegboard.toml").write_text(CONFIGURED.format(denied))
    async with watched(outer / inner / "pegboard.toml") as seen_by:
        await asyncio.sleep(0.3)

        outer.rename(tmp_path / "c5")
        link(outer, "c6")
        await seen_by.shows(FILES)
        (tmp_path / "c6" / inner / "pegboard.toml").write_text(CONFIGURED.format("web"))
        await seen_by.shows(WEB)


@pytest.mark.parametrize("name", ["current", "current/pegboard.toml"])
async def test_a_loop_of_links_is_told_in_one_line_and_the_old_state_goes_on(
    tmp_path: Path, name: str
) -> None:
    release(tmp_path / "release-1", "web")
    async with watched(deployed(tmp_path)) as seen_by:
        await asyncio.sleep(0.3)

        link(tmp_path / name, Path(name).name)
        report = await asyncio.wait_for(seen_by.reports.get(), 20)
        shown = list(seen_by.host.boards["a"].tools)
        if "/" not in name:
            link(tmp_path / name, "release-1")
        (tmp_path / "release-1/pegboard.toml").unlink(missing_ok=True)
        (tmp_path / "release-1/pegboard.toml").write_text(CONFIGURED.format("files"))
        await seen_by.shows(FILES)

    (mistake,) = report.errors
    assert "pegboard.toml" in mistake
    assert shown == WEB


async def test_a_plugin_in_a_file_behind_a_link_is_followed_to_the_next_release(
    tmp_path: Path,
) -> None:
    for number in (1, 2):
        (tmp_path / f"release-{number}").mkdir()
        (tmp_path / f"release-{number}/edited.py").write_text(code(number))
    link(tmp_path / "current", "release-1")
    async with Host(discover=False) as host:
        board = await host.board("desk")
        await host.load(tmp_path / "current/edited.py")
        async with host.watch() as reports, asyncio.timeout(30):
            link(tmp_path / "current", "release-2")
            while await seen(board) != 2:
                await anext(reports)
            (tmp_path / "release-2/edited.py").write_text(code(3))
            while await seen(board) != 3:
                await anext(reports)


async def test_a_plugin_behind_a_loop_of_links_goes_on_and_is_followed_once_it_is_whole(
    tmp_path: Path,
) -> None:
    (tmp_path / "release-1").mkdir()
    (tmp_path / "release-1/edited.py").write_text(code(1))
    link(tmp_path / "current", "release-1")
    async with Host(discover=False) as host:
        board = await host.board("desk")
        await host.load(tmp_path / "current/edited.py")
        async with host.watch() as reports, asyncio.timeout(30):
            link(tmp_path / "current", "current")
            report = await anext(reports)
            before = await seen(board)
            (tmp_path / "release-1/edited.py").write_text(code(2))
            link(tmp_path / "current", "release-1")
            while await seen(board) != 2:
                await anext(reports)

    assert before == 1
    assert [each for each in report.errors if "there is no file" in each] == list(report.errors)
