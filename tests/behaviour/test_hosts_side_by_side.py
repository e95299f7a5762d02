"""Hosts in one process share the modules of plugins, since Python has one of each, and no more."""

import gc
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pegboard import Config, Host, PluginConfig, PluginLoadError, SyncReport
from pegboard_versions import Gate, Versions, started, versions_at

EAGER = PluginConfig(eager=True)
GAUGE = Config(only=["gauge"], plugins={"gauge": EAGER})
BOTH = Config(only=["gauge", "reader"], plugins={"gauge": EAGER, "reader": EAGER})
MODULES = ["gauge", "gauge.late", "gauge.part"]


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution, the first of which is installed."""
    with versions_at(tmp_path) as versions:
        versions.install(1)
        yield versions


def imported() -> list[str]:
    """The names of the plugin's modules that are imported."""
    return sorted(name for name in sys.modules if name.partition(".")[0] == "gauge")


@pytest.mark.usefixtures("versions")
async def test_modules_stay_until_the_last_host_that_has_loaded_them_unloads() -> None:
    async with Host(GAUGE) as one, Host(GAUGE) as other:
        board = await other.board("b")
        await board.call("version")
        before = sys.modules["gauge"]
        report = await one.unload("gauge")

        assert (report.leaked, report.errors) == ((), ())
        assert (imported(), sys.modules["gauge"]) == (MODULES, before)
        assert (await board.call("version")).unwrap() == [1, 1, 1]
        assert (await other.unload("gauge")).leaked == ()
        assert imported() == []


async def test_what_the_other_host_runs_may_still_be_imported_and_found_by_name(
    versions: Versions,
) -> None:
    versions.install(1, more="\nclass Reading: ...\n")
    async with Host(GAUGE) as one, Host(GAUGE) as other:
        gate = Gate()
        board = await other.board("b", deps=gate)
        running = started(board, "held")
        await gate.begun.wait()
        reading = sys.modules["gauge"].Reading
        await one.unload("gauge")
        versions.install(2)
        gate.go.set()

        assert (await running).unwrap() == [1, 1, 1]
        assert sys.modules[reading.__module__].Reading is reading


async def test_an_upgrade_is_refused_while_another_host_runs_what_was_there(
    versions: Versions,
) -> None:
    async with Host(GAUGE) as one, Host(GAUGE) as other:
        boards = [await each.board("b") for each in (one, other)]
        versions.install(2)
        with pytest.raises(PluginLoadError, match=r"in another host .*unload it there first"):
            await one.reload("gauge")
        values = [(await each.call("version")).unwrap() for each in boards]

        assert values == [[1, 1, 1], [1, 1, 1]]
        assert [each.plugins["gauge"].version for each in (one, other)] == ["1.0", "1.0"]


async def test_once_it_is_unloaded_there_it_is_upgraded_here_and_loaded_there_anew(
    versions: Versions,
) -> None:
    async with Host(GAUGE) as one, Host(GAUGE) as other:
        versions.install(2)
        reports = [await one.sync()]
        await other.unload("gauge")
        with pytest.raises(PluginLoadError, match=r"'gauge' \(gauge 1.0\) is loaded in another"):
            await other.load("gauge")
        await one.reload("gauge")
        infos = [one.plugins["gauge"], await other.load("gauge")]
        values = [(await (await each.board("b")).call("version")).unwrap() for each in (one, other)]

        assert reports == [SyncReport(failed=("gauge",))]
        assert [each.version for each in infos] == ["2.0", "2.0"]
        assert values == [[2, 2, 2], [2, 2, 2]]


SIZED = """
import attrs
from pegboard import hookimpl, tool
@attrs.frozen
class Settings:
    size: int = 0
@hookimpl
def pegboard_settings():
    return Settings
@hookimpl
def pegboard_tools(plugin):
    @tool
    async def size() -> int:
        return plugin.settings.size
    return [size]
"""


async def test_other_settings_are_taken_over_while_another_host_runs_the_same_code(
    versions: Versions,
) -> None:
    versions.install(1, code=SIZED)
    async with Host(GAUGE) as one, Host(GAUGE) as other:
        boards = [await each.board("b") for each in (one, other)]
        before = sys.modules["gauge"]
        sized = attrs.evolve(GAUGE, plugins={"gauge": PluginConfig({"size": 3}, eager=True)})
        report = await one.sync(sized)

        assert attrs.evolve(report, changes=()) == SyncReport(reloaded=("gauge",))
        assert [(await each.call("size")).unwrap() for each in boards] == [3, 0]
        assert sys.modules["gauge"] is before


