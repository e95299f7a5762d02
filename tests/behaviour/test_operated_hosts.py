"""What an operator changes on a host that runs: denied, allowed, cancelled, blocked; and kept."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import (
    Code,
    Config,
    ConfigError,
    Failure,
    Host,
    PegboardError,
    PluginLoadError,
    RestrictionError,
    Select,
    UnknownNameError,
    WrongArgumentError,
    tool,
)
from pegboard.testing import Site, site_at
from pegboard_lives import named

TOOL = '''
from pegboard import tool

@tool
def greet(name: str) -> str:
    """Greet."""
    return "hej " + name
'''


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Config]:
    """A configuration with a state file, and one installed plugin, `greet`."""
    with site_at(tmp_path / "site") as site:
        _install(site)
        yield Config(state=tmp_path / "run/state.json")


def _install(site: Site) -> None:
    site.install("greeter", entry_points={"greet": "greeter_mod"}, files={"greeter_mod.py": TOOL})


@tool
async def nap() -> str:
    """Sleep."""
    await asyncio.sleep(60)
    return "rested"


def code_of(outcome: object) -> Code:
    """How a call failed."""
    assert isinstance(outcome, Failure)
    return outcome.code


async def test_a_denied_tool_is_gone_on_every_board_until_it_is_allowed() -> None:
    async with Host(discover=False) as host:
        host.register(named("shared"))
        boards = [await host.board(name) for name in ("a", "b")]
        boards[1].register(named("own"))

        host.deny("shared", "ow*")
        hidden = [dict(board.tools) for board in boards]
        host.allow("shared", "ow*")

        assert hidden == [{}, {}]
        assert [list(board.tools) for board in boards] == [["shared"], ["shared", "own"]]


async def test_a_tool_that_is_denied_on_one_board_stays_on_the_others() -> None:
    async with Host(discover=False) as host:
        host.register(named("shared"))
        one, other = [await host.board(name) for name in ("a", "b")]

        host.deny("shared", board="a")
        during = (list(one.tools), list(other.tools))
        host.allow("shared", board=one)

        assert during == ([], ["shared"])
        assert list(one.tools) == ["shared"]


async def test_denying_twice_is_taken_back_by_allowing_once() -> None:
    async with Host(discover=False) as host:
        host.register(named("shared"))
        board = await host.board("a")

        for _ in range(2):
            host.deny("shared")
        host.allow("shared")

        assert list(board.tools) == ["shared"]


async def test_allowing_on_a_board_lifts_the_board_s_own_mask_until_it_is_denied() -> None:
    async with Host(discover=False) as host:
        host.register(named("shared"))
        board = await host.board("a", deny=["shared"])

        host.allow("shared", board="a")
        allowed = list(board.tools)
        host.deny("shared", board="a")

        assert (allowed, list(board.tools)) == (["shared"], [])


async def test_a_name_that_is_not_there_is_refused_with_near_names_unless_it_may_come() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        board.register(named("web_post"))

        with pytest.raises(UnknownNameError, match="did you mean 'web_post'"):
            host.deny("web_pots")
        host.deny("web_pots", pending=True)
        board.register(named("web_pots"))

        assert list(board.tools) == ["web_post"]


async def test_allowing_what_nobody_denied_says_who_hides_it() -> None:
    config = Config(deny=("web_*",))
    async with Host(config, discover=False) as host:
        host.register(named("web_post"))
        host.deny(Select(plugin="docs"), pending=True)

        with pytest.raises(RestrictionError, match="denied by 'web_\\*' of the configuration"):
            host.allow("web_post")


async def test_of_several_selectors_one_that_is_wrong_keeps_all_from_applying() -> None:
    async with Host(discover=False) as host:
        host.register(named("one"))
        board = await host.board("a")

        with pytest.raises(UnknownNameError):
            host.deny("one", "none")
        shown = list(board.tools)
        host.deny("one")
        with pytest.raises(RestrictionError):
            host.allow("one", "none")

        assert (shown, list(board.tools)) == (["one"], [])


async def test_what_was_denied_on_a_board_goes_with_the_board() -> None:
    async with Host(discover=False) as host:
        host.register(named("shared"))
        async with host.board("a"):
            host.deny("shared", board="a")
        again = await host.board("a")

        assert list(again.tools) == ["shared"]
        host.deny("shared", board="a")
        assert list(again.tools) == []


async def test_cancelling_a_board_stops_its_calls_and_no_others() -> None:
    async with Host(discover=False) as host:
        host.register(nap)
        boards = [await host.board(name) for name in ("a", "b")]
        calls = [asyncio.create_task(each.call("nap")) for each in boards]
        await asyncio.sleep(0.02)

        count = await host.cancel("enough", board="a")
        outcome = await calls[0]

        assert (count, code_of(outcome), calls[1].done()) == (1, Code.ABORTED, False)
        assert await host.cancel(board="b") == 1
        await calls[1]


async def test_cancelling_one_call_stops_it_and_no_other_of_its_board() -> None:
    async with Host(discover=False) as host:
        host.register(nap)
        board = await host.board("a")
        calls = [asyncio.create_task(board.call("nap", id=each)) for each in ("one", "two")]
        await asyncio.sleep(0.02)

        count = await host.cancel("enough", call_id="two")

        assert (count, code_of(await calls[1]), calls[0].done()) == (1, Code.ABORTED, False)
        await host.cancel(board="a", call_id="one")
        assert code_of(await calls[0]) is Code.ABORTED


async def test_what_is_not_there_can_not_be_cancelled() -> None:
    async with Host(discover=False) as host:
        await host.board("researcher")

        with pytest.raises(UnknownNameError, match="'researcher'"):
            await host.cancel(board="reseacher")
        with pytest.raises(UnknownNameError, match="running call"):
            await host.cancel(call_id="call-1")
        with pytest.raises(WrongArgumentError, match="say what to cancel"):
            await host.cancel()


async def test_a_blocked_plugin_stays_away_from_syncs_and_from_the_next_host(kept: Config) -> None:
    async with Host(kept) as host:
        await host.unload("greet", block=True)
        synced = await host.sync()
        during = host.plugins["greet"].state
    async with Host(kept) as again:
        later = again.plugins["greet"].state

    assert (synced.loaded, during, later) == ((), "blocked", "blocked")


async def test_loading_a_blocked_plugin_by_name_takes_the_block_back(kept: Config) -> None:
    async with Host(kept) as host:
        await host.unload("greet", block=True)
    async with Host(kept) as host:
        info = await host.load("greet")
    async with Host(kept) as again:
        later = again.plugins["greet"].state

    assert info.state == "loaded"
    assert later in ("loaded", "deferred")


async def test_a_blocked_plugin_that_can_not_be_loaded_stays_blocked(
    kept: Config, tmp_path: Path
) -> None:
    async with Host(kept) as host:
        await host.unload("greet", block=True)
        (tmp_path / "site/greeter_mod.py").write_text("raise ValueError\n")
        with pytest.raises(PluginLoadError):
            await host.load("greet")
        await host.sync()

        assert host.config.block == ("greet",)


async def test_a_plugin_that_the_configuration_blocks_is_loaded_by_nobody(kept: Config) -> None:
    async with Host(Config(block=("greet",))) as host:
        with pytest.raises(PluginLoadError, match="'greet' is blocked by the configuration"):
            await host.load("greet")

        assert host.plugins["greet"].state == "blocked"


async def test_without_a_state_file_nothing_is_blocked_and_the_way_out_is_named(
    kept: Config,
) -> None:
    async with Host() as host:
        with pytest.raises(PegboardError, match="write state = "):
            await host.unload("greet", block=True)

        assert host.plugins["greet"].state == "loaded"


async def test_a_required_or_built_in_plugin_can_not_be_blocked(kept: Config) -> None:
    async with Host(Config(required=("greet",), state=kept.state)) as host:
        with pytest.raises(PegboardError, match="take it out of `required`"):
            await host.unload("greet", block=True, force=True)
        with pytest.raises(PegboardError, match="built in"):
            await host.unload("deadline", block=True)

        assert host.plugins["greet"].state == "loaded"


async def test_what_is_denied_for_good_is_denied_on_the_next_host_until_it_is_allowed(
    kept: Config,
) -> None:
    async with Host(kept) as host:
        host.deny("greet", keep=True)
    async with Host(kept) as host:
        board = await host.board("a")
        denied, said = "greet" not in board.tools, str(board.explain("greet"))
        host.allow("greet")
    async with Host(kept) as host:
        allowed = "greet" in (await host.board("a")).tools

    assert (denied, allowed) == (True, True)
    assert "denied by 'greet' of an operator" in said


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 2}', '{"version": 1, "block": [1]}', "[" * 100_000]
)
async def test_a_state_file_that_can_not_be_read_keeps_the_host_from_starting(
    kept: Config, text: str
) -> None:
    assert kept.state is not None
    kept.state.parent.mkdir()
    kept.state.write_text(text)

    with pytest.raises(ConfigError, match=r"state\.json can't be read"):
        Host(kept)


async def test_a_state_file_that_can_not_be_written_changes_nothing(kept: Config) -> None:
    assert kept.state is not None
    async with Host(kept) as host:
        kept.state.parent.write_text("in the way")
        with pytest.raises(PegboardError, match="can't be written"):
            await host.unload("greet", block=True)

        assert host.config.block == ()


async def test_the_state_file_is_one_that_people_can_read(kept: Config) -> None:
    assert kept.state is not None
    async with Host(kept) as host:
        host.deny("greet", keep=True)
        await host.unload("greet", block=True)

    assert json.loads(kept.state.read_text()) == {
        "version": 1,
        "block": ["greet"],
        "deny": ["greet"],
    }
