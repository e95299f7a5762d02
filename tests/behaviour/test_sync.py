"""Syncing: the environment and the configuration as they are now, in a running host."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pegboard import (
    BoardConfig,
    Config,
    ConfigError,
    Failure,
    Host,
    PluginConfig,
    PluginLoadError,
    RestrictionError,
    SyncReport,
    ToolAnnotations,
    ToolConfig,
    tool,
)
from pegboard_versions import Versions, gauged, started, versions_at, waiting

OTHER = "from pegboard import tool\n@tool\ndef other() -> int:\n    return {}\n"
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
    size = plugin.settings.size
    if size < 0:
        raise ValueError("no such size")
    @tool
    def other() -> int:
        return size
    return [other]
"""


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


def install_other(versions: Versions, version: int, code: str = OTHER) -> None:
    """Put a version of another distribution in the place of one."""
    versions.site.uninstall("other")
    code = code.replace("{}", str(version))
    entry_points = {"other": "other"}
    versions.site.install(
        "other", f"{version}.0", entry_points=entry_points, files={"other.py": code}
    )


BOTH = Config(only=["gauge", "other"])


def but_for_changes(report: SyncReport) -> SyncReport:
    """What a sync has done, without the keys of the configuration that differ."""
    return attrs.evolve(report, changes=())


async def test_a_dry_run_tells_what_would_happen_and_changes_nothing(versions: Versions) -> None:
    versions.install(1)
    async with Host(BOTH) as host:
        install_other(versions, 1)
        versions.install(2)
        told = await host.sync(dry_run=True)
        generations = {name: info.generation for name, info in host.plugins.items()}
        done = await host.sync()

    assert told == done == SyncReport(loaded=("other",), reloaded=("gauge",))
    assert ("other" in generations, generations["gauge"]) == (False, 1)


async def test_one_that_fails_stops_no_other_and_is_tried_again_once_it_has_changed(
    versions: Versions,
) -> None:
    async with Host(BOTH) as host:
        versions.install(1, code="raise OSError('no disk')")
        install_other(versions, 1)
        reports = [await host.sync(), await host.sync()]
        versions.install(2)
        reports.append(await host.sync())

    assert reports[0] == SyncReport(loaded=("other",), failed=("gauge",))
    assert reports[1:] == [SyncReport(), SyncReport(loaded=("gauge",))]


async def test_an_upgrade_that_fails_is_told_once_and_the_old_load_goes_on(
    versions: Versions,
) -> None:
    versions.install(1)
    async with Host(BOTH) as host:
        board = await host.board("a")
        versions.install(2, code="raise OSError('no disk')")
        reports = [await host.sync(), await host.sync()]

        assert reports == [SyncReport(failed=("gauge",)), SyncReport()]
        assert (await board.call("version")).unwrap() == [1, 1, 1]
        assert "no disk" in str(host.plugins["gauge"].error)


async def test_what_the_operator_unloaded_stays_unloaded(versions: Versions) -> None:
    versions.install(1)
    async with Host(BOTH) as host:
        await host.unload("gauge")
        report = await host.sync()

        assert (report, host.plugins["gauge"].state) == (SyncReport(), "unloaded")


async def test_what_is_gone_is_listed_no_more_whatever_its_state_was(versions: Versions) -> None:
    versions.install(1)
    install_other(versions, 1, "raise OSError('no disk')")
    async with Host(Config(only=["gauge", "other"], block=["gauge"])) as host:
        before = {name: host.plugins[name].state for name in ("gauge", "other")}
        versions.site.uninstall("gauge")
        versions.site.uninstall("other")
        await host.sync()

        assert before == {"gauge": "blocked", "other": "failed"}
        assert {"gauge", "other"}.isdisjoint(host.plugins)


NOT_READY = """
import contextlib
from pegboard import NotReady, hookimpl
@hookimpl
@contextlib.contextmanager
def pegboard_lifespan():
    raise NotReady("no server")
    yield
"""


