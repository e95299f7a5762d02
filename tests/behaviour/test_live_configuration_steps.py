"""How a running host gets from one configuration to another: in one step, with nothing between."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pegboard import BoardConfig, Config, ConfigError, Host, PegboardError, PluginConfig, SyncReport
from pegboard_live import host_of
from pegboard_lives import offering
from pegboard_versions import Versions, gauged, started, versions_at

ONLY = Config(only=["gauge"])


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


async def shown_during(host: Host, config: Config) -> set[str]:
    """The tools that the boards have shown at any moment of a sync."""
    sync = asyncio.create_task(host.sync(config))
    seen: set[str] = set()
    while not sync.done():
        seen.update(name for board in host.boards.values() for name in board.tools)
        await asyncio.sleep(0)
    await sync
    return seen


@pytest.mark.parametrize(
    "after",
    [
        Config(only=[]),
        Config(only=["gauge"], plugins={"gauge": PluginConfig(prefix="g_")}, deny=["g_*"]),
    ],
    ids=["blocked", "renamed"],
)
@pytest.mark.parametrize("board", [BoardConfig(), BoardConfig(deny=["version", "held", "nested"])])
async def test_what_no_configuration_shows_is_shown_at_no_moment_between_them(
    versions: Versions, after: Config, board: BoardConfig
) -> None:
    versions.install(1)
    deny = () if board.deny else ("version", "held", "nested")
    before = attrs.evolve(ONLY, deny=deny, boards={"a": board})
    async with Host(before) as host:
        await host.board("a")
        seen = await shown_during(host, after)

    assert seen == set()


async def test_all_boards_follow_in_one_step_and_only_those_move_that_show_something_else() -> None:
    before = Config(boards={"a": BoardConfig(deny=["web_*"])}, deny=["files_delete"])
    after = Config(boards={"b": BoardConfig(deny=["web_*"])}, deny=["*_delete"])
    async with host_of(before) as host:
        revisions = {name: board.revision for name, board in host.boards.items()}
        seen = {tuple(tuple(board.tools) for board in host.boards.values())}
        sync = asyncio.create_task(host.sync(after))
        while not sync.done():
            await asyncio.sleep(0)
            seen.add(tuple(tuple(board.tools) for board in host.boards.values()))
        moved = {name for name, each in host.boards.items() if each.revision != revisions[name]}

    all_of, read = ("files_read", "web_search"), ("files_read",)
    assert seen == {(read, all_of, all_of), (all_of, read, all_of)}
    assert moved == {"a", "b"}


async def test_a_dry_run_tells_the_same_changes_and_makes_none() -> None:
    after = Config(max_nesting=2, boards={"a": BoardConfig(deny=["web_*"])})
    async with host_of(Config()) as host:
        told = await host.sync(after, dry_run=True)
        between = host.config
        done = await host.sync(after)
        again = await host.sync(after)

    assert (told, between, again) == (done, Config(), SyncReport())
    assert [each.path for each in done.changes] == ["boards.a.deny", "max_nesting"]


async def test_a_board_that_the_configuration_knows_no_more_keeps_what_hides_its_tools() -> None:
    before = Config(boards={"a": BoardConfig(deny=["web_*"])}, unknown_boards="create")
    async with host_of(before) as host:
        board = host.boards["a"]
        report = await host.sync(Config(unknown_boards="refuse"))
        hidden = "web_search" not in board.tools
        back = await host.sync(before)
        await host.sync(Config())

        assert hidden
        assert [(each.path, each.is_applied) for each in report.changes] == [
            ("boards.a.deny", False),
            ("unknown_boards", True),
        ]
        assert (back.boards, "web_search" in board.tools) == ((), True)


async def test_an_open_board_keeps_its_parent_and_one_that_comes_has_the_new_one() -> None:
    before = Config(boards={"a": BoardConfig(parent="b"), "b": BoardConfig(), "d": BoardConfig()})
    tables = dict.fromkeys(("a", "d"), BoardConfig(parent="c"))
    after = Config(boards={**tables, "b": BoardConfig(), "c": BoardConfig()})
    async with host_of(before) as host:
        report = await host.sync(after)
        later = await host.board("d")

        assert (host.boards["a"].parent, later.parent) == ("b", "c")
        assert {each.path: each.is_applied for each in report.changes} == {
            "boards.a.parent": False,
            "boards.d.parent": True,
            "boards.c": True,
        }


async def test_calls_run_until_a_plugin_is_there_that_is_required_anew(versions: Versions) -> None:
    async with Host(Config(only=[])) as host:
        await host.load(offering("ask"), name="own")
        board = await host.board("a")
        versions.install(1)
        sync = asyncio.create_task(host.sync(Config(only=["gauge"], required=["gauge"])))
        ended = []
        while not sync.done():
            ended.append((await board.call("ask")).is_error)
            await asyncio.sleep(0)
        await host.unload("gauge", force=True)

        assert (await sync).loaded == ("gauge",)
        assert set(ended) == {False}
        assert (await board.call("ask")).is_error


async def test_a_plugin_that_can_t_follow_its_settings_is_told_of_and_goes_on_with_the_old() -> (
    None
):
    before = Config(plugins={"repeats": PluginConfig({"after": 3})})
    after = Config(plugins={"repeats": PluginConfig({"after": -1})}, max_nesting=9)
    async with host_of(before) as host:
        reports = [await host.sync(after), await host.sync(after)]
        info = host.plugins["repeats"]

    assert [each.failed for each in reports] == [("repeats",), ("repeats",)]
    assert {each.path: each.is_applied for each in reports[0].changes} == {
        "plugins.repeats.settings": False,
        "max_nesting": True,
    }
    assert (info.state, "its upgrade failed" in str(info.error)) == ("loaded", True)


async def test_of_syncs_at_once_the_last_one_that_was_asked_for_holds(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text("max_nesting = 1\n")
    async with host_of(Config()) as host:
        syncs = [host.sync(file), host.sync(Config(max_nesting=2)), host.sync(file)]
        reports = await asyncio.gather(*syncs)

    assert [each.changes[0].after for each in reports] == [1, 2, 1]
    assert host.config.max_nesting == 1


async def test_a_sync_in_a_call_that_another_sync_waits_for_is_answered_and_happens_after_it(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, gate):

        async def ask(execution: object, outcome: object) -> None:
            asked.append(await host.sync(attrs.evolve(host.config, max_nesting=7)))

        asked: list[SyncReport] = []
        running = started(board, "held")
        await gate.begun.wait()
        hook = board.hook(call_finished=ask)
        versions.install(2)
        first = asyncio.create_task(host.sync())
        while host.status().parked == 0:
            started(board, "version")
            await asyncio.sleep(0.01)
        gate.go.set()
        await asyncio.wait_for(asyncio.gather(running, first), 8)
        hook.close()
        await host.sync()

    assert (await first).reloaded == ("gauge",)
    assert asked
    assert host.config.max_nesting == 7


async def test_a_sync_during_an_upgrade_has_the_new_settings_in_the_end(versions: Versions) -> None:
    async with gauged(versions) as (host, board, gate):
        running = started(board, "held")
        await gate.begun.wait()
        versions.install(2)
        upgrade = asyncio.create_task(host.reload("gauge"))
        options = PluginConfig(prefix="g_")
        sync = asyncio.create_task(
            host.sync(attrs.evolve(host.config, plugins={"gauge": options}, mask_errors=True))
        )
        await asyncio.sleep(0.3)
        gate.go.set()
        await asyncio.gather(running, upgrade, sync)

        assert host.config.mask_errors
        assert (await board.call("g_version")).unwrap() == [2, 2, 2]


@pytest.mark.parametrize(
    ("boards", "why"),
    [
        ({"a": BoardConfig(parent="bse"), "base": BoardConfig()}, "did you mean 'base'"),
        ({"a": BoardConfig(parent="b"), "b": BoardConfig(parent="a")}, "its own parent"),
        ({"a b": BoardConfig()}, "'a b'"),
        ({"z": BoardConfig(allow=[7])}, "a selector is"),  # type: ignore[list-item]
    ],
)
async def test_boards_that_can_t_be_refuse_the_whole_configuration(
    boards: dict[str, BoardConfig], why: str
) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(PegboardError, match=why):
            await host.sync(Config(boards=boards, max_nesting=3))

        assert host.config == Config()


async def test_a_configuration_that_is_refused_leaves_the_lock_file_of_before(
    tmp_path: Path,
) -> None:
    async with Host(discover=False) as host:
        wrong = Config(lock=tmp_path / "pegboard.lock", required=["x"], block=["x"])
        with pytest.raises(ConfigError):
            await host.sync(wrong)
        await host.load(offering("ask"))

        assert "ask" in host.tools


@pytest.mark.parametrize("is_blocked", [True, False])
async def test_a_plugin_that_is_being_loaded_meanwhile_follows_as_soon_as_it_is_there(
    versions: Versions, *, is_blocked: bool
) -> None:
    versions.install(1, more="\nimport time\ntime.sleep(0.5)\n")
    options = {} if is_blocked else {"gauge": PluginConfig(prefix="g_")}
    after = Config(block=["gauge"] if is_blocked else (), plugins=options)
    async with Host(discover=False) as host:
        load = asyncio.create_task(host.load("gauge"))
        await asyncio.sleep(0.1)
        await asyncio.wait_for(host.sync(after), 0.3)
        was_loading = not load.done()
        await load
        async with asyncio.timeout(10):
            while "version" in host.tools:
                await asyncio.sleep(0.01)

        assert was_loading
        assert ("g_version" in host.tools) != is_blocked
