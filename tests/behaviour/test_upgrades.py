"""Reloading: what goes together, what is carried over, who waits for it, and what is refused."""

import asyncio
import gc
import importlib
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import (
    Config,
    Host,
    PluginConfig,
    PluginLoadError,
    Tool,
    UnknownNameError,
    hookimpl,
)
from pegboard_cases import named
from pegboard_versions import Gate, Versions, gauged, started, versions_at, waiting


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


class Given:
    """A plugin that is an object."""

    @hookimpl
    def pegboard_tools(self) -> list[Tool]:
        """Give a tool."""
        return [named("given")]


@pytest.mark.parametrize(
    ("name", "words"),
    [("given", "given as an object"), ("deadline", "built in"), ("late", "it is failed")],
)
async def test_what_has_no_code_to_reload_is_refused(name: str, words: str) -> None:
    class Late:
        @hookimpl
        def pegboard_tools(self) -> list[Tool]:
            raise OSError("no tools")

    async with Host(discover=False) as host:
        await host.load(Given(), name="given")
        with pytest.raises(PluginLoadError):
            await host.load(Late(), name="late")
        with pytest.raises(PluginLoadError, match=words):
            await host.reload(name)


async def test_an_unknown_name_is_refused_with_the_near_one() -> None:
    async with Host(discover=False) as host:
        await host.load(Given(), name="given")
        with pytest.raises(UnknownNameError, match="'given'"):
            await host.reload("givn")


async def test_an_uninstalled_plugin_goes_on_and_is_not_reloaded(versions: Versions) -> None:
    async with gauged(versions) as (host, board, _):
        versions.site.uninstall("gauge")
        with pytest.raises(PluginLoadError, match="isn't installed any more"):
            await host.reload("gauge")

        assert (await board.call("version")).unwrap() == [1, 1, 1]


async def test_a_rehearsal_that_fails_parks_no_call(versions: Versions) -> None:
    async with gauged(versions) as (host, board, _):
        versions.install(2, code="raise SystemExit(3)")
        reload = asyncio.create_task(host.reload("gauge"))
        values = []
        while not reload.done():
            values.append((await board.call("version")).unwrap())
            values += [[each.stage] for each in host.running if each.stage == "parked"]
            await asyncio.sleep(0.001)

        with pytest.raises(PluginLoadError, match="SystemExit: 3"):
            await reload
        assert {tuple(each) for each in values} == {(1, 1, 1)}


async def test_what_is_printed_while_a_plugin_is_rehearsed_is_not_shown(
    versions: Versions, capfd: pytest.CaptureFixture[str]
) -> None:
    code = "import os\nprint('hello')\nos.write(1, b'hello')\nraise OSError('told')"
    async with gauged(versions) as (host, _, _):
        versions.install(2, code=code)
        with pytest.raises(PluginLoadError, match="OSError: told"):
            await host.reload("gauge")

    assert capfd.readouterr() == ("", "")


async def test_a_plugin_that_hangs_while_it_is_rehearsed_is_given_up(versions: Versions) -> None:
    async with gauged(versions, load_timeout=1.0) as (host, board, _):
        versions.install(2, code="import time\ntime.sleep(60)")
        with pytest.raises(PluginLoadError, match="longer than load_timeout"):
            await host.reload("gauge")

        assert (await board.call("version")).unwrap() == [1, 1, 1]


TWO = """
from pegboard import tool
from pair.part import V
@tool(name="pair_{name}")
async def give() -> list[int]:
    from pair.part import V as late
    return [V, late]
"""


def install_pair(versions: Versions, version: int) -> None:
    """Put a version of a distribution with two plugins in the place of another."""
    versions.site.uninstall("pair")
    versions.site.install(
        "pair",
        f"{version}.0",
        entry_points={"pair-a": "pair.a", "pair-b": "pair.b"},
        files={
            "pair/__init__.py": "",
            "pair/part.py": f"V = {version}\n",
            "pair/a.py": TWO.format(name="a"),
            "pair/b.py": TWO.format(name="b"),
        },
    )


async def test_the_plugins_of_one_distribution_reload_together_wherever_they_stand(
    versions: Versions,
) -> None:
    install_pair(versions, 1)
    async with Host(Config(only=["pair-a"])) as host:
        board = await host.board("one")
        await host.load("pair-b", board=board)
        install_pair(versions, 2)
        await host.reload("pair-a")
        values = [(await board.call(name)).unwrap() for name in ("pair_a", "pair_b")]

        assert values == [[2, 2], [2, 2]]
        assert [host.plugins[n].version for n in ("pair-a", "pair-b@one")] == ["2.0", "2.0"]
        assert list(host.tools) == ["pair_a"]


