"""A configuration that breaks while it is watched: one line each, and it holds again when whole."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
from pegboard import Host, WatchReport
from pegboard_live import files_read, web_search

BEFORE = "[boards.a]\ndeny = ['web_*']\n"
AFTER = "[boards.a]\ndeny = ['files_*']\n"


@attrs.frozen
class Watched:
    """A host that watches its configuration."""

    host: Host
    file: Path
    reports: "asyncio.Queue[WatchReport]"

    @property
    def shown(self) -> list[str]:
        """The tools of its board."""
        return list(self.host.boards["a"].tools)

    async def told(self) -> WatchReport:
        """The next report."""
        return await asyncio.wait_for(self.reports.get(), 30)

    async def is_quiet(self) -> bool:
        """Whether nothing is told for a while."""
        await asyncio.sleep(2.5)
        return self.reports.empty()


@asynccontextmanager
async def watched(folder: Path) -> AsyncIterator[Watched]:
    """A host that follows a file, with a board that shows one of two tools."""
    file = folder / "pegboard.toml"
    file.write_text(BEFORE)
    reports: asyncio.Queue[WatchReport] = asyncio.Queue()
    async with Host(file, discover=False) as host:
        host.register(files_read)
        host.register(web_search)
        await host.board("a")
        async with host.watch(on_sync=reports.put_nowait):
            yield Watched(host, file, reports)


async def in_place(file: Path, text: str) -> None:
    """Write it anew, a few bytes at a time, as a slow disk does."""
    with file.open("w") as written:
        for at in range(0, len(text), 8):
            written.write(text[at : at + 8])
            written.flush()
            await asyncio.sleep(0.01)


async def renamed(file: Path, text: str) -> None:
    """Write another file, and put it in its place."""
    beside = file.with_suffix(".tmp")
    beside.write_text(text)
    beside.replace(file)


async def recreated(file: Path, text: str) -> None:
    """Remove it, and write it again."""
    file.unlink()
    await asyncio.sleep(0.02)
    file.write_text(text)


async def kept_aside(file: Path, text: str) -> None:
    """Keep what was as a backup, and write it again."""
    file.rename(file.with_suffix(".bak"))
    await asyncio.sleep(0.02)
    file.write_text(text)


Save = Callable[[Path, str], Awaitable[None]]
WAYS = (in_place, renamed, recreated, kept_aside)


@pytest.mark.parametrize("save", WAYS)
async def test_a_saved_configuration_holds_a_moment_later_however_an_editor_saves(
    tmp_path: Path, save: Save
) -> None:
    async with watched(tmp_path) as followed:
        await save(followed.file, AFTER)
        report = await followed.told()

        assert (report.errors, report.is_configured) == ((), True)
        assert [each.path for each in report.sync.changes] == ["boards.a.deny"]
        assert followed.shown == ["web_search"]


@pytest.mark.parametrize("save", WAYS)
async def test_mistakes_are_told_once_each_and_the_old_state_goes_on_until_it_is_whole(
    tmp_path: Path, save: Save, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "pegboard.plugins")
    async with watched(tmp_path) as followed:
        for mistakes in ("max_nesting = 'x'\n", "max_nesting = 'x'\nhook_timeout = 0\n"):
            await save(followed.file, mistakes + AFTER)
            report = await followed.told()
            assert (len(report.errors), report.is_configured) == (1, False)
        held = followed.shown
        await save(followed.file, AFTER)
        report = await followed.told()

        assert (held, report.errors, followed.shown) == (["files_read"], (), ["web_search"])
    lines = [each.getMessage().removeprefix(f"{followed.file}:") for each in caplog.records]
    assert [each[:15] for each in lines] == [
        "1: max_nesting:",
        "2: hook_timeout",
        "the configurati",
    ]


@pytest.mark.parametrize("is_removed", [True, False])
async def test_a_file_that_is_gone_or_emptied_is_told_of_once_and_followed_when_it_is_back(
    tmp_path: Path, *, is_removed: bool
) -> None:
    async with watched(tmp_path) as followed:
        if is_removed:
            followed.file.unlink()
        else:
            followed.file.write_bytes(b"")
        report = await followed.told()
        is_quiet, held = await followed.is_quiet(), followed.shown
        followed.file.write_text(AFTER)
        after = await followed.told()

    assert len(report.errors) == 1
    assert (is_quiet, held) == (True, ["files_read"])
    assert after.is_configured


async def test_a_mistake_that_is_found_while_applying_is_told_once_and_changes_nothing(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as followed:
        followed.file.write_text(f"{AFTER}[reserved]\nweb_search = 'Ours.'\n")
        report = await followed.told()
        is_quiet, held = await followed.is_quiet(), followed.shown
        followed.file.write_text(f"{AFTER}[reserved]\nweb = 'Ours.'\n")
        after = await followed.told()

    why = "'web_search' can't be reserved: the program has registered 'web_search'"
    assert report.errors == (f"{followed.file}:4: {why} on the global layer",)
    assert (is_quiet, held) == (True, ["files_read"])
    assert [each.path for each in after.sync.changes] == ["reserved.web", "boards.a.deny"]
