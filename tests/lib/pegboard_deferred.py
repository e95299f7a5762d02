"""Installed plugins that a catalogue knows, for tests of what is shown without an import."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import attrs
from pegboard import Config, Host
from pegboard.testing import Site

imports: list[object] = []
"""What modules note that are imported."""
variable = ContextVar("variable", default="opener")
GREET = '''
"""Greets."""

from typing import Annotated

from pegboard import Doc, ToolAnnotations, tool


@tool(annotations=ToolAnnotations(read_only=True), tags=["polite"], timeout=5)
async def greet(name: Annotated[str, Doc("Whom.")], times: int = 1) -> list[str]:
    """Greet somebody."""
    return [f"hello {name}"] * times


@tool(concurrency_safe=True, defer_loading=True, title="Bye")
def leave() -> str:
    """Say goodbye."""
    return "bye"
'''


def install(site: Site, name: str = "greet", code: str = GREET, version: str = "1.0") -> None:
    """Put a plugin of one module, of its own name, in the place of what is installed."""
    site.uninstall(name)
    site.install(name, version, entry_points={name: name}, files={f"{name}.py": code})
    settle(site.path)


def settle(folder: Path) -> None:
    """Have everything in a folder look as if it had not been changed for a while."""
    for each in (folder, *folder.rglob("*")):
        status = each.stat()
        os.utime(each, (status.st_atime - 60, status.st_mtime - 60))


@asynccontextmanager
async def hosted(*names: str, **fields: Any) -> AsyncIterator[Host]:
    """A host with some of the installed plugins, of which no code is imported before."""
    for name in names:
        sys.modules.pop(name, None)
    async with Host(Config(only=list(names), **fields)) as host:
        yield host


async def known(*names: str, **fields: Any) -> None:
    """Have the catalogue know plugins as they are now."""
    async with hosted(*names, **fields):
        pass
    for name in names:
        sys.modules.pop(name, None)


@attrs.frozen
class Empty:
    """Settings of a plugin that has none."""
