"""Built-in plugins whose settings change: no call waits, none is cancelled, nothing is left."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any

import attrs
import pytest
from pegboard import Board, Code, Config, Execution, Host, Outcome, PegboardError, PluginConfig
from pegboard.registry import Generation
from pegboard_batches import Gated
from pegboard_cases import named
from pegboard_limits import denied, limited, limiting, passes
from pegboard_policies import failed, standing, until

Act = Callable[[Host, Config], Awaitable[object]]
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "limits": ({"rules": [{"running": 5}]}, {"rules": [{"running": 6}]}),
    "metrics": ({}, {"boards": True}),
    "outputs": ({}, {"most": 2000}),
    "repeats": ({}, {"after": 7}),
}
ACTS: dict[str, Act] = {
    "another figure": lambda host, config: host.sync(config),
    "a reload by name": lambda host, config: host.reload(next(iter(config.plugins)), grace=0),
    "no table any more": lambda host, _: host.sync(Config()),
}


def configured(name: str, settings: dict[str, Any], **others: Any) -> Config:
    """A configuration with one built-in plugin."""
    return Config(plugins={name: PluginConfig(settings)}, **others)


async def called_until(over: "asyncio.Future[object]", host: Host, board: Board) -> set[int]:
    """How many calls were parked, seen at every call until something is over."""
    parked = {host.status().parked}
    while not over.done():
        async with asyncio.timeout(5):
            await passes(board, "own")
        parked.add(host.status().parked)
        await asyncio.sleep(0)
    return parked


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
@pytest.mark.parametrize("name", SETTINGS)
async def test_a_change_parks_no_call_and_lets_calls_go_on(name: str, act: Act) -> None:
    before, after = (configured(name, each) for each in SETTINGS[name])
    gated = Gated()
    async with standing(gated.tool(), named("own"), config=before) as (host, board):
        long = asyncio.ensure_future(board.call("body", id="long"))
        await gated.started("long")
        changing = asyncio.ensure_future(act(host, after))
        parked = await called_until(changing, host, await host.board("c"))
        await changing

        assert (parked, long.done()) == ({0}, False)
        gated.let("long")
        assert (await long).unwrap() == "long"


@pytest.mark.parametrize("name", SETTINGS)
async def test_a_change_is_listed_as_one_plugin_that_was_reloaded(name: str) -> None:
    before, after = (configured(name, each) for each in SETTINGS[name])
    gated = Gated()
    async with standing(gated.tool(), config=before) as (host, board):
        long = asyncio.ensure_future(board.call("body", id="long"))
        await gated.started("long")
        listed = set(host.plugins)
        report = await host.sync(after)

        assert (report.reloaded, report.failed) == ((name,), ())
        assert set(host.plugins) == listed
        assert (host.plugins[name].state, host.plugins[name].generation) == ("loaded", 2)
        gated.let("long")
        await long


async def test_settings_that_are_refused_leave_the_old_ones_and_every_call() -> None:
    async with limiting({"running": 1}) as calls:
        await calls.start("1")
        report = await calls.host.sync(limited({"running": 0}))

        assert report.failed == ("limits",)
        assert "at most 1 call may run at once" in await denied(calls.board)
        assert not calls.tasks[0].done()
        assert (calls.host.plugins["limits"].state, calls.host.plugins["limits"].generation) == (
            "loaded",
            1,
        )


async def test_calls_that_run_take_places_of_a_figure_that_was_lowered() -> None:
    async with limiting({"running": 3}) as calls:
        await calls.start("1", "2", "3")
        await calls.host.sync(limited({"running": 2}))
        await denied(calls.board)
        calls.gated.let("1")
        await calls.tasks[0]
        await denied(calls.board)
        calls.gated.let("2")
        await calls.tasks[1]

        await calls.start("4")
        await denied(calls.board)


@pytest.mark.parametrize("other", [{"tools": ["free", "x"]}, {"per": []}, {"boards": ["c*"]}])
async def test_calls_that_run_take_places_of_a_rule_that_is_new(other: dict[str, Any]) -> None:
    async with limiting({"running": 3}) as calls:
        await calls.start("1", "2")
        await calls.host.sync(limited({"running": 2} | other))
        await denied(calls.board)
        calls.gated.let("1")
        await calls.tasks[0]

        await calls.start("3")
        await denied(calls.board)


async def test_a_call_that_was_made_before_a_change_is_held_to_what_holds_when_it_runs() -> None:
    async with limiting({"running": 2}) as calls:
        going, held = asyncio.Event(), asyncio.Event()

        async def wait(execution: Execution) -> None:
            if execution.call_id == "waits":
                held.set()
                await going.wait()

        calls.host.hook(before_call=wait)
        await calls.start("1")
        late = asyncio.ensure_future(calls.board.call("free", id="waits"))
        await held.wait()
        await calls.host.sync(limited({"running": 1}))
        going.set()

        assert "at most 1 call may run" in failed(await late, Code.DENIED).message


async def test_a_plugin_may_be_reloaded_by_a_call_that_uses_it() -> None:
    async def again(arguments: Any, context: Any) -> Any:
        return (await host.reload("limits")).generation

    async with standing(config=limited({"running": 1})) as (host, board):
        host.register(attrs.evolve(named("again"), run=again))

        assert (await board.call("again")).unwrap() == 2


@attrs.define
class Crowd:
    """Callers that go on and on, and how many of their bodies ran at once."""

    board: Board
    running: int = 0
    most: int = 0
    ended: list[Outcome] = attrs.field(factory=list)

    async def body(self, arguments: Any, context: Any) -> str:
        """Count who is there."""
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001)
        self.running -= 1
        return "done"

    async def go_on(self, until: asyncio.Event) -> None:
        """Call again and again."""
        while not until.is_set():
            self.ended.append(await self.board.call("own"))
            await asyncio.sleep(0.02)


async def test_limits_hold_and_no_call_fails_while_figures_change_again_and_again() -> None:
    changes = [
        limited({"running": 5, "calls": 10**6 + at}, required=("limits",)) for at in range(51)
    ]
    async with Host(changes[0], discover=False) as host:
        crowd, over = Crowd(await host.board("a")), asyncio.Event()
        host.register(attrs.evolve(named("own"), run=crowd.body))
        callers = [asyncio.ensure_future(crowd.go_on(over)) for _ in range(200)]
        for each in changes[1:]:
            assert (await host.sync(each)).reloaded == ("limits",)
        over.set()
        await asyncio.gather(*callers)

        assert crowd.most == 5
        assert {getattr(each, "code", None) for each in crowd.ended} == {None, Code.DENIED}
        assert host.plugins["limits"].generation == 51


def loads(name: str) -> int:
    """How many loads of a plugin this process has."""
    gc.collect()
    known = [each for each in gc.get_objects() if type(each) is Generation]
    return sum(each.owner.plugin == name for each in known)


@pytest.mark.parametrize("name", SETTINGS)
async def test_loads_that_were_exchanged_are_left_once_their_calls_have_ended(name: str) -> None:
    gated, before = Gated(), loads(name)
    async with standing(gated.tool(), config=configured(name, SETTINGS[name][0])) as (host, board):
        running = []
        for at in map(str, range(5)):
            running.append(asyncio.ensure_future(board.call("body", id=at)))
            await gated.started(at)
            await host.reload(name)
        held = loads(name)
        gated.let(*gated.gates)
        await asyncio.gather(*running)

        await until(lambda: loads(name) == before + 1)
        assert held == before + 6


async def test_unloading_waits_for_the_calls_of_every_load_and_then_cancels_them() -> None:
    async with limiting({"running": 5}) as calls:
        await calls.start("1")
        await calls.host.reload("limits")
        await calls.start("2", "3")
        unloading = asyncio.ensure_future(calls.host.unload("limits", grace=0.1))
        calls.gated.let("3")
        report = await unloading

        assert (report.drained, report.cancelled, report.leaked) == (1, 2, ())
        codes = [failed(await each, Code.ABORTED).message for each in calls.tasks[:2]]
        assert codes == ["plugin 'limits' is unloaded"] * 2


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
async def test_closing_the_host_leaves_every_load(act: Act) -> None:
    gated, config = Gated(), limited({"running": 5}, close_grace=0)
    async with standing(gated.tool(), config=config) as (host, board):
        running = asyncio.ensure_future(board.call("body", id="1"))
        await gated.started("1")
        await act(host, limited({"running": 6}))
        await host.close(grace=0)
        failed(await running, Code.ABORTED)

        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_closing_a_board_leaves_the_loads_that_were_for_it() -> None:
    gated, before = Gated(), loads("limits@case")
    async with standing(gated.tool()) as (host, board):
        await host.load("limits", board=board, settings={"rules": [{"running": 5}]})
        running = asyncio.ensure_future(board.call("body", id="1"))
        await gated.started("1")
        await host.reload("limits@case")
        held = loads("limits@case")
        await board.close(grace=0)
        failed(await running, Code.ABORTED)
        del board, running

        await until(lambda: loads("limits@case") == before)
        assert held == before + 2


async def test_changes_that_come_at_once_all_end_and_leave_nothing() -> None:
    gated, config = Gated(), limited({"running": 5})
    async with standing(gated.tool(), config=config) as (host, board):
        running = asyncio.ensure_future(board.call("body", id="1"))
        await gated.started("1")
        acts = [
            host.reload("limits"),
            host.sync(limited({"running": 6})),
            host.unload("limits", grace=0),
            host.reload("limits"),
            host.close(grace=0),
        ]
        ended = await asyncio.gather(*acts, return_exceptions=True)
        await running

        wrong = [each for each in ended if isinstance(each, BaseException)]
        assert all(isinstance(each, PegboardError) for each in wrong)
        assert asyncio.all_tasks() == {asyncio.current_task()}
