"""Built-in plugins are loaded where the configuration has a table for them, like any other."""

from pathlib import Path
from typing import Any

import pytest
from pegboard import Config, Host, PegboardError, PluginConfig, PluginLoadError
from pegboard.testing import Site
from pegboard_policies import plugin, standing

ON = Config(plugins={name: PluginConfig() for name in ("limits", "metrics", "outputs", "repeats")})
STANDING = ("deadline", "max_running")


async def states(config: Config | None = None) -> dict[str, str]:
    """The states of all plugins on a host that looks for none."""
    async with Host(config, discover=False) as host:
        return {name: each.state for name, each in host.plugins.items()}


async def test_every_built_in_plugin_is_listed_and_those_without_a_table_are_off() -> None:
    found = await states()

    assert found == {
        "deadline": "loaded",
        "limits": "unloaded",
        "max_running": "loaded",
        "metrics": "unloaded",
        "outputs": "unloaded",
        "repeats": "unloaded",
    }


async def test_one_with_a_table_is_loaded_where_nothing_is_looked_for() -> None:
    found = await states(ON)

    assert (found["outputs"], found["repeats"]) == ("loaded", "loaded")


async def test_it_comes_with_pegboard() -> None:
    async with Host(ON, discover=False) as host:
        info = host.plugins["outputs"]

    assert (info.distribution, info.generation, info.hidden) == ("pegboard", 1, ())


@pytest.mark.parametrize("kept_out", [{"block": ["repeats"]}, {"only": ["files"]}], ids=str)
async def test_one_that_is_kept_out_stays_out_whatever_its_table_says(kept_out: Any) -> None:
    found = await states(Config(plugins={"repeats": PluginConfig()}, **kept_out))

    assert found["repeats"] == "blocked"


async def test_one_with_wrong_settings_is_listed_as_failed_with_the_mistake() -> None:
    config = Config(plugins={"repeats": PluginConfig(settings={"afer": 2})})
    async with Host(config, discover=False) as host:
        info = host.plugins["repeats"]

    assert info.state == "failed"
    assert "afer" in str(info.error)


@pytest.mark.parametrize("name", ["limits", "metrics", "outputs", "repeats"])
async def test_it_can_be_unloaded_and_loaded_by_its_name(name: str) -> None:
    async with Host(ON, discover=False) as host:
        report = await host.unload(name)
        unloaded = host.plugins[name]
        loaded = await host.load(name)

    assert (report.errors, report.leaked) == ((), ())
    assert (unloaded.state, unloaded.distribution) == ("unloaded", "pegboard")
    assert (loaded.state, loaded.generation) == ("loaded", 2)


async def test_it_can_be_loaded_for_one_board() -> None:
    async with standing() as (host, board):
        info = await host.load("repeats", board=board, settings={"after": 2})

    assert info.name == "repeats@case"


@pytest.mark.parametrize("name", STANDING)
async def test_one_that_stands_for_the_life_of_the_host_can_t_be_taken_away(name: str) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(PegboardError, match="built in, and goes with the host only"):
            await host.unload(name)
        with pytest.raises(PluginLoadError, match="is built in; load it under another name"):
            await host.load(plugin(before_call=lambda: None), name=name)


@pytest.mark.parametrize("name", ["deadline", "outputs"])
async def test_an_installed_plugin_of_its_name_is_hidden_and_listed_as_a_rival(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Site(tmp_path).install("mine", "1.5", entry_points={name: "mine_plugin"})
    monkeypatch.syspath_prepend(tmp_path)

    async with Host(Config(only=[name])) as host:
        info = host.plugins[name]

    assert (info.distribution, info.hidden) == ("pegboard", ("mine 1.5",))
    assert f"plugin {name!r} of mine 1.5 is hidden by the built-in one" in caplog.text


async def test_a_table_that_only_keeps_out_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    tables = {"limits": PluginConfig()}
    async with Host(Config(only=("files",), plugins=tables), discover=False):
        told = [each.getMessage() for each in caplog.records]
    caplog.clear()
    async with Host(Config(block=("limits",), plugins=tables), discover=False):
        blocked = [each.getMessage() for each in caplog.records]

    assert told == ["the configuration: [plugins.limits] means nothing, since `only` keeps it out"]
    assert blocked == []