async def test_what_is_loaded_a_second_time_is_never_said_to_be_what_was_installed_since(
    versions: Versions,
) -> None:
    async with Host(GAUGE) as host:
        board = await host.board("one")
        versions.install(2)
        with pytest.raises(PluginLoadError, match=r"\(gauge 1.0\) is loaded.*reload it first"):
            await board.load("gauge")
        await host.reload("gauge")
        info = await board.load("gauge")

        assert (info.version, (await board.call("version")).unwrap()) == ("2.0", [2, 2, 2])


async def test_a_host_that_was_dropped_and_never_closed_keeps_no_other_from_new_code(
    versions: Versions,
) -> None:
    dropped = Host(GAUGE)
    await dropped.open()
    versions.install(2)
    del dropped
    gc.collect()
    async with Host(GAUGE) as host:
        board = await host.board("b")

        assert host.plugins["gauge"].version == "2.0"
        assert (await board.call("version")).unwrap() == [2, 2, 2]
    assert imported() == []


async def test_modules_that_a_plugin_of_another_host_imports_stay(versions: Versions) -> None:
    code = "import gauge.part\nfrom pegboard import tool\n@tool\ndef read() -> int:\n    return "
    files = {"reader.py": code + "gauge.part.V\n"}
    versions.site.install("reader", entry_points={"reader": "reader"}, files=files)
    async with (
        Host(GAUGE) as one,
        Host(Config(only=["reader"], plugins={"reader": EAGER})) as other,
    ):
        board = await other.board("b")
        await one.unload("gauge")

        assert "gauge.part" in sys.modules
        assert (await board.call("read")).unwrap() == 1


async def test_one_file_is_loaded_by_two_hosts_and_on_two_boards(tmp_path: Path) -> None:
    file = tmp_path / "weather_tools.py"
    text = "from pegboard import tool\n@tool\nasync def now() -> int:\n    return {}\n"
    file.write_text(text.format(1))
    async with Host(discover=False) as one, Host(discover=False) as other:
        boards = [await one.board("a"), await one.board("b"), await other.board("c")]
        for each in boards:
            await each.load(file)
        await one.unload("weather_tools@a")
        values = [(await each.call("now")).unwrap() for each in boards[1:]]
        await other.unload("weather_tools@c")
        file.write_text(text.format(22))
        await one.reload("weather_tools@b")
        values.append((await boards[1].call("now")).unwrap())

    assert values == [1, 1, 22]
    assert "weather_tools" not in sys.modules


async def test_a_module_that_others_import_is_not_said_to_be_new_once_it_has_changed(
    versions: Versions,
) -> None:
    code = "from gauge.part import V\nimport gauge.part\nfrom pegboard import tool\n"
    files = {"reader.py": code + "@tool\ndef read() -> int:\n    return gauge.part.V\n"}
    versions.site.install("reader", entry_points={"reader": "reader"}, files=files)
    async with Host(BOTH) as host:
        await host.unload("gauge")
        versions.install(2)
        with pytest.raises(PluginLoadError, match=r"others import .*'gauge' \(gauge 1.0\)"):
            await host.load("gauge")
        await host.unload("reader")
        info = await host.load("gauge")

        assert (info.version, sys.modules["gauge.part"].V) == ("2.0", 2)


async def test_a_module_of_the_plugin_s_name_that_came_from_elsewhere_is_not_taken_for_it(
    versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = versions.site.path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "gauge.py").write_text("V = 'another'\n")
    monkeypatch.syspath_prepend(elsewhere)
    importlib.import_module("gauge")
    async with Host(GAUGE) as host:
        error = str(host.plugins["gauge"].error)

    assert f"comes from {elsewhere / 'gauge.py'}, which is not of gauge" in error
    assert sys.modules.pop("gauge").V == "another"


async def test_modules_of_others_stay_where_they_are_when_a_plugin_of_their_name_fails(
    tmp_path: Path,
) -> None:
    file = tmp_path / "json.py"
    file.write_text("")
    before = {name: each for name, each in sys.modules.items() if name.startswith("json")}
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="'json' is imported already; rename the file"):
            await host.load(file)

    assert before == {name: each for name, each in sys.modules.items() if name.startswith("json")}
    assert "json.decoder" in before
