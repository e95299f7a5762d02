"""An adapter makes plugins of what distributions offer to another host."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import Config, Host, PluginConfig
from pegboard.testing import Site, site_at
from pegboard_adapted import (
    ADAPTER,
    ENTRY_POINTS,
    FOREIGN,
    NOTHING,
    adapted,
    edit_adapter,
    imported,
    install_adapter,
    install_foreign,
)
from pegboard_cases import says
from pegboard_deferred import imports
from pegboard_locked import accept_installed
from pegboard_watched import install_editable

NATIVE = "from pegboard import tool\n@tool\ndef own() -> str:\n    return 'own'\n"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with the adapter and two distributions of the other host, `one` and `two`."""
    with site_at(tmp_path / "site") as site:
        install_adapter(site)
        install_foreign(site, "one")
        install_foreign(site, "two")
        imports.clear()
        yield site


async def said(host: Host, tool: str) -> object:
    """What a tool gives."""
    return (await (await host.board("a")).call(tool)).unwrap()


async def test_each_is_a_plugin_of_the_distribution_that_offers_it(site: Site) -> None:
    async with adapted("one", "two") as host:
        one, two = host.plugins["one"], host.plugins["two"]

        assert (one.distribution, one.version, one.location) == ("other-one", "1.0", str(site.path))
        assert (two.distribution, two.tools) == ("other-two", ("two",))
        assert await said(host, "one") == "one 1.0 by 1.0"
        assert host.tools["one"].description == "other one"
        assert host.problems == ()


async def test_without_the_adapter_they_are_nothing_to_pegboard(site: Site) -> None:
    site.uninstall("adapter")
    async with adapted("one", "two") as host:
        assert {"one", "two"}.isdisjoint(host.plugins)


async def test_one_that_is_blocked_is_listed_and_never_imported(site: Site) -> None:
    async with adapted("one", "two", block=["two"]) as host:
        assert host.plugins["two"].state == "blocked"
        assert imported("one", "two") == ["one"]


async def test_settings_prefix_and_renaming_hold_as_for_any_plugin(site: Site) -> None:
    plugins = {
        "one": PluginConfig({"loud": True}, prefix="x_"),
        "two": PluginConfig(rename={"two": "deux"}),
    }
    async with adapted("one", "two", plugins=plugins) as host:
        assert sorted(host.tools) == ["deux", "x_one"]
        assert await said(host, "x_one") == "one 1.0 by 1.0!"


async def test_a_mistake_in_the_settings_of_one_names_it_and_costs_only_it(site: Site) -> None:
    plugins = {"one": PluginConfig({"laud": True})}
    async with adapted("one", "two", plugins=plugins) as host:
        assert "did you mean 'loud'" in (host.plugins["one"].error or "")
        assert list(host.tools) == ["two"]


async def test_unloading_one_leaves_nothing_of_it_and_the_adapter_to_the_others(
    site: Site,
) -> None:
    async with adapted("one", "two") as host:
        first = await host.unload("one")
        left = imported("one", "two", "adapter", "adapter_parts")
        second = await host.unload("two")

        assert (first.leaked, second.leaked) == ((), ())
        assert left == ["two", "adapter", "adapter_parts"]
        assert imported("one", "two", "adapter", "adapter_parts") == []


async def test_reloading_one_runs_its_new_code_and_leaves_the_others_as_they_are(
    site: Site,
) -> None:
    async with adapted("one", "two") as host:
        install_foreign(site, "one", "2.0")
        info = await host.reload("one")

        assert (info.version, info.generation, host.plugins["two"].generation) == ("2.0", 2, 1)
        assert await said(host, "one") == "one 2.0 by 1.0"


async def test_a_broken_upgrade_of_one_leaves_the_old_one_and_the_others(site: Site) -> None:
    async with adapted("one", "two") as host:
        install_foreign(site, "one", "2.0", code=NOTHING + "\ndef give(): pass")
        report = await host.sync()

        assert report.failed == ("one",)
        assert (await said(host, "one"), await said(host, "two")) == (
            "one 1.0 by 1.0",
            "two 1.0 by 1.0",
        )


