"""Small llm plugins, installed as pip would, and hosts with them."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Config, Host, PluginConfig
from pegboard.testing import Site, site_at

Hosted = Callable[..., AbstractAsyncContextManager[Host]]


@attrs.frozen(eq=False)
class Plugins:
    """The llm plugins of one test.

    Attributes:
        site: where they are installed.
        names: their names.
    """

    site: Site
    names: list[str] = attrs.field(factory=list)

    def install(self, code: str, name: str = "mine", *, entry: str = "", **files: str) -> None:
        """Install an llm plugin of one module, in the place of one of its name.

        Args:
            code: the module's code; `llm` and `register_tools` stand for the usual lines.
            name: its name and its module's.
            entry: what the entry point refers to, where it isn't the module.
            files: further modules.
        """
        self.site.uninstall(f"llm-{name}")
        modules = {f"{module}.py": text for module, text in {name: code, **files}.items()}
        entry_points = f"[llm]\n{name} = {entry or name}\n"
        self.site.install(f"llm-{name}", entry_points=entry_points, files=modules)
        self.names.append(name)

    @asynccontextmanager
    async def hosted(self, *, stop_grace: float = 5, **settings: Any) -> AsyncIterator[Host]:
        """A host with these plugins and no others, and the settings of some."""
        for name in self.names:
            sys.modules.pop(name, None)
        plugins = {name: PluginConfig(table) for name, table in settings.items()}
        config = Config(only=self.names, plugins=plugins, stop_grace=stop_grace)
        async with Host(config) as host:
            yield host


@pytest.fixture
def plugins(tmp_path: Path) -> Iterator[Plugins]:
    """A place for the llm plugins of a test."""
    with site_at(tmp_path / "site") as site:
        yield Plugins(site)