async def test_a_plugin_that_its_distribution_offers_no_more_goes_with_the_upgrade(
    versions: Versions,
) -> None:
    install_pair(versions, 1)
    async with Host(Config(only=["pair-a", "pair-b"])) as host:
        versions.site.uninstall("pair")
        files = {
            "pair/__init__.py": "",
            "pair/part.py": "V = 2\n",
            "pair/a.py": TWO.format(name="a"),
        }
        versions.site.install("pair", "2.0", entry_points={"pair-a": "pair.a"}, files=files)
        await host.reload("pair-a")

        assert list(host.tools) == ["pair_a"]
        assert "pair-b" not in host.plugins
        assert "pair.b" not in sys.modules


async def test_two_reloads_at_once_both_end_and_the_newest_code_runs(versions: Versions) -> None:
    async with gauged(versions) as (host, board, _):
        versions.install(2)
        infos = await asyncio.gather(host.reload("gauge"), host.reload("gauge"))

        assert {each.version for each in infos} == {"2.0"}
        assert (await board.call("version")).unwrap() == [2, 2, 2]


async def test_a_reload_and_an_unload_at_once_both_end(versions: Versions) -> None:
    async with gauged(versions) as (host, _, _):
        reload = asyncio.create_task(host.reload("gauge"))
        await asyncio.sleep(0)
        await host.unload("gauge")
        ended = await asyncio.gather(reload, return_exceptions=True)

        assert host.plugins["gauge"].state == "unloaded"
        assert isinstance(ended[0], PluginLoadError)
        assert "gauge" not in sys.modules


async def test_cancelling_who_awaits_a_reload_changes_nothing(versions: Versions) -> None:
    async with gauged(versions) as (host, board, gate):
        running = started(board, "held")
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        waits = await waiting(host, board)
        reload.cancel()
        gate.go.set()

        assert (await waits).unwrap() == [2, 2, 2]
        assert (await running).unwrap() == [1, 1, 1]


async def test_a_plugin_that_reloads_itself_in_a_call_is_exchanged_when_that_has_ended(
    versions: Versions,
) -> None:
    itself = (
        "\n@tool\nasync def renew(context: RunContext) -> list[int]:\n"
        "    info = await context.deps.reload('gauge')\n    return [V, info.generation]\n"
    )
    versions.install(1, more=itself)
    async with Host(Config(only=["gauge"])) as host:
        board = await host.board("case", deps=host)
        versions.install(2)
        outcome = await board.call("renew")
        while host.plugins["gauge"].generation == 1:
            await asyncio.sleep(0.01)

        assert outcome.unwrap() == [1, 1]
        assert (await board.call("version")).unwrap() == [2, 2, 2]