async def test_a_sync_after_an_upgrade_of_the_adapter_reloads_all_that_it_makes(
    site: Site,
) -> None:
    async with adapted("one", "two") as host:
        nothing = await host.sync()
        install_adapter(site, "2.0")
        report = await host.sync()

        assert (nothing.reloaded, report.reloaded) == ((), ("one", "two"))
        assert await said(host, "one") == "one 1.0 by 2.0"
        assert await said(host, "two") == "two 1.0 by 2.0"
        assert (await host.sync()).reloaded == ()


async def test_a_sync_after_the_adapter_has_gone_unloads_all_that_it_made(site: Site) -> None:
    async with adapted("one", "two") as host:
        site.uninstall("adapter")
        gone = await host.sync()
        install_adapter(site)
        back = await host.sync()

        assert (gone.unloaded, back.loaded) == (("one", "two"), ("one", "two"))
        assert sorted(host.tools) == ["one", "two"]


async def test_a_sync_after_one_was_uninstalled_takes_only_its_tools(site: Site) -> None:
    async with adapted("one", "two") as host:
        site.uninstall("other-one")
        report = await host.sync()

        assert (report.unloaded, list(host.tools)) == (("one",), ["two"])
        assert host.plugins["two"].generation == 1


async def test_an_entry_point_of_our_own_group_wins_over_an_adapted_one(site: Site) -> None:
    site.install("native", entry_points={"one": "native"}, files={"native.py": NATIVE})
    async with adapted("one", prefer=["other-one"]) as host:
        info = host.plugins["one"]
        site.uninstall("native")
        report = await host.sync()

        assert (info.distribution, info.tools) == ("native", ("own",))
        assert info.hidden == ("other-one 1.0 by way of adapter 1.0",)
        assert (report.reloaded, host.plugins["one"].distribution) == (("one",), "other-one")
        assert await said(host, "one") == "one 1.0 by 1.0"


async def test_a_distribution_that_offers_itself_to_both_is_taken_by_our_own_group(
    site: Site,
) -> None:
    install_foreign(site, "one", code=f"{FOREIGN}\n{NATIVE}", extra="[pegboard]\none = one\n")
    async with adapted("one") as host:
        assert host.plugins["one"].tools == ("own",)
        assert not imported("adapter")


async def test_of_two_adapters_of_a_group_the_order_of_the_configuration_decides(
    site: Site,
) -> None:
    entry_points = "[pegboard.adapters]\nother = better:adapt\n"
    site.install("better", entry_points=entry_points, files={"better.py": ADAPTER})
    async with adapted("one") as host:
        usual = host.plugins["one"].hidden
    async with adapted("one", prefer=["better"]) as host:
        preferred = host.plugins["one"].hidden

    assert usual == ("other-one 1.0 by way of better 1.0",)
    assert preferred == ("other-one 1.0 by way of adapter 1.0",)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import nowhere", "can't be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("exit(3)", "can't be imported: SystemExit: 3"),
        ("def adept(entry): pass", "can't be imported: AttributeError: module 'adapter'"),
        ("adapt = None", "can't be called; name a function"),
    ],
)
async def test_a_broken_adapter_costs_what_needs_it_and_is_named_with_both_distributions(
    site: Site, code: str, told: str
) -> None:
    install_adapter(site, code=code)
    site.install("native", entry_points={"mine": "native"}, files={"native.py": NATIVE})
    async with adapted("one", "two", "mine") as host:
        errors = [host.plugins[name].error or "" for name in ("one", "two")]

        assert all(f"its adapter 'adapter:adapt' of adapter 1.0 {told}" in each for each in errors)
        assert host.plugins["one"].distribution == "other-one"
        assert list(host.tools) == ["own"]


@pytest.mark.parametrize("code", ["raise OSError('no disk')  # give", "exit()  # give"])
async def test_one_whose_module_fails_costs_only_itself_and_says_where(
    site: Site, code: str
) -> None:
    install_foreign(site, "one", code=f"\n{code}")
    async with adapted("one", "two") as host:
        error = host.plugins["one"].error or ""

        assert "importing 'one' raised" in error
        assert "one.py:2" in error
        assert (host.plugins["one"].state, list(host.tools)) == ("failed", ["two"])


async def test_an_adapter_that_fails_with_one_costs_only_that_one(site: Site) -> None:
    install_foreign(site, "one", code="def give(): raise ValueError('nothing to give')")
    async with adapted("one", "two") as host:
        assert "nothing to give" in (host.plugins["one"].error or "")
        assert list(host.tools) == ["two"]


