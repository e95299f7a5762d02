"""Watching: what is edited on disk runs a moment later, and nothing ends the watch by itself."""

import asyncio
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pegboard import Host, HostClosedError, PegboardError, WatchReport
from pegboard_watched import author_at, code, seen


async def test_an_edited_file_runs_a_moment_later(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        author.write(2)
        report = await author.told()

        assert (report.sync.reloaded, report.errors) == (("edited",), ())
        assert await seen(author.board) == 2


async def test_a_mistake_is_told_with_file_and_line_and_the_old_code_goes_on(
    tmp_path: Path,
) -> None:
    async with author_at(tmp_path) as author:
        author.file.write_text("x = 1\ny = x.z\n")
        report = await author.told()
        before = await seen(author.board)
        author.write(2)
        await author.saw(2)

    assert report.sync.failed == ("edited",)
    assert (
        f"AttributeError: 'int' object has no attribute 'z' ({author.file}:2)" in report.errors[0]
    )
    assert before == 1


async def test_a_syntax_error_is_told_once_with_file_and_line(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        author.file.write_text(f"{code(2)}def (\n")
        first = await author.told()
        os.utime(author.file)
        author.write(3)
        second = await author.told()

    assert f"SyntaxError: invalid syntax ({author.file}:8)" in first.errors[0]
    assert (second.sync.reloaded, second.errors) == (("edited",), ())


async def test_a_file_that_an_editor_puts_in_the_place_of_the_old_one_is_loaded(
    tmp_path: Path,
) -> None:
    async with author_at(tmp_path) as author:
        for version in (2, 3):
            temporary = tmp_path / ".edited.py.tmp"
            temporary.write_text(code(version))
            temporary.replace(author.file)
            await author.saw(version)


async def test_two_edits_with_one_time_and_one_size_are_two(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        author.write(2)
        await author.saw(2)
        time = author.file.stat().st_mtime_ns
        author.write(3)
        os.utime(author.file, ns=(time, time))
        await author.saw(3)


async def test_many_quick_edits_end_in_the_last_text(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        for version in range(2, 52):
            author.write(version)
            await asyncio.sleep(0.004)
        await author.saw(51)

        assert author.host.plugins["edited"].error is None


async def test_a_file_that_is_deleted_goes_on_until_it_is_back(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        author.file.unlink()
        report = await author.told()
        before = await seen(author.board)
        author.write(2)
        await author.saw(2)

    assert report.errors == (f"there is no file '{author.file}'",)
    assert before == 1


async def test_a_folder_that_is_deleted_is_watched_again_once_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    async with author_at(folder) as author:
        shutil.rmtree(folder.parent)
        await author.told(lambda each: each.errors)
        folder.mkdir(parents=True)
        author.write(2)
        await author.saw(2)


async def test_what_is_loaded_later_is_watched_too(tmp_path: Path) -> None:
    later = tmp_path / "elsewhere" / "later.py"
    later.parent.mkdir()
    later.write_text(code(1, name="other"))
    async with author_at(tmp_path) as author:
        await author.host.load(later)
        later.write_text(code(2, name="other"))
        report = await author.told()

        assert report.sync.reloaded == ("later",)
        assert await seen(author.board, "other") == 2


async def test_what_is_unloaded_is_watched_no_more(tmp_path: Path) -> None:
    later = tmp_path / "later.py"
    later.write_text(code(1, name="other"))
    async with author_at(tmp_path) as author:
        await author.host.load(later)
        await author.host.unload("edited")
        author.write(2)
        later.write_text(code(2, name="other"))
        report = await author.told()

        assert (report.sync.reloaded, report.sync.failed) == (("later",), ())
        assert author.host.plugins["edited"].state == "unloaded"


async def test_a_package_that_was_given_as_a_module_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "given_package"
    package.mkdir()
    (package / "__init__.py").write_text("from given_package.part import version\n")
    (package / "part.py").write_text(code(1))
    monkeypatch.syspath_prepend(tmp_path)
    async with author_at(tmp_path) as author:
        await author.host.unload("edited")
        await author.host.load(__import__("given_package"))
        (package / "part.py").write_text(code(2))
        await author.saw(2)


async def test_calls_that_run_during_edits_all_end_well(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        values: list[int] = []
        is_done = asyncio.Event()

        async def call() -> None:
            while not is_done.is_set():
                values.append(await seen(author.board))
                await asyncio.sleep(0.001)

        async with asyncio.TaskGroup() as group:
            for _ in range(10):
                group.create_task(call())
            for version in (2, 3, 4):
                author.write(version)
                await author.saw(version)
            is_done.set()

    assert set(values) == {1, 2, 3, 4}


async def test_a_callback_gets_the_reports_while_the_program_does_something_else(
    tmp_path: Path,
) -> None:
    file = tmp_path / "edited.py"
    file.write_text(code(1))
    reports: asyncio.Queue[WatchReport] = asyncio.Queue()
    async with Host(discover=False) as host, host.watch(on_sync=reports.put_nowait):
        await host.load(file)
        file.write_text(code(2))
        report = await asyncio.wait_for(reports.get(), 30)

    assert report.sync.reloaded == ("edited",)


async def test_what_a_callback_raises_is_raised_on_leaving(tmp_path: Path) -> None:
    file, called = tmp_path / "edited.py", asyncio.Event()
    file.write_text(code(1))

    def fail(report: WatchReport) -> None:
        called.set()
        raise ZeroDivisionError(report.sync.reloaded)

    async with Host(discover=False) as host:
        await host.load(file)
        watching = await host.watch(on_sync=fail).__aenter__()
        file.write_text(code(2))
        await asyncio.wait_for(called.wait(), 30)
        with pytest.raises(ZeroDivisionError, match="edited"):
            await watching.__aexit__(None, None, None)


def names_of_threads() -> set[str]:
    """The names of the threads that are alive."""
    return {each.name for each in threading.enumerate()}


async def test_nothing_is_left_once_the_block_is_left(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    async with author_at(tmp_path) as author:
        author.write(2)
        await author.saw(2)
        async with asyncio.timeout(30):
            while "pegboard-watch" not in names_of_threads():  # others are to be watched by now
                await asyncio.sleep(0.001)

    assert "pegboard-watch" not in names_of_threads()
    assert asyncio.all_tasks() == before


async def test_a_block_that_is_left_at_once_leaves_nothing(tmp_path: Path) -> None:
    for _ in range(20):
        async with author_at(tmp_path):
            pass

    assert "pegboard-watch" not in names_of_threads()


async def test_the_watch_ends_with_the_host(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        author.write(2)
        await author.saw(2)
        await author.host.close()

        assert [each async for each in author.reports] == []
        assert [each async for each in author.reports] == []


async def test_a_mistake_that_comes_back_is_told_again(tmp_path: Path) -> None:
    async with author_at(tmp_path) as author:
        texts = [code(2), "x = y\n", code(3), "x = y\n"]
        for text in texts:
            author.file.write_text(text)
            report = await author.told()
            assert bool(report.errors) == (text == "x = y\n")


async def test_a_host_that_is_not_open_can_t_be_watched() -> None:
    with pytest.raises(HostClosedError):
        Host(discover=False).watch()


async def test_what_the_library_raises_out_of_the_blue_is_raised_on_leaving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    monkeypatch.setattr(watchfiles, "watch", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        async with author_at(tmp_path) as author:
            await author.told()


async def test_without_watchfiles_an_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    async with Host(discover=False) as host:
        with pytest.raises(PegboardError, match=r"pip install 'pegboard\[watch\]'"):
            async with host.watch():
                pass


async def test_where_files_are_polled_the_last_of_quick_edits_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    async with author_at(tmp_path) as author:
        for version in (2, 3, 4):
            author.write(version)
            await author.saw(version)


async def test_files_are_polled_where_the_system_hears_of_no_more_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import watchfiles

    watch = watchfiles.watch

    def limited(*folders: str, force_polling: bool | None, **options: Any) -> Any:
        if not force_polling:
            raise OSError("OS file watch limit reached")
        return watch(*folders, force_polling=True, **options)

    monkeypatch.setattr(watchfiles, "watch", limited)
    async with author_at(tmp_path) as author:
        for version in (2, 3):
            author.write(version)
            await author.saw(version)

    assert "files are compared instead: OS file watch limit reached" in caplog.text
