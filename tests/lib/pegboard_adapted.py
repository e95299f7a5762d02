"""Plugins of another host, and the adapter that makes pegboard plugins of them, as installed."""

import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pegboard import Config, Host
from pegboard.testing import Site

ADAPTER = '''
from pegboard_deferred import imports

imports.append("adapter")

from adapter_parts import Adapted


def adapt(entry):
    """A plugin of what the entry's module gives."""
    if not entry.mentions("give"):
        return None
    return Adapted(entry.load().give(), entry)
'''
PARTS = '''
import attrs
from pegboard import hookimpl, tool

VERSION = "{version}"


@attrs.frozen
class Settings:
    """How loud it is."""

    loud: bool = False


class Adapted:
    """What foreign functions are to pegboard."""

    def __init__(self, functions, entry):
        self.functions, self.entry = functions, entry

    @hookimpl
    def pegboard_settings(self):
        return Settings

    @hookimpl
    def pegboard_tools(self, plugin):
        end = "!" if plugin.settings.loud else ""
        return [self.tool(each, end) for each in self.functions]

    def tool(self, function, end):
        @tool(name=function.__name__, description=f"{{self.entry.group}} {{self.entry.name}}")
        def run() -> str:
            return f"{{function()}} by {{VERSION}}{{end}}"

        return run
'''
FOREIGN = """
from pegboard_deferred import imports

imports.append("{name}")


def {name}():
    return "{name} {version}"


def give():
    return [{name}]
"""
ENTRY_POINTS = "[pegboard.adapters]\nother = adapter:adapt\n"
NOTHING = "raise OSError('a large framework')"


def edit_adapter(project: Path, version: str) -> Path:
    """Write the adapter into a project, in the place of what is there; gives its `src`."""
    source = project / "src"
    source.mkdir(parents=True, exist_ok=True)
    (source / "adapter.py").write_text(ADAPTER)
    (source / "adapter_parts.py").write_text(PARTS.format(version=version))
    return source


def install_adapter(site: Site, version: str = "1.0", code: str = ADAPTER) -> None:
    """Put a version of the adapter in the place of another."""
    site.uninstall("adapter")
    parts = PARTS.format(version=version)
    files = {"adapter.py": code, "adapter_parts.py": parts}
    site.install("adapter", version, entry_points=ENTRY_POINTS, files=files)
    _age(site.path)


def install_foreign(
    site: Site, name: str, version: str = "1.0", *, code: str = FOREIGN, extra: str = ""
) -> None:
    """Put a version of the distribution `other-NAME` in the place of another."""
    site.uninstall(f"other-{name}")
    files = {f"{name}.py": code.format(name=name, version=version)}
    entry_points = f"[other]\n{name} = {name}\n{extra}"
    site.install(f"other-{name}", version, entry_points=entry_points, files=files)
    _age(site.path)


def _age(folder: Path) -> None:
    """Have what was just written look as if that had been a minute ago, and touch nothing else."""
    now = time.time()
    for each in (folder, *folder.rglob("*")):
        written = each.stat().st_mtime
        if written > now - 30:
            os.utime(each, (written - 60, written - 60))


def forget(*names: str) -> None:
    """Have nothing of the plugins and of the adapter imported."""
    for name in ("adapter", "adapter_parts", *names):
        sys.modules.pop(name, None)


@asynccontextmanager
async def adapted(*names: str, **fields: Any) -> AsyncIterator[Host]:
    """A host with some of the installed plugins, of which no code is imported before."""
    forget(*names)
    async with Host(Config(only=list(names), **fields)) as host:
        yield host


def imported(*names: str) -> list[str]:
    """Which of these modules are imported."""
    return [name for name in names if name in sys.modules]