async def test_a_plugin_that_is_not_ready_is_tried_no_more_once_it_is_gone_and_anew_once_changed(
    versions: Versions,
) -> None:
    install_other(versions, 1, NOT_READY)
    async with Host(attrs.evolve(BOTH, retry_after=60.0)) as host:
        before = host.plugins["other"].state
        install_other(versions, 2)
        reports = [await host.sync()]
        install_other(versions, 3, NOT_READY)
        await host.unload("other")
        with contextlib.suppress(PluginLoadError):
            await host.load("other")
        versions.site.uninstall("other")
        reports.append(await host.sync())

        assert (before, "other" in host.plugins) == ("retrying", False)
        assert reports == [SyncReport(loaded=("other",)), SyncReport(unloaded=("other",))]


async def test_a_host_that_does_not_discover_loads_nothing_that_came(versions: Versions) -> None:
    install_other(versions, 1)
    async with Host(discover=False) as host:
        await host.load("other")
        versions.install(1)
        install_other(versions, 2)

        assert await host.sync() == SyncReport(reloaded=("other",))


async def test_a_rival_takes_over_when_the_one_that_hid_it_goes(versions: Versions) -> None:
    install_other(versions, 1)
    files = {"rival.py": OTHER.replace("{}", "9")}
    versions.site.install("xrival", entry_points={"other": "rival"}, files=files)
    async with Host(BOTH) as host:
        board = await host.board("a")
        hidden = host.plugins["other"].hidden
        versions.site.uninstall("other")
        report = await host.sync()

        assert (hidden, report) == (("xrival 1.0",), SyncReport(reloaded=("other",)))
        assert (await board.call("other")).unwrap() == 9
        assert host.plugins["other"].distribution == "xrival"


async def test_plugins_that_the_configuration_keeps_out_or_lets_in_go_and_come(
    versions: Versions,
) -> None:
    versions.install(1)
    install_other(versions, 1)
    async with Host(Config(only=["gauge", "other"], block=["other"])) as host:
        report = await host.sync(Config(only=["other"]))

        assert but_for_changes(report) == SyncReport(loaded=("other",), unloaded=("gauge",))
        assert {n: host.plugins[n].state for n in ("gauge", "other")} == {
            "gauge": "blocked",
            "other": "loaded",
        }


async def test_a_plugin_whose_settings_have_changed_is_reloaded_with_them(
    versions: Versions,
) -> None:
    install_other(versions, 1, SIZED)
    async with Host(BOTH) as host:
        board = await host.board("a")
        config = attrs.evolve(BOTH, plugins={"other": PluginConfig({"size": 3})})
        report = await host.sync(config)
        refused = await host.sync(attrs.evolve(BOTH, plugins={"other": PluginConfig({"size": -1})}))

        assert (but_for_changes(report), but_for_changes(refused)) == (
            SyncReport(reloaded=("other",)),
            SyncReport(failed=("other",)),
        )
        assert (await board.call("other")).unwrap() == 3


async def test_a_built_in_plugin_comes_goes_and_changes_with_its_table() -> None:
    def config(**tables: object) -> Config:
        return Config(plugins={name: PluginConfig({"after": n}) for name, n in tables.items()})

    async with Host(config(), discover=False) as host:
        reports = [await host.sync(config(repeats=each)) for each in (3, 4, 4)]
        reports.append(await host.sync(config()))

    one = ("repeats",)
    done = list(map(but_for_changes, reports))
    assert done == [SyncReport(one), SyncReport((), (), one), SyncReport(), SyncReport((), one)]


@tool
def web_search() -> str:
    """Search."""
    return "found"


async def test_the_masks_of_open_and_of_later_boards_follow_the_configuration() -> None:
    before = Config(boards={"a": BoardConfig(deny=["web_*"]), "b": BoardConfig()})
    after = Config(boards={"a": BoardConfig(), "b": BoardConfig(allow=["files_*"])})
    async with Host(before, discover=False) as host:
        host.register(web_search)
        boards = [await host.board(name) for name in ("a", "b", "c")]
        seen = [list(each.tools) for each in boards]
        revision = boards[2].revision
        report = await host.sync(after)
        seen += [list(each.tools) for each in boards]

        assert but_for_changes(report) == SyncReport(boards=("a", "b"))
        assert seen == [[], ["web_search"], ["web_search"], ["web_search"], [], ["web_search"]]
        assert boards[2].revision == revision


