"""A root, calls through a host, and a look at every process that a command has started."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import attrs
import pegboard_shell
import pytest
from pegboard import Host, Outcome

VARIABLE = "PEGBOARD_SHELL_TEST"


@attrs.frozen
class Marked:
    """The processes of one test's commands, and those that they run under.

    Attributes:
        mark: what the commands have among their variables.
        folder: where they run.
    """

    mark: str
    folder: Path

    def running(self) -> list[str]:
        """The command lines of those that run."""
        return [self._line(each) for each in Path("/proc").glob("[0-9]*") if self._is_one(each)]

    def _is_one(self, process: Path) -> bool:
        try:
            is_dead = (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            variables = (process / "environ").read_bytes().split(b"\0")
            runs_one = "supervisor.py" in (line := self._line(process)) and (
                line.split()[-1] == str(os.getpid())
                or (process / "cwd").readlink().is_relative_to(self.folder)
            )
        except OSError:
            return False
        return not is_dead and (runs_one or f"{VARIABLE}={self.mark}".encode() in variables)

    def _line(self, process: Path) -> str:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch, by_itself: None, tmp_path: Path) -> Iterator[Marked]:
    """The processes of this test's commands; in the end there is none."""
    marked = Marked(secrets.token_hex(8), tmp_path.resolve())
    monkeypatch.setenv(VARIABLE, marked.mark)
    yield marked
    assert marked.running() == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root folder, with a folder `inner` in it."""
    folder = tmp_path.resolve() / "root"
    (folder / "inner").mkdir(parents=True)
    return folder


Hosted = Callable[..., AbstractAsyncContextManager[Host]]


@pytest.fixture
def hosted(root: Path, marked: Marked) -> Hosted:
    """Gives hosts with the plugin, each with settings of its own, to enter with `async with`."""

    @asynccontextmanager
    async def standing(**settings: object) -> AsyncIterator[Host]:
        names = ["HOME", "PATH", VARIABLE]
        given = {"root": str(root), "grace": 0.3, "environment": names, **settings}
        async with Host(discover=False) as host:
            await host.load(pegboard_shell, name="shell", settings=given)
            yield host

    return standing


@pytest.fixture
def call(hosted: Hosted, marked: Marked) -> Callable[..., Outcome]:
    """`call(arguments, **settings)` runs a command on a fresh host; nothing of it goes on."""

    def call(arguments: object, **settings: object) -> Outcome:
        async def main() -> Outcome:
            async with hosted(**settings) as host:
                board = await host.board("tests")
                outcome = await board.call("shell_run", arguments)
                assert marked.running() == []
                return outcome

        return asyncio.run(main())

    return call
