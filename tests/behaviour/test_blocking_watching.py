"""Watching without async: reports are iterated, and whoever waits for one can be interrupted."""

import threading
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pegboard import Config, HostClosedError, WatchReport
from pegboard.blocking import Host
from pegboard_blocking import pressed_ctrl_c
from pegboard_watched import code


@attrs.frozen
class Author:
    """Somebody who edits a plugin that is one file, and watches what comes of it."""

    host: Host
    file: Path

    def write(self, version: int) -> None:
        """Save another version."""
        self.file.write_text(code(version))


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Author]:
    """An author with version 1 of a file that is loaded."""
    file = tmp_path / "edited.py"
    file.write_text(code(1))
    with Host(Config(stop_grace=0.5), discover=False) as host:
        host.load(file)
        yield Author(host, file)


def test_an_edited_file_runs_a_moment_later(author: Author) -> None:
    with author.host.watch() as reports:
        author.write(2)
        report = next(reports)

    assert (report.sync.reloaded, report.errors) == (("edited",), ())
    assert author.host.board("desk").call("version").unwrap() == 1002


def test_reports_are_handed_over_on_the_loop_where_nobody_iterates(author: Author) -> None:
    seen: list[tuple[WatchReport, str]] = []
    told = threading.Event()

    def on_sync(report: WatchReport) -> None:
        seen.append((report, threading.current_thread().name))
        told.set()

    with author.host.watch(on_sync=on_sync):
        author.write(2)
        assert told.wait(30)

    assert seen[0][1] == "pegboard-loop"


def test_ctrl_c_ends_the_waiting_and_the_watch_goes_on(author: Author) -> None:
    waiting = threading.Event()
    waiting.set()

    with author.host.watch() as reports:
        with pytest.raises(KeyboardInterrupt), pressed_ctrl_c(waiting):
            next(reports)
        author.write(2)
        assert next(reports).sync.reloaded == ("edited",)


def test_a_watch_ends_with_its_host(author: Author) -> None:
    reports: list[WatchReport] = []

    def watch() -> None:
        with author.host.watch() as watching:
            begun.set()
            reports.extend(watching)

    begun = threading.Event()
    thread = threading.Thread(target=watch)
    thread.start()
    begun.wait(10)
    author.host.close()
    thread.join(10)

    assert (thread.is_alive(), reports) == (False, [])


def test_a_watch_ends_with_a_host_that_is_closed_before_it_is_read(author: Author) -> None:
    with author.host.watch() as watching:
        author.host.close()

        assert list(watching) == []


def test_a_watch_that_is_read_step_by_step_ends_between_two_steps(author: Author) -> None:
    with author.host.watch() as watching:
        author.write(2)
        first = next(watching)
        author.host.close()

        assert first.sync.reloaded == ("edited",)
        assert list(watching) == []


def test_a_watch_needs_an_open_host(author: Author) -> None:
    author.host.close()

    with pytest.raises(HostClosedError, match="the host is closed; make another one"):
        author.host.watch()