async def test_what_every_board_is_denied_follows_the_configuration() -> None:
    async with Host(Config(deny=["web_*"]), discover=False) as host:
        host.register(web_search)
        board = await host.board("a")
        seen = [list(board.tools)]
        for deny in ([], ["*"]):
            await host.sync(Config(deny=deny))
            seen.append(list(board.tools))

    assert seen == [[], ["web_search"], []]


async def test_what_the_operator_says_of_tools_follows_the_configuration() -> None:
    said = ToolConfig(annotations=ToolAnnotations(read_only=True), description="Look it up.")
    boards = {"*": BoardConfig(deny=["files_*"])}
    async with Host(Config(boards=boards), discover=False) as host:
        registered = host.register(web_search)
        board = await host.board("a")
        before = board.definitions(), board.revision
        await host.sync(Config(boards=boards, tools={"web_*": said}))
        told = board.definitions()[0].description
        moved = board.revision
        later = host.board("b")
        await host.sync(Config(boards=boards))

        assert (told, moved != before[1]) == ("Look it up.", True)
        assert board.definitions() == before[0]
        assert list((await later).tools) == ["web_search"]
        registered.close()
        assert list(board.tools) == []


async def test_a_file_is_read_again_and_a_broken_one_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text("[boards.a]\ndeny = ['web_*']\n")
    async with Host(file, discover=False) as host:
        host.register(web_search)
        board = await host.board("a")
        file.write_text("[boards.a]\ndney = []\n")
        with pytest.raises(ConfigError, match="deny"):
            await host.sync()
        seen = [list(board.tools)]
        file.write_text("[boards.a]\ndeny = []\n")
        await host.sync()
        seen.append(list(board.tools))

    assert seen == [[], ["web_search"]]


async def test_a_configuration_that_can_t_be_applied_changes_nothing() -> None:
    async with Host(discover=False) as host:
        host.register(web_search)
        board = await host.board("a")
        wrong = Config(deny=["web_search"], boards={"a": BoardConfig(allow=[7])})  # type: ignore[list-item]
        with pytest.raises(RestrictionError):
            await host.sync(wrong)

        assert (list(board.tools), host.config) == (["web_search"], Config())


async def test_calls_of_another_plugin_go_on_while_one_is_synced(versions: Versions) -> None:
    versions.install(1)
    install_other(versions, 1)
    async with Host(BOTH) as host:
        board = await host.board("a")
        versions.install(2)
        sync = asyncio.create_task(host.sync())
        values = []
        while not sync.done():
            values.append((await board.call("other")).unwrap())
            await asyncio.sleep(0.005)

        assert (await sync).reloaded == ("gauge",)
        assert set(values) == {1}
        assert host.plugins["other"].generation == 1


async def test_cancelling_who_awaits_a_sync_changes_nothing(versions: Versions) -> None:
    async with gauged(versions) as (host, board, gate):
        running = started(board, "held")
        await gate.begun.wait()
        versions.install(2)
        sync = asyncio.create_task(host.sync())
        waits = await waiting(host, board)
        sync.cancel()
        gate.go.set()

        assert (await running).unwrap() == [1, 1, 1]
        assert (await waits).unwrap() == [2, 2, 2]


async def test_a_sync_in_a_call_of_a_changed_plugin_answers_and_ends_after_it(
    versions: Versions,
) -> None:
    itself = (
        "\n@tool\nasync def renew(context: RunContext) -> list[str]:\n"
        "    return list((await context.deps.sync()).reloaded)\n"
    )
    versions.install(1, more=itself)
    async with Host(BOTH) as host:
        board = await host.board("a", deps=host)
        versions.install(2)
        outcome = await started(board, "renew")
        while host.plugins["gauge"].generation == 1:
            await asyncio.sleep(0.01)

        assert outcome.unwrap() == ["gauge"]
        assert not isinstance(await board.call("version"), Failure)
