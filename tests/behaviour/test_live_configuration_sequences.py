"""What holds after any number of syncs is what holds on a host that starts with the last one."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import Config, Host, PluginConfig
from pegboard.testing import Site, site_at
from pegboard_attached import OVER_STDIO
from pegboard_deferred import install
from pegboard_live import called, host_of, shown

TABLES: dict[str, list[dict[str, Any]]] = {
    "limits": [
        {"rules": [{"calls": 2, "per": ["board", "tool"]}]},
        {"rules": [{"calls": 1}]},
        {"rules": [{"calls": 0}]},
    ],
    "repeats": [{}, {"after": 3}, {"after": -1}],
    "outputs": [{}],
}
SERVERS = st.fixed_dictionaries(
    {}, optional={"time": st.just(PluginConfig({"target": OVER_STDIO}))}
)


@st.composite
def configs(draw: st.DrawFn) -> Config:
    """A configuration of built-in plugins and of a server, which may be required or kept out."""
    tables = {
        name: PluginConfig(draw(st.sampled_from(each)))
        for name, each in TABLES.items()
        if draw(st.booleans())
    }
    servers = draw(SERVERS)
    there = [*tables, *servers]
    kept = draw(st.sampled_from(["block", "only", ""]))
    names = draw(st.lists(st.sampled_from(["limits", "repeats", "time"]), unique=True))
    out = names if kept == "block" else [n for n in there if n not in names] if kept else []
    required = [each for each in there if each not in out and draw(st.booleans())]
    kept_out = {} if not kept else {kept: names}
    return Config(plugins=tables, mcp=servers, required=required, **kept_out)


@settings(max_examples=60, deadline=None)
@given(st.lists(configs(), min_size=2, max_size=5))
async def test_what_holds_after_any_syncs_holds_on_a_host_that_starts_with_the_last_of_them(
    said: list[Config],
) -> None:
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(host_of(said[0]))
        for each in said[1:]:
            await host.sync(each)
        if any(info.error and "upgrade" in info.error for info in host.plugins.values()):
            return  # what could not follow goes on with what it has
        other = await stack.enter_async_context(host_of(said[-1]))

        assert shown(host) == shown(other)
        assert await called(host) == await called(other)


LIMITS = PluginConfig({"rules": [{"calls": 1}]})
WITH = Config(plugins={"limits": LIMITS})


@pytest.mark.parametrize(
    "between",
    [
        [Config()],
        [attrs.evolve(WITH, block=["limits"])],
        [attrs.evolve(WITH, only=[])],
        [attrs.evolve(WITH, block=["limits"]), Config(block=["limits"])],
        [Config(only=[]), Config()],
    ],
    ids=["no table", "blocked", "not among those that may be", "blocked, then no table", "both"],
)
@pytest.mark.parametrize("required", [[], ["limits"]])
async def test_a_built_in_plugin_that_a_sync_took_away_comes_back_and_works(
    between: list[Config], required: list[str]
) -> None:
    async with host_of(WITH) as host:
        for each in between:
            await host.sync(each)
        report = await host.sync(attrs.evolve(WITH, required=required))
        board = host.boards["a"]
        ended = [(await board.call("files_read")).is_error for _ in range(2)]

    assert (report.loaded, ended) == (("limits",), [False, True])


async def test_a_built_in_plugin_that_somebody_unloaded_stays_away_until_it_is_said_anew() -> None:
    async with host_of(WITH) as host:
        await host.unload("limits")
        reports = [await host.sync(attrs.evolve(WITH, max_nesting=3)), await host.sync(WITH)]
        stayed = host.plugins["limits"].state
        await host.sync(Config())
        again = await host.sync(WITH)

    assert ([each.loaded for each in reports], stayed) == ([(), ()], "unloaded")
    assert again.loaded == ("limits",)


@pytest.mark.parametrize("settings", [{"rules": [{"calls": 0}]}, {"ruls": []}])
@pytest.mark.parametrize("is_first_good", [True, False])
async def test_nothing_is_said_of_a_built_in_plugin_whose_table_is_gone(
    settings: dict[str, Any], *, is_first_good: bool
) -> None:
    wrong = Config(plugins={"limits": PluginConfig(settings)})
    async with host_of(WITH if is_first_good else wrong) as host, host_of(Config()) as other:
        await host.sync(wrong)
        failed = host.plugins["limits"].error
        await host.sync(Config())

        assert failed
        assert shown(host) == shown(other)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder of distributions."""
    with site_at(tmp_path / "site") as site:
        yield site


async def test_an_installed_plugin_that_was_taken_away_and_one_that_was_unloaded_by_hand(
    site: Site,
) -> None:
    install(site)
    async with Host(Config(only=["greet"])) as host:
        await host.sync(Config(only=[]))
        back = await host.sync(Config(only=["greet"]))
        await host.unload("greet")
        stays = await host.sync(Config(only=["greet"], max_nesting=3))
        await asyncio.sleep(0)

    assert (back.loaded, stays.loaded) == (("greet",), ())
