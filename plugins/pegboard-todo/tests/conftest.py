"""Hosts with lists in a file, and calls on their boards."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pegboard_todo
import pytest
from pegboard import Host, Outcome


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of the lists; there is none yet."""
    (tmp_path / "lists").mkdir()
    return tmp_path.resolve() / "lists" / "todo.sqlite3"


@pytest.fixture
def hosted(path: Path) -> Callable[..., AbstractAsyncContextManager[Host]]:
    """`hosted(**settings)` gives a host with the plugin, to enter with `async with`."""

    @asynccontextmanager
    async def standing(**settings: object) -> AsyncIterator[Host]:
        async with Host(discover=False) as host:
            await host.load(pegboard_todo, name="todo", settings={"path": str(path), **settings})
            yield host
            report = await host.unload("todo")
            assert (report.still_running, report.errors, report.leaked) == ((), (), ())

    return standing


@pytest.fixture
def call(hosted: Callable[..., AbstractAsyncContextManager[Host]]) -> Callable[..., Outcome]:
    """`call(tool, arguments, board=…, **settings)` gives the outcome on a fresh host."""

    def call(
        name: str, arguments: object = None, *, board: str = "agent", **settings: object
    ) -> Outcome:
        async def main() -> Outcome:
            async with hosted(**settings) as host:
                return await (await host.board(board)).call(name, arguments or {})

        return asyncio.run(main())

    return call


@pytest.fixture
def text(call: Callable[..., Outcome]) -> Callable[..., str]:
    """`text(tool, arguments)` gives what a model reads."""
    return lambda name, arguments=None, **more: call(name, arguments, **more).content[0].text