LIVING = """
import contextlib
import attrs
from pegboard import hookimpl, tool
import builtins
LOG = getattr(builtins, "gauge_log", [])
@attrs.frozen
class Settings:
    size: int = 0
@hookimpl
def pegboard_settings():
    return Settings
@hookimpl
@contextlib.asynccontextmanager
async def pegboard_lifespan(plugin):
    LOG.append("{v} in")
    plugin.create_task(__import__("asyncio").sleep(60))
    yield plugin.settings.size
    LOG.append("{v} out")
@hookimpl
def pegboard_tools(plugin):
    @tool
    async def size() -> list[int]:
        return [{v}, plugin.resource]
    return [size]
@hookimpl
@contextlib.contextmanager
def pegboard_board(plugin, board):
    LOG.append("{v} in " + board.name)
    @tool
    async def mine() -> str:
        return "{v} " + board.name
    board.register(mine)
    yield
    LOG.append("{v} out " + board.name)
"""


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What contexts say when they are entered and left."""
    log: list[str] = []
    monkeypatch.setattr("builtins.gauge_log", log, raising=False)
    return log


def install_living(versions: Versions, version: int) -> None:
    """Put a version with contexts in the place of another."""
    versions.install(version, code=LIVING.replace("{v}", str(version)))


async def test_contexts_are_entered_for_the_new_load_and_left_for_the_old_one(
    versions: Versions, log: list[str]
) -> None:
    install_living(versions, 1)
    config = Config(only=["gauge"], plugins={"gauge": PluginConfig({"size": 7})})
    async with Host(config) as host:
        board = await host.board("a")
        install_living(versions, 2)
        await host.reload("gauge")
        values = [(await board.call(name)).unwrap() for name in ("size", "mine")]
        later = await host.board("b")
        values.append((await later.call("mine")).unwrap())

    assert values == [[2, 7], "2 a", "2 b"]
    assert log[:6] == ["1 in", "1 in a", "2 in", "2 in a", "1 out a", "1 out"]
    assert log[6:] == ["2 in b", "2 out a", "2 out b", "2 out"]


async def test_settings_that_the_program_gave_are_given_to_the_new_class(
    versions: Versions, log: list[str]
) -> None:
    install_living(versions, 1)
    async with Host(discover=False) as host:
        settings = importlib.import_module("gauge").Settings(size=9)
        await host.load("gauge", settings=settings)
        install_living(versions, 2)
        await host.reload("gauge")
        board = await host.board("a")

        assert (await board.call("size")).unwrap() == [2, 9]


async def test_a_file_is_reloaded_even_if_its_size_and_second_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "my_tools.py"
    text = "from pegboard import tool\n@tool\nasync def value() -> int:\n    return {}\n"
    file.write_text(text.format(1))
    async with Host(discover=False) as host:
        board = await host.board("a")
        await host.load(file)
        values = [(await board.call("value")).unwrap()]
        for number in (2, 3):
            file.write_text(text.format(number))
            await host.reload("my_tools")
            values.append((await board.call("value")).unwrap())

    assert values == [1, 2, 3]


async def test_modules_that_the_new_version_has_not_are_gone(versions: Versions) -> None:
    async with gauged(versions) as (host, board, _):
        await board.call("version")
        code = "from pegboard import tool\n@tool\ndef version() -> int:\n    return 2\n"
        versions.install(2, code=code)
        await host.reload("gauge")

        assert sorted(name for name in sys.modules if name.startswith("gauge")) == ["gauge"]
        assert (await board.call("version")).unwrap() == 2


async def test_the_old_load_is_not_held_by_the_new_one(versions: Versions) -> None:
    async with gauged(versions) as (host, board, _):
        held = weakref.ref(sys.modules["gauge"].seen)
        await board.call("version")
        versions.install(2)
        await host.reload("gauge")
        await board.call("version")
        gc.collect()

        assert held() is None


async def test_a_host_that_closes_while_a_plugin_is_reloaded_leaves_nothing(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, _, _):
        reload = asyncio.create_task(host.reload("gauge"))
        await asyncio.sleep(0)
        await host.close()
        ended = await asyncio.gather(reload, return_exceptions=True)

    assert isinstance(ended[0], PluginLoadError)
    assert not [name for name in sys.modules if name.startswith("gauge")]


async def test_a_board_may_be_closed_while_a_plugin_on_it_is_reloaded(versions: Versions) -> None:
    versions.install(1)
    gate = Gate()
    async with Host(discover=False) as host:
        board = await host.board("one", deps=gate)
        await board.load("gauge")
        running = started(board, "held")
        await gate.begun.wait()
        reload = asyncio.create_task(host.reload("gauge@one"))
        waits = await waiting(host, board)
        await asyncio.gather(board.close(grace=0.1), reload, return_exceptions=True)

        assert (await running).is_error
        assert (await waits).is_error
        assert "gauge@one" not in host.plugins
        assert "gauge" not in sys.modules


async def test_a_module_that_was_given_is_imported_anew(versions: Versions) -> None:
    versions.install(1)
    async with Host(discover=False) as host:
        await host.load(importlib.import_module("gauge"))
        board = await host.board("one")
        versions.install(2)
        await host.reload("gauge")

        assert (await board.call("version")).unwrap() == [2, 2, 2]


async def test_a_body_that_outlives_its_time_to_stop_does_not_keep_the_new_code_away(
    versions: Versions,
) -> None:
    stubborn = (
        "\n@tool\nasync def stubborn(context: RunContext) -> int:\n"
        "    context.deps.begun.set()\n    while not context.deps.go.is_set():\n"
        "        try:\n            await context.deps.go.wait()\n"
        "        except asyncio.CancelledError:\n            pass\n    return V\n"
    )
    async with gauged(versions, stop_grace=0.1) as (host, board, gate):
        versions.install(2, more=stubborn)
        await host.reload("gauge")
        running = started(board, "stubborn")
        await gate.begun.wait()
        versions.install(3)
        info = await host.reload("gauge", grace=0.1)
        outcome = await running
        values = (await board.call("version")).unwrap()
        gate.go.set()

    assert (info.version, values) == ("3.0", [3, 3, 3])
    assert outcome.details == {"still_running": True}
