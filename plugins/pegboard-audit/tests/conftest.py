"""Hosts whose calls are recorded."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import pegboard_audit
import pytest
from pegboard import JSON, Host, RunContext, Secret, Tool, ToolError, hookimpl, tool


@tool
async def echo(value: str) -> str:
    """Give back."""
    return value


@tool
async def fail(value: str) -> str:
    """Fail."""
    raise ToolError("it went wrong")


@tool
async def login(name: str, password: Annotated[str, Secret]) -> str:
    """Take a secret."""
    return f"hello {name}"


@tool
async def outer(context: RunContext, value: str) -> JSON:
    """Call another tool."""
    return (await context.call("echo", {"value": value})).unwrap()


class Tools:
    """A plugin with tools."""

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """The tools."""
        return [echo, fail, login, outer]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where calls are recorded; there is no such file yet."""
    return tmp_path / "audit.sqlite3"


@pytest.fixture
def recorded(path: Path) -> Callable[..., AbstractAsyncContextManager[Host]]:
    """Gives hosts, each with settings of its own, to enter with `async with`."""

    @asynccontextmanager
    async def standing(**settings: Any) -> AsyncIterator[Host]:
        async with Host(discover=False) as host:
            await host.load(pegboard_audit, name="audit", settings={"path": str(path), **settings})
            await host.load(Tools(), name="tools")
            yield host

    return standing
