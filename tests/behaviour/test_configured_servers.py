"""MCP servers of the configuration come, change and go as plugins; here without the package.

What the servers themselves do is tested with the package that attaches them.
"""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Self

import attrs
import pytest
from pegboard import Config, ConfigError, Host, PluginConfig, PluginInfo, Tool, hookimpl
from pegboard_lives import named


@attrs.frozen
class Settings:
    """What a server is told."""

    command: str
    tools: list[str] = attrs.field(factory=lambda: ["now"])


class Attached:
    """A plugin that attaches nothing, and offers what its settings name."""

    def __init__(self, *, eager: bool) -> None:
        self.is_eager = eager

    @classmethod
    def configured(cls, *, eager: bool = False) -> Self:
        """What the host asks for."""
        return cls(eager=eager)

    @hookimpl
    def pegboard_settings(self) -> type:
        """Take a table."""
        return Settings

    @hookimpl
    def pegboard_tools(self, plugin: Any) -> list[Tool]:
        """Offer what the settings name."""
        answer = [plugin.settings.command, self.is_eager]
        return [named(f"{plugin.name}_{each}", answer) for each in plugin.settings.tools]


@pytest.fixture
def attaching(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package in the place of the one that attaches servers."""
    module = ModuleType("pegboard_mcp")
    module.McpServer = Attached  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, "pegboard_mcp", module)
    return


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without that package."""
    monkeypatch.setitem(sys.modules, "pegboard_mcp", None)


def server(command: str = "x", **options: Any) -> PluginConfig:
    """A table of one server."""
    return PluginConfig({"command": command}, **options)


def shown(host: Host) -> dict[str, PluginInfo]:
    """The servers that a host knows."""
    return {n: each for n, each in host.plugins.items() if each.distribution == "pegboard-mcp"}


@pytest.mark.usefixtures("attaching")
async def test_each_server_is_a_plugin_of_its_name() -> None:
    async with Host(Config(mcp={"a": server(), "b": server()}), discover=False) as host:
        states = {name: (each.state, each.tools) for name, each in shown(host).items()}
        board = await host.board("x")
        outcome = await board.call("a_now", {})

    assert states == {"a": ("loaded", ("a_now",)), "b": ("loaded", ("b_now",))}
    assert outcome.unwrap() == ["x", False]


@pytest.mark.usefixtures("lacking")
async def test_without_the_package_the_server_is_failed_and_the_way_out_is_named() -> None:
    async with Host(Config(mcp={"a": server()}), discover=False) as host:
        info = host.plugins["a"]

    assert info.state == "failed"
    assert "[mcp.a]" in str(info.error)
    assert "pip install pegboard-mcp" in str(info.error)


@pytest.mark.usefixtures("attaching")
async def test_wrong_settings_fail_that_server_only() -> None:
    wrong = PluginConfig({"comand": "x"})
    async with Host(Config(mcp={"a": wrong, "b": server()}), discover=False) as host:
        a, b = host.plugins["a"], host.plugins["b"]

    assert (a.state, b.state) == ("failed", "loaded")
    assert "'command'" in str(a.error)


@pytest.mark.usefixtures("attaching")
async def test_an_eager_one_is_told_so() -> None:
    async with Host(Config(mcp={"a": server(eager=True)}), discover=False) as host:
        board = await host.board("x")
        outcome = await board.call("a_now", {})

    assert outcome.unwrap() == ["x", True]


@pytest.mark.usefixtures("attaching")
async def test_where_there_is_a_lock_file_every_server_is_asked_at_once(tmp_path: Any) -> None:
    config = Config(mcp={"a": server()}, lock=tmp_path / "lock", accept=True)
    async with Host(config, discover=False) as host:
        host_report = await host.lock()
        board = await host.board("x")
        outcome = await board.call("a_now", {})

    assert outcome.unwrap() == ["x", True]
    assert [each.plugin for each in host_report.changes] == ["a", "a"]


@pytest.mark.usefixtures("attaching")
async def test_sync_follows_the_configuration() -> None:
    before = Config(mcp={"gone": server(), "changed": server("x"), "same": server()})
    after = Config(mcp={"new": server(), "changed": server("y"), "same": server()})
    async with Host(before, discover=False) as host:
        board = await host.board("x")
        report = await host.sync(after)
        again = await host.sync(after)
        outcome = await board.call("changed_now", {})
        generations = {name: each.generation for name, each in shown(host).items()}

    assert (report.loaded, report.unloaded) == (("new",), ("gone",))
    assert report.reloaded == ("changed",)
    assert outcome.unwrap() == ["y", True]
    assert generations == {"new": 1, "changed": 2, "same": 1}
    assert not any((again.loaded, again.unloaded, again.reloaded, again.failed))


@pytest.mark.usefixtures("attaching")
async def test_a_dry_run_tells_the_same_and_does_nothing() -> None:
    async with Host(Config(mcp={"gone": server()}), discover=False) as host:
        report = await host.sync(Config(mcp={"new": server()}), dry_run=True)
        names = list(shown(host))

    assert (report.loaded, report.unloaded, names) == (("new",), ("gone",), ["gone"])


@pytest.mark.usefixtures("attaching")
async def test_a_blocked_server_is_listed_and_not_loaded_and_comes_with_sync() -> None:
    async with Host(Config(mcp={"a": server()}, block=("a",)), discover=False) as host:
        before = host.plugins["a"].state
        await host.sync(Config(mcp={"a": server()}))
        after = host.plugins["a"].state

    assert (before, after) == ("blocked", "loaded")


@pytest.mark.usefixtures("attaching")
async def test_a_server_that_was_wrong_is_tried_again_once_its_table_has_changed() -> None:
    wrong = Config(mcp={"a": PluginConfig({"comand": "x"})})
    async with Host(wrong, discover=False) as host:
        unchanged = await host.sync(wrong)
        changed = await host.sync(Config(mcp={"a": server()}))
        state = host.plugins["a"].state

    assert (unchanged.loaded, changed.loaded, state) == ((), ("a",), "loaded")


@pytest.mark.usefixtures("attaching")
async def test_reload_and_unload_and_load_by_name() -> None:
    async with Host(Config(mcp={"a": server()}), discover=False) as host:
        reloaded = await host.reload("a")
        report = await host.unload("a")
        loaded = await host.load("a")

    assert (reloaded.generation, report.leaked, loaded.generation) == (2, (), 3)


@pytest.mark.usefixtures("attaching")
async def test_a_required_server_that_fails_stops_the_host() -> None:
    wrong = Config(mcp={"a": PluginConfig({})}, required=("a",))

    with pytest.raises(Exception, match="plugin 'a' is required"):
        async with Host(wrong):
            pass


@pytest.mark.usefixtures("attaching")
@pytest.mark.parametrize("name", ["deadline", "repeats"])
async def test_a_server_can_t_have_the_name_of_a_built_in_plugin(name: str) -> None:
    wrong = Config(mcp={name: server()})

    with pytest.raises(ConfigError, match=f"'{name}' is a built-in plugin"):
        Host(wrong)
    async with Host(discover=False) as host:
        with pytest.raises(ConfigError, match=f"'{name}' is a built-in plugin"):
            await host.sync(wrong)
