"""What a configuration says of plugins, in a running host."""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pegboard import Config, Host, PluginConfig, SyncReport
from pegboard.testing import Site, site_at
from pegboard_deferred import hosted, install, settle

PREFERRED = "from pegboard import tool\n@tool\ndef which() -> str:\n    return '{}'\n"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder of distributions."""
    with site_at(tmp_path / "site") as site:
        yield site


def rival(site: Site, name: str) -> None:
    """Install a distribution that offers the plugin `which`."""
    files = {f"{name}_which.py": PREFERRED.format(name)}
    site.install(name, entry_points={"which": f"{name}_which"}, files=files)
    settle(site.path)


def told(report: SyncReport) -> SyncReport:
    """What a sync has done, without the keys that differ."""
    return attrs.evolve(report, changes=())


async def test_the_distribution_that_is_preferred_now_takes_over(site: Site) -> None:
    rival(site, "one")
    rival(site, "two")
    async with Host(Config(only=["which"])) as host:
        board = await host.board("a")
        before = (await board.call("which")).unwrap()
        after = Config(only=["which"], prefer=["two"])
        planned = await host.sync(after, dry_run=True)
        kept = host.plugins["which"].distribution
        report = await host.sync(after)

        assert told(planned) == told(report) == SyncReport(reloaded=("which",))
        assert (before, kept, (await board.call("which")).unwrap()) == ("one", "one", "two")
        assert host.plugins["which"].hidden == ("one 1.0",)


@pytest.mark.parametrize("is_eager", [True, False])
async def test_only_a_plugin_that_is_not_imported_yet_follows_that_it_is_wanted_at_once(
    site: Site, *, is_eager: bool
) -> None:
    install(site)
    async with hosted("greet"):
        pass
    options = {"greet": PluginConfig(eager=not is_eager)}
    async with hosted("greet", plugins=options) as host:
        before = host.plugins["greet"]
        report = await host.sync(
            attrs.evolve(host.config, plugins={"greet": PluginConfig(eager=is_eager)})
        )
        after = host.plugins["greet"]

    states = ("deferred", "loaded") if is_eager else ("loaded", "loaded")
    assert (before.state, after.state) == states
    assert told(report) == SyncReport(reloaded=("greet",) if is_eager else ())
    assert [each.is_applied for each in report.changes] == [is_eager]


async def test_what_is_loaded_and_not_accepted_by_the_lock_file_that_is_named_now_is_quarantined(
    site: Site, tmp_path: Path
) -> None:
    install(site)
    async with hosted("greet") as host:
        before = list(host.tools)
        report = await host.sync(attrs.evolve(host.config, lock=tmp_path / "pegboard.lock"))

        assert (before, list(host.tools)) == (["greet", "leave"], [])
        assert (report.failed, host.plugins["greet"].state) == (("greet",), "quarantined")
        assert [each.path for each in report.changes] == ["lock"]


async def test_servers_and_built_in_plugins_that_are_blocked_are_listed_so() -> None:
    tables = {"repeats": PluginConfig()}
    servers = {"time": PluginConfig({"target": "nothing"})}
    after = Config(block=["repeats", "time"], plugins=tables, mcp=servers)
    async with Host(discover=False) as host, Host(after, discover=False) as other:
        await host.sync(after)
        states = [{n: i.state for n, i in each.plugins.items()} for each in (host, other)]
        await host.sync(Config())

        assert states[0] == states[1]
        assert (states[0]["repeats"], states[0]["time"]) == ("blocked", "blocked")
        assert ("time" in host.plugins, host.plugins["repeats"].state) == (False, "unloaded")


async def test_what_operators_have_blocked_is_no_part_of_what_is_configured(
    tmp_path: Path,
) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text('state = "state.json"\n[plugins.repeats]\n')
    async with Host(file, discover=False) as host:
        await host.unload("repeats", block=True)
        file.write_text('state = "state.json"\nmax_nesting = 3\n[plugins.repeats]\n')
        report = await host.sync()
        blocked = host.plugins["repeats"].state
        await host.load("repeats")
        await host.sync()

        assert ([each.path for each in report.changes], blocked) == (["max_nesting"], "blocked")
        assert (host.plugins["repeats"].state, host.config.block) == ("loaded", ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Config(reserved={"greet": "Ours."}), Config()),
        (Config(), Config(plugins={"agreet": PluginConfig(prefix="a_")})),
        (Config(), Config(block=["agreet"])),
    ],
    ids=["reserved", "prefixed", "blocked"],
)
async def test_a_plugin_comes_once_the_configuration_frees_the_name_that_it_lacked(
    site: Site, before: Config, after: Config
) -> None:
    install(site)
    if not before.reserved:
        install(site, name="agreet")
    only = ["agreet", "greet"]
    async with Host(attrs.evolve(before, only=only)) as host:
        states = [host.plugins["greet"].state]
        again = await host.sync()
        report = await host.sync(attrs.evolve(after, only=only))
        states.append(host.plugins["greet"].state)

        assert (states, again) == (["failed", "loaded"], SyncReport())
        assert report.loaded == ("greet",)
        assert "greet" in host.tools
