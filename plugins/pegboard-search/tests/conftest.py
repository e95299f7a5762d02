"""Boards with tools that are to be found, and the definitions beside the repository."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pegboard_search
import pytest
from pegboard import Board, Config, Host, Outcome, Tool
from pegboard_house import ORIGINAL

_BESIDE = Path(__file__).parents[4] / "shared" / "cases"
_SHARED = Path(ORIGINAL.get("PEGBOARD_SHARED") or _BESIDE) / "definitions"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs the shared definitions where they are absent."""
    absent = [item for item in items if item.get_closest_marker("shared")]
    if absent and not _SHARED.is_dir():
        items[:] = [item for item in items if not item.get_closest_marker("shared")]
        config.hook.pytest_deselected(items=absent)


@pytest.fixture
def definitions_beside() -> Path:
    """The folder with definitions of real tools; for tests marked `shared`."""
    return _SHARED


@attrs.frozen
class Desk:
    """A host on which the search is loaded, and one of its boards."""

    host: Host
    board: Board

    async def outcome(self, query: str, **arguments: Any) -> Outcome:
        """How a search ends."""
        return await self.board.call("tools_search", {"query": query, **arguments})

    async def value(self, query: str, **arguments: Any) -> Any:
        """What a search gives."""
        return (await self.outcome(query, **arguments)).unwrap()

    async def names(self, query: str, **arguments: Any) -> list[str]:
        """The names that a search finds, the best first."""
        return [each["name"] for each in (await self.value(query, **arguments))["tools"]]

    @property
    def said(self) -> list[str]:
        """The names of what a model is shown."""
        return [each.name for each in self.board.definitions()]


Desks = Callable[..., AbstractAsyncContextManager[Desk]]


@pytest.fixture
def desk() -> Desks:
    """`desk(*tools, config=, board=, **settings)` is an open desk with these tools."""

    @asynccontextmanager
    async def opened(
        *tools: Tool, config: Config | None = None, board: Any = None, **settings: Any
    ) -> AsyncIterator[Desk]:
        async with Host(config, discover=False) as host:
            await host.load(pegboard_search, name="search", settings=settings)
            for each in tools:
                host.register(each)
            yield Desk(host, await host.board("case", **(board or {})))

    return opened


@pytest.fixture
def made() -> Callable[..., Tool]:
    """`made(name, description, properties)` is a tool that waits to be found."""

    def made(name: str, description: str = "", properties: Any = None, **options: Any) -> Tool:
        schema: Any = {"type": "object", "properties": properties or {}}
        shared: Any = {"run": lambda arguments, context: name, "defer_loading": True}
        options = shared | options
        return Tool(name=name, description=description, parameters=schema, **options)

    return made
