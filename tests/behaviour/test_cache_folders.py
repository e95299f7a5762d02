"""A plugin's own folder for what can be made anew."""

from pathlib import Path

import pytest
from pegboard import Host, PluginContext
from pegboard_lives import named, plugin


async def context_of(name: str) -> PluginContext:
    """What a plugin of this name is given."""
    given: list[PluginContext] = []
    asked = plugin(pegboard_tools=lambda self, plugin: given.append(plugin) or [named("a")])
    async with Host(discover=False) as host:
        await host.load(asked, name=name)
    return given[0]


async def test_it_lies_in_the_users_cache_folder_and_bears_the_plugins_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", str(tmp_path / "c"))

    folder = (await context_of("mine")).cache_folder

    assert folder == tmp_path / "c" / "plugins" / "mine"
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o077 == 0


async def test_where_caching_is_off_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEGBOARD_CACHE", "")

    assert (await context_of("mine")).cache_folder is None


async def test_where_it_can_t_be_made_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PEGBOARD_CACHE", str(tmp_path / "file"))

    assert (await context_of("mine")).cache_folder is None
