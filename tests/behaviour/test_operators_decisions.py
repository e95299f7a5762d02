"""What operators decide holds against everything that happens beside it, and is told as it is."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import (
    Config,
    ConfigError,
    Failure,
    Host,
    PegboardError,
    PluginLoadError,
    RestrictionError,
    Select,
    UnknownNameError,
    tool,
)
from pegboard.testing import Site, site_at
from pegboard_lives import named, offering

SLOW = '''
import asyncio
from contextlib import asynccontextmanager
from pegboard import hookimpl, tool

@tool
def slow_one() -> str:
    """Answer."""
    return "slow"

@hookimpl
@asynccontextmanager
async def pegboard_lifespan(plugin):
    await asyncio.sleep(0.3)
    yield

@hookimpl
def pegboard_tools():
    return [slow_one]

@hookimpl
def pegboard_call_finished(execution, outcome):
    pass
'''


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Config]:
    """A configuration with a state file, and one installed plugin whose loading takes a while."""
    with site_at(tmp_path / "site") as site:
        _install(site)
        yield Config(state=tmp_path / "run/state.json", only=("slow",))


def _install(site: Site) -> None:
    site.install("slow-one", entry_points={"slow": "slow_mod"}, files={"slow_mod.py": SLOW})


@tool
async def nap() -> str:
    """Sleep."""
    await asyncio.sleep(60)
    return "rested"


async def test_a_block_that_is_asked_for_while_the_plugin_is_loaded_holds(config: Config) -> None:
    async with Host(config) as host:
        await host.unload("slow", block=True)
        loading = asyncio.create_task(host.load("slow"))
        await asyncio.sleep(0.05)
        await host.unload("slow", block=True)
        await loading
        state = host.plugins["slow"].state
    async with Host(config) as again:
        later = again.plugins["slow"].state

    assert (state, later) == ("blocked", "blocked")


async def test_a_sync_beside_the_loading_of_a_blocked_plugin_leaves_it_loaded(
    config: Config,
) -> None:
    async with Host(config) as host:
        await host.unload("slow", block=True)
        loading = asyncio.create_task(host.load("slow"))
        await asyncio.sleep(0.05)
        await host.sync()
        await loading

        assert host.plugins["slow"].state == "loaded"
        assert (await host.sync()).unloaded == ()


async def test_a_block_that_can_not_be_taken_back_keeps_the_plugin_from_loading(
    config: Config,
) -> None:
    assert config.state is not None
    async with Host(config) as host:
        await host.unload("slow", block=True)
        config.state.unlink()
        config.state.mkdir()
        with pytest.raises(PegboardError, match="can't be written"):
            await host.load("slow")

        assert host.plugins["slow"].state == "blocked"


async def test_names_that_are_denied_for_good_can_not_be_reserved_by_a_sync(
    config: Config,
) -> None:
    async with Host(config) as host:
        host.deny("later", keep=True, pending=True)

        with pytest.raises(PegboardError, match="'later'"):
            await host.sync(Config(state=config.state, reserved={"later": "mine"}))


async def test_a_start_with_a_reserved_name_that_is_denied_for_good_names_both(
    config: Config,
) -> None:
    async with Host(config) as host:
        host.deny("later", keep=True, pending=True)

    with pytest.raises(ConfigError, match=r"state\.json: an operator has denied 'later' for good"):
        Host(Config(state=config.state, reserved={"later": "mine"}))


@pytest.mark.parametrize("name", ["night", "day"])
async def test_a_board_that_is_closing_can_be_cancelled_itself_or_with_its_parent(
    name: str,
) -> None:
    async with Host(discover=False) as host:
        host.register(nap)
        board = await host.board("night", parent=await host.board("day"))
        call = asyncio.create_task(board.call("nap"))
        await asyncio.sleep(0.02)
        closing = asyncio.create_task(board.close(grace=30))
        await asyncio.sleep(0.02)

        assert await host.cancel(board=name) == 1
        assert isinstance(await call, Failure)
        await closing


async def test_allowing_takes_a_denial_back_and_says_what_still_hides_the_tool() -> None:
    async with Host(discover=False) as host:
        host.register(named("mail"))
        board = await host.board("day", deny=["mail"])
        host.deny("mail", board="day")

        [remark] = host.allow("mail", board="day")
        still = list(board.tools)
        nothing = host.allow("mail", board="day")

        assert "'mail' stays hidden: denied by 'mail' of board 'day'" in remark
        assert (still, nothing, list(board.tools)) == ([], (), ["mail"])


async def test_allow_deny_allow_ends_allowed() -> None:
    async with Host(discover=False) as host:
        host.register(named("mail"))
        board = await host.board("day", deny=["mail"])

        shown = []
        for change in (host.allow, host.deny, host.allow, host.deny):
            change("mail", board="day")
            shown.append(list(board.tools))

        assert shown == [["mail"], [], ["mail"], []]


async def test_allowing_what_a_board_does_not_hide_is_refused_and_says_who_hides_it() -> None:
    async with Host(Config(deny=("mail",)), discover=False) as host:
        host.register(named("mail"))
        host.register(named("search"))
        await host.board("day")

        with pytest.raises(RestrictionError, match="denied by 'mail' of the configuration"):
            host.allow("mail", board="day")
        with pytest.raises(RestrictionError, match="no operator has denied 'search'"):
            host.allow("search", board="day")


async def test_an_explanation_names_the_grant_that_lifts_a_mask() -> None:
    async with Host(discover=False) as host:
        host.register(named("mail"))
        board = await host.board("day", deny=["mail"])
        host.allow("mai?", board="day")

        said = board.explain("mail")

        assert said.visible
        assert "which a grant for 'mai?' lifts" in str(said)


async def test_a_board_s_own_tool_can_not_be_denied_there_also_if_it_may_come() -> None:
    async with Host(discover=False) as host:
        board = await host.board("day")
        board.register(named("own"))

        for is_pending in (False, True):
            with pytest.raises(RestrictionError, match="belongs to the board itself"):
                host.deny("own", board="day", pending=is_pending)


async def test_denying_by_a_pattern_says_which_tools_stay_visible() -> None:
    async with Host(discover=False) as host:
        host.register(named("one"))
        board = await host.board("day")
        board.register(named("own"))

        [remark] = host.deny("*", board="day")

        assert remark == "'own' stays visible on board 'day': the board itself owns it"
        assert list(board.tools) == ["own"]
        assert host.deny("*") == ()
        assert list(board.tools) == []


async def test_selectors_that_say_nothing_are_refused() -> None:
    async with Host(discover=False) as host:
        host.register(named("one"))
        board = await host.board("a")

        for change in (host.deny, host.allow):
            with pytest.raises(RestrictionError, match="says nothing"):
                change(Select())
            with pytest.raises(RestrictionError):
                change()

        assert list(board.tools) == ["one"]


@pytest.mark.parametrize("select", [Select(plugin="serach"), Select(distribution="serach")])
async def test_a_plugin_or_distribution_that_is_not_there_is_refused(select: Select) -> None:
    async with Host(discover=False) as host:
        await host.load(offering("find"), name="search")

        with pytest.raises(UnknownNameError, match="serach"):
            host.deny(select)
        host.deny(select, pending=True)


async def test_a_plugin_that_fails_to_load_is_not_loaded_and_stays_blocked(
    config: Config, tmp_path: Path
) -> None:
    async with Host(config) as host:
        await host.unload("slow", block=True)
        (tmp_path / "site/slow_mod.py").write_text("raise ValueError\n")
        with pytest.raises(PluginLoadError):
            await host.load("slow")

        assert host.config.block == ("slow",)
