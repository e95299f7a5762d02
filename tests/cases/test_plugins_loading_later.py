"""The rows "Plugins: loading" on what is lost, not ready, refreshed or secret, by id."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import (
    Code,
    Config,
    Execution,
    Failure,
    Host,
    Outcome,
    PegboardError,
    PluginContext,
    PluginLoadError,
    RunContext,
    Secret,
    Tool,
    hookimpl,
    tool,
)
from pegboard_lives import Database, named, offering, plugin, until

SOON = Config(retry_after=0.01, retry_at_most=0.02)


async def test_p_387_entering_without_a_required_plugin_raises() -> None:
    with pytest.raises(PluginLoadError, match="'permissions' is required"):
        async with Host(Config(required=["permissions"], only=[])):
            pass


async def test_p_387_a_required_plugin_goes_by_force_only_and_no_call_runs_without_it() -> None:
    async with Host(Config(required=["permissions"]), discover=False) as host:
        host.register(named("own"))
        await host.load(offering(), name="permissions")
        board = await host.board("a")
        with pytest.raises(PegboardError, match="force=True"):
            await host.unload("permissions")
        before = await board.call("own")
        await host.unload("permissions", force=True)

        lost = await board.call("own")

        assert before.unwrap() == "own"
        assert isinstance(lost, Failure)
        assert lost.code is Code.POLICY_FAILED
        assert "'permissions'" in lost.message


async def test_p_388_a_plugin_that_is_not_ready_twice_is_loaded_in_the_end() -> None:
    async with Host(SOON, discover=False) as host:
        board = await host.board("a")
        with pytest.raises(PluginLoadError):
            await host.load(Database(2), name="db")
        before = (host.plugins["db"].state, list(board.tools))

        await until(host, "db", "loaded")

        assert before == ("retrying", [])
        assert list(board.tools) == ["query"]


async def test_p_388_entering_the_host_does_not_wait_for_it(tmp_path: Path) -> None:
    from pegboard.testing import site_at

    code = """
from pegboard import NotReady, hookimpl
times = []

@hookimpl
def pegboard_lifespan():
    raise NotReady("no network")
"""
    with site_at(tmp_path / "site") as site:
        site.install("n", entry_points={"net": "net_mod"}, files={"net_mod.py": code})
        async with Host(Config(only=["net"])) as host:
            info = host.plugins["net"]

    assert (info.state, info.error, info.distribution) == ("retrying", "not ready: no network", "n")


async def test_p_389_a_refresh_swaps_the_tools_in_one_step_and_leases_hold() -> None:
    gate, started = asyncio.Event(), asyncio.Event()

    @tool
    async def old() -> str:
        """Wait."""
        started.set()
        await gate.wait()
        return "old"

    class Changing:
        tools: list[Tool] = [old]  # noqa: RUF012 - one instance

        @hookimpl
        def pegboard_tools(self, plugin: PluginContext) -> list[Tool]:
            self.context = plugin
            return self.tools

    changing = Changing()
    async with Host(discover=False) as host:
        await host.load(changing, name="p")
        board = await host.board("a")
        call = asyncio.create_task(board.call("old"))
        await started.wait()
        changing.tools = [named("new"), named("newer")]
        await changing.context.refresh()
        unloading = asyncio.create_task(host.unload("p"))
        await asyncio.sleep(0.02)
        is_held = not unloading.done()
        gate.set()

        assert ((await call).unwrap(), is_held) == ("old", True)
        assert (await unloading).drained == 1


async def test_p_390_one_object_on_two_boards_goes_from_one_only() -> None:
    shared = offering("shared")
    async with Host(discover=False) as host:
        boards = [await host.board("a"), await host.board("b")]
        infos = [await each.load(shared) for each in boards]
        before = [(await each.call("shared")).unwrap() for each in boards]
        await host.unload(infos[0].name)

        assert [each.name for each in infos] == ["Plugin@a", "Plugin@b"]
        assert before == ["shared"] * 2
        assert [list(each.tools) for each in boards] == [[], ["shared"]]
        assert (await boards[1].call("shared")).unwrap() == "shared"


TEXT = "canary-5c1d"


@attrs.frozen
class Keyed:
    """Settings with a secret."""

    key: Secret


async def test_p_391_an_unset_variable_is_named_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text('[plugins.web]\n\nkey = { env = "KEY" }\n')
    async with Host(file, discover=False) as host:
        with pytest.raises(PluginLoadError, match=r"'KEY', which isn't set") as caught:
            await host.load(plugin(pegboard_settings=lambda self: Keyed), name="web")

    assert f"{file}:3: " in str(caught.value)


async def test_p_391_the_text_of_a_secret_shows_nowhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("KEY", TEXT)
    audit: list[Any] = []

    @tool
    def fail(context: RunContext) -> None:
        """Fail."""
        print(context.plugin.settings)  # noqa: T201 - the row asks for it
        raise ValueError(f"{context.plugin.settings!r}")

    def finished(self: object, execution: Execution, outcome: Outcome) -> None:
        audit.append((repr(execution), repr(outcome), json.dumps(execution.arguments)))

    file = tmp_path / "pegboard.toml"
    file.write_text('[plugins.web]\nkey = { env = "KEY" }\n')
    web = plugin(
        pegboard_settings=lambda self: Keyed,
        pegboard_tools=lambda self: [fail],
        pegboard_call_finished=finished,
    )
    async with Host(file, discover=False) as host:
        await host.load(web, name="web")
        board = await host.board("a")
        outcome = await board.call("fail")
        shown = [repr(outcome), repr(audit), repr(host.config), repr(host.plugins)]

    assert outcome.is_error
    assert "Secret('…')" in capsys.readouterr().out
    assert TEXT not in "".join(shown) + caplog.text
