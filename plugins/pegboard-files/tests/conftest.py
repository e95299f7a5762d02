"""A root with a folder outside it, and calls through a host."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pegboard_files
import pytest
from pegboard import Host, Outcome, ToolCall


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
def call(root: Path) -> Callable[..., Outcome]:
    """`call(tool, arguments, **settings)` gives the outcome on a fresh host."""

    def call(name: str, arguments: object, **settings: object) -> Outcome:
        async def main() -> Outcome:
            async with Host(discover=False) as host:
                await host.load(pegboard_files, settings={"root": str(root), **settings})
                board = await host.board("tests")
                return await board.call(name, arguments)

        return asyncio.run(main())

    return call


@pytest.fixture
def calls(root: Path) -> Iterator[Callable[[list[ToolCall]], list[Outcome]]]:
    """`calls(batch)` gives the outcomes of a batch on one host."""
    with asyncio.Runner() as runner:
        host = Host(discover=False)

        async def opened() -> None:
            await host.open()
            await host.load(pegboard_files, settings={"root": str(root)})

        async def run(batch: list[ToolCall]) -> list[Outcome]:
            board = await host.board("tests")
            return await board.run(batch)

        runner.run(opened())
        yield lambda batch: runner.run(run(batch))
        runner.run(host.close())


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
