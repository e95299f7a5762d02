"""Plugins that aren't ready yet are tried again, with growing pauses, until they are."""

import asyncio
import contextlib
from collections.abc import Iterator

import pytest
from pegboard import Config, Host, NotReady, PegboardError, PluginLoadError
from pegboard.plugins.retrying import pauses
from pegboard_lives import Database, offering, plugin, until

SOON = Config(retry_after=0.02, retry_at_most=0.05, stop_grace=0.5)
LATE = Config(retry_after=60.0, stop_grace=0.5)


async def test_tools_appear_once_the_plugin_is_ready() -> None:
    async with Host(SOON, discover=False) as host:
        board = await host.board("a")
        with pytest.raises(PluginLoadError, match="not ready: no database, attempt 1"):
            await host.load(Database(2), name="db")
        before, tools = host.plugins["db"], list(board.tools)

        info = await until(host, "db", "loaded")

        assert (before.state, before.error) == ("retrying", "not ready: no database, attempt 1")
        assert (tools, list(board.tools), info.error) == ([], ["query"], None)
        assert info.generation == before.generation == 1
        assert (await board.call("query")).unwrap() == "connection"


async def test_the_reason_shown_is_the_last_one() -> None:
    async with Host(SOON, discover=False) as host:
        database = Database(1_000)
        with pytest.raises(PluginLoadError):
            await host.load(database, name="db")

        await asyncio.sleep(0.1)

        assert host.plugins["db"].error == f"not ready: no database, attempt {database.tried}"
        assert database.tried > 1


async def test_other_plugins_and_calls_go_on_meanwhile() -> None:
    async with Host(SOON, discover=False) as host:
        with pytest.raises(PluginLoadError):
            await host.load(Database(1_000), name="db")
        await host.load(offering("other"), name="other")
        board = await host.board("a")

        assert (await board.call("other")).unwrap() == "other"
        assert "not ready: no database" in str(board.explain("query"))


async def test_unloading_ends_the_attempts_at_once() -> None:
    async with Host(LATE, discover=False) as host:
        database = Database(1_000)
        with pytest.raises(PluginLoadError):
            await host.load(database, name="db")

        report = await asyncio.wait_for(host.unload("db"), 1)

        assert (report.errors, report.leaked) == ((), ())
        assert (host.plugins["db"].state, host.plugins["db"].error) == ("unloaded", None)
        assert not [each for each in asyncio.all_tasks() if "retry" in each.get_name()]


async def test_closing_the_host_ends_the_attempts_at_once() -> None:
    async with Host(LATE, discover=False) as host:
        with pytest.raises(PluginLoadError):
            await host.load(Database(1_000), name="db")

    assert not [each for each in asyncio.all_tasks() if "retry" in each.get_name()]


async def test_closing_its_board_ends_the_attempts_and_forgets_the_plugin() -> None:
    async with Host(LATE, discover=False) as host:
        async with host.board("a") as board:
            with pytest.raises(PluginLoadError):
                await board.load(Database(1_000), name="db")

        assert "db" not in host.plugins
        assert not [each for each in asyncio.all_tasks() if "retry" in each.get_name()]


async def test_an_attempt_on_its_way_is_cut_off_by_an_unload() -> None:
    entered = asyncio.Event()

    class Slow(Database):
        @contextlib.asynccontextmanager
        async def _slow(self):
            entered.set()
            await asyncio.sleep(60)
            yield

    slow = Slow(1)
    first = iter([True, False])
    living = plugin(
        pegboard_lifespan=lambda self: (
            Database(1).pegboard_lifespan() if next(first) else slow._slow()
        )
    )
    async with Host(SOON, discover=False) as host:
        with pytest.raises(PluginLoadError):
            await host.load(living, name="db")
        await entered.wait()

        await asyncio.wait_for(host.unload("db"), 2)

        assert host.plugins["db"].state == "unloaded"


async def test_loading_it_by_hand_tries_at_once() -> None:
    async with Host(LATE, discover=False) as host:
        database = Database(1)
        with pytest.raises(PluginLoadError):
            await host.load(database, name="db")

        info = await asyncio.wait_for(host.load(database, name="db"), 2)

        assert (info.state, database.tried) == ("loaded", 2)


async def test_another_error_on_a_later_attempt_ends_them() -> None:
    errors: Iterator[Exception] = iter([NotReady("soon"), OSError("no disk")])

    def lifespan(self: object) -> None:
        raise next(errors)

    async with Host(SOON, discover=False) as host:
        with pytest.raises(PluginLoadError):
            await host.load(plugin(pegboard_lifespan=lifespan), name="db")

        info = await until(host, "db", "failed")

        assert "no disk" in (info.error or "")


async def test_nothing_but_a_lifespan_can_ask_to_be_tried_again() -> None:
    def tools(self: object) -> None:
        raise NotReady("soon")

    async with Host(SOON, discover=False) as host:
        with pytest.raises(PluginLoadError):
            await host.load(plugin(pegboard_tools=tools), name="db")

        assert host.plugins["db"].state == "failed"


async def test_what_was_entered_before_is_left_with_every_attempt() -> None:
    first, second = Database(0), Database(2)

    class Both:
        pegboard_lifespan = first.pegboard_lifespan

    async with Host(SOON, discover=False) as host:
        await host.load(offering("kept"), name="kept")
        with pytest.raises(PluginLoadError):
            await host.load(second, name="db")
        await until(host, "db", "loaded")
        await host.unload("db")

        assert (second.tried, second.left) == (3, 1)


async def test_observers_hear_of_each_new_state_and_reason_once() -> None:
    heard: list[tuple[str, str | None]] = []
    async with Host(SOON, discover=False) as host:
        host.hook(event=lambda event: heard.append((event.state, event.error)))
        with pytest.raises(PegboardError):
            await host.load(Database(2), name="db")
        await until(host, "db", "loaded")

    assert heard[:4] == [
        ("loading", None),
        ("retrying", "not ready: no database, attempt 1"),
        ("retrying", "not ready: no database, attempt 2"),
        ("loaded", None),
    ]


def test_pauses_double_up_to_a_limit_and_are_never_quite_the_same() -> None:
    waits = pauses(lambda: Config(retry_after=1.0, retry_at_most=10.0))

    taken = [next(waits) for _ in range(6)]

    for least, most, wait in zip(
        (0.75, 1.5, 3, 6, 7.5, 7.5), (1, 2, 4, 8, 10, 10), taken, strict=True
    ):
        assert least <= wait <= most


async def test_a_plugin_that_a_board_waits_for_shows_its_tools_there_only() -> None:
    async with Host(SOON, discover=False) as host:
        board, other = await host.board("a"), await host.board("b")
        with pytest.raises(PluginLoadError):
            await board.load(Database(1), name="db")

        await until(host, "db", "loaded")

        assert (list(board.tools), list(other.tools)) == (["query"], [])


async def test_the_causes_of_the_error_are_the_plugins_own() -> None:
    def lifespan(self: object) -> None:
        raise NotReady("soon") from OSError("no route")

    async with Host(LATE, discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(plugin(pegboard_lifespan=lifespan), name="db")

    not_ready = caught.value.__cause__
    assert isinstance(not_ready, NotReady)
    assert isinstance(not_ready.__cause__, OSError)
    assert not_ready.__cause__.__cause__ is None
