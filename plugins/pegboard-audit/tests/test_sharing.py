"""One file, several hosts in one process, and several processes: nothing is lost or damaged."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from pegboard_audit import AuditError, read
from pegboard_audit.schema import connect

PROCESSES, ROUNDS = 3, 15
NESTING = """
import asyncio, sys
from pegboard import Config, Host, PluginConfig

path, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
config = Config(only=["audit"], plugins={"audit": PluginConfig({"path": path})})

async def call(host, times):
    board = await host.board(name)
    for _ in range(times):
        await board.call("missing")

async def main():
    for _ in range(rounds):
        async with Host(config) as outer:
            await call(outer, 5)
            async with Host(config) as inner:
                await call(inner, 1)
            await call(outer, 5)

asyncio.run(main())
"""


def test_hosts_inside_hosts_in_several_processes_lose_no_call(path: Path) -> None:
    command = [sys.executable, "-c", NESTING, str(path)]
    running = [
        subprocess.Popen([*command, str(number), str(ROUNDS)]) for number in range(PROCESSES)
    ]

    assert [each.wait(240) for each in running] == [0] * PROCESSES

    for number in range(PROCESSES):
        assert len(list(read(path, board=str(number)))) == 11 * ROUNDS
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_connecting_once_more_takes_no_lock_away(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(path).close()
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda *given, **_: opened.append(given))

    connect(path).close()

    assert opened == []


def test_a_record_through_a_dangling_link_is_for_its_owner_only(path: Path) -> None:
    real = path.with_name("real.sqlite3")
    path.symlink_to(real)

    connect(path).close()

    assert real.stat().st_mode & 0o077 == 0
    assert sorted(path.parent.iterdir()) == sorted([path, real])


def test_a_disk_without_hard_links_holds_a_record_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)

    connect(path).close()

    assert path.stat().st_mode & 0o077 == 0
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["loop/x.sqlite3", "loop", "missing/x.sqlite3", "x" * 300])
def test_a_path_that_leads_nowhere_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(AuditError, match="can't be opened: "):
        connect(tmp_path / name)

    assert [each.name for each in tmp_path.iterdir()] == ["loop"]