async def test_what_an_adapter_has_no_use_for_is_listed_without_tools_and_not_imported(
    site: Site,
) -> None:
    install_foreign(site, "one", code=NOTHING)
    async with adapted("one", "two") as host:
        info = host.plugins["one"]

        assert (info.state, info.tools, info.error) == ("loaded", (), None)
        assert not imported("one")


async def test_what_the_catalogue_knows_is_shown_and_neither_adapter_nor_plugin_is_imported(
    site: Site,
) -> None:
    install_foreign(site, "one", code=NOTHING)
    async with adapted("one", "two"):
        pass
    async with adapted("one", "two") as host:
        states = [host.plugins[name].state for name in ("one", "two")]
        before = imported("one", "two", "adapter")

        assert (states, before, list(host.tools)) == (["deferred", "deferred"], [], ["two"])
        assert await said(host, "two") == "two 1.0 by 1.0"


@pytest.mark.parametrize("change", ["upgraded", "removed", "installed"])
async def test_a_catalogue_from_before_an_adapter_has_changed_is_not_believed(
    site: Site, change: str
) -> None:
    if change == "installed":
        site.uninstall("adapter")
    async with adapted("one", "two"):
        pass
    if change == "removed":
        site.uninstall("adapter")
    else:
        install_adapter(site, "2.0")
    async with adapted("one", "two") as host:
        found = {name: each.state for name, each in host.plugins.items() if name in ("one", "two")}

    assert found == ({} if change == "removed" else {"one": "loaded", "two": "loaded"})


async def test_a_plugin_that_is_quarantined_is_imported_by_no_adapter(
    site: Site, tmp_path: Path
) -> None:
    lock = tmp_path / "pegboard.lock"
    await accept_installed(lock, only=["one", "two"])
    install_foreign(site, "one", "2.0")
    async with adapted("one", "two", lock=lock) as host:
        states = {name: host.plugins[name].state for name in ("one", "two")}

        assert states == {"one": "quarantined", "two": "loaded"}
        assert not imported("one")


async def test_with_a_lock_file_the_files_of_the_adapter_are_checked_too(
    site: Site, tmp_path: Path
) -> None:
    lock = tmp_path / "pegboard.lock"
    await accept_installed(lock, only=["one", "two"])
    (site.path / "adapter_parts.py").write_text("# somebody else's")
    async with adapted("one", "two", lock=lock) as host:
        assert "adapter_parts.py differs from RECORD" in (host.plugins["one"].error or "")
        assert not imported("adapter", "one")


async def test_names_that_no_plugin_can_have_are_a_problem_of_theirs_alone(site: Site) -> None:
    install_foreign(site, "one", extra="a name! = one\nnot at all = one\n")
    async with adapted("one") as host:
        told = [(each.distribution, each.reason) for each in host.problems]

        assert host.plugins["one"].state == "loaded"
        assert [name for name, _ in told] == ["other_one-1.0.dist-info"] * 2
        assert all(says(reason, "group 'other'", "no name that a plugin can") for _, reason in told)


async def test_our_own_groups_can_have_no_adapter(site: Site) -> None:
    entry_points = "[pegboard.adapters]\npegboard = adapter:adapt\nother = adapter:adapt\n"
    site.uninstall("adapter")
    site.install("adapter", entry_points=entry_points, files={"adapter.py": ADAPTER})
    async with adapted("one") as host:
        assert [each.reason for each in host.problems] == ["group 'pegboard' needs no adapter"]


async def test_an_adapted_plugin_is_loaded_by_its_name_and_on_one_board(site: Site) -> None:
    async with Host(Config(), discover=False) as host:
        board = await host.board("a")
        info = await board.load("one")

        assert (info.name, info.distribution) == ("one@a", "other-one")
        assert (list(board.tools), list(host.tools)) == (["one"], [])


async def test_a_sync_after_an_edit_of_an_editable_adapter_reloads_all_that_it_makes(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    monkeypatch.syspath_prepend(edit_adapter(project, "1.0"))
    site.uninstall("adapter")
    install_editable(site, project, "adapter", entry_points=ENTRY_POINTS)
    async with adapted("one", "two") as host:
        before = await said(host, "one")
        edit_adapter(project, "1.1.1")
        report = await host.sync()

        assert (before, report.reloaded) == ("one 1.0 by 1.0", ("one", "two"))
        assert await said(host, "two") == "two 1.0 by 1.1.1"
