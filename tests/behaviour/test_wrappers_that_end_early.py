"""A wrapper ends while what it let happen goes on: that is stopped first, or told of."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import Block, Config, Deny, Execution, PegboardError
from pegboard.testing import RecordingPlugin
from pegboard_policies import PATIENCE, kind, made, plugin, plugin_with, standing, until
from pegboard_wrappers import CHAINS, Next, Stubborn, inside

ENDS = {"before": "denied", "around": "ok", "after": "blocked"}
STAGES = {"before": "before", "around": "body", "after": "after"}
Let = Callable[[Next, asyncio.Event], Any]


async def in_a_task(call_next: Next, reached: asyncio.Event) -> None:
    """Let the inside happen in a task of its own, until it has begun."""
    asyncio.create_task(call_next()).add_done_callback(seen)
    await reached.wait()


async def shielded(call_next: Next, reached: asyncio.Event) -> None:
    """Let it happen behind a shield that a time-out doesn't get through."""
    happening = asyncio.ensure_future(call_next())
    happening.add_done_callback(seen)
    await reached.wait()
    try:
        await asyncio.wait_for(asyncio.shield(happening), 0)
    except TimeoutError:
        return


async def gathered(call_next: Next, reached: asyncio.Event) -> None:
    """Let it happen beside something that fails."""

    async def fail() -> None:
        await reached.wait()
        raise LookupError("nothing found")

    happening = asyncio.ensure_future(call_next())
    happening.add_done_callback(seen)
    try:
        await asyncio.gather(happening, fail())
    except LookupError:
        return


async def raced(call_next: Next, reached: asyncio.Event) -> None:
    """Let it happen in a race that something else wins."""
    happening = asyncio.ensure_future(call_next())
    happening.add_done_callback(seen)
    other = asyncio.ensure_future(reached.wait())
    await asyncio.wait([happening, other], return_when=asyncio.FIRST_COMPLETED)


def seen(happening: "asyncio.Future[Any]") -> None:
    """Look at what a future ended with, so that nobody complains that it wasn't."""
    if not happening.cancelled():
        happening.exception()


LETTING: dict[str, Let] = {
    "a task": in_a_task,
    "a shield": shielded,
    "a gather": gathered,
    "a race": raced,
}


def early(chain: str, let: Let, reached: asyncio.Event) -> Callable[..., Any]:
    """A wrapper that answers by itself once what is inside it has begun."""

    async def before(call_next: Next) -> Any:
        await let(call_next, reached)
        return Deny("early")

    async def around(execution: Execution, call_next: Next) -> Any:
        await let(call_next, reached)
        return made(execution, "early")

    async def after(call_next: Next) -> Any:
        await let(call_next, reached)
        return Block()

    wrappers: dict[str, Callable[..., Any]] = {"before": before, "around": around, "after": after}
    return wrappers[chain]


@pytest.mark.parametrize("letting", LETTING)
@pytest.mark.parametrize("chain", CHAINS)
async def test_what_is_inside_has_stopped_before_the_call_has_its_outcome(
    chain: str, letting: str
) -> None:
    reached, log, recorder = asyncio.Event(), [], RecordingPlugin()

    async def wait() -> None:
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            log.append("stopped")

    tool, hooks = inside(chain, wait)
    async with standing(tool) as (host, board):
        await host.load(recorder)
        host.hook(
            **{f"{chain}_call": early(chain, LETTING[letting], reached)},
            call_finished=lambda: log.append("finished"),
        )
        if hooks:
            board.hook(**hooks)

        await asyncio.wait_for(board.call("inner"), PATIENCE)

        assert (log, host.running) == (["stopped", "finished"], ())
    assert len(recorder.finished) == 1


@pytest.mark.parametrize("stops", [True, False], ids=["it stops", "it goes on"])
@pytest.mark.parametrize("letting", LETTING)
@pytest.mark.parametrize("chain", CHAINS)
async def test_what_the_wrapper_said_stands(chain: str, letting: str, stops: bool) -> None:
    stubborn = Stubborn()

    async def wait() -> None:
        stubborn.started.set()
        await asyncio.Event().wait()

    tool, hooks = inside(chain, wait if stops else stubborn.run)
    async with standing(tool, config=Config(stop_grace=0.02)) as (host, board):
        host.hook(**{f"{chain}_call": early(chain, LETTING[letting], stubborn.started)})
        if hooks:
            board.hook(**hooks)

        outcome = await asyncio.wait_for(board.call("inner"), PATIENCE)

        stubborn.released.set()
        await until(lambda: not host.running)
    assert kind(outcome) == ENDS[chain]


@pytest.mark.parametrize("letting", LETTING)
@pytest.mark.parametrize("chain", CHAINS)
async def test_what_does_not_stop_is_listed_and_leased_until_it_ends(
    chain: str, letting: str
) -> None:
    stubborn = Stubborn()
    tool, hooks = inside(chain, stubborn.run)
    async with standing(config=Config(stop_grace=0.02)) as (host, board):
        host.hook(**{f"{chain}_call": early(chain, LETTING[letting], stubborn.started)})
        await host.load(plugin_with(tool, **hooks), name="owner")

        await asyncio.wait_for(board.call("inner", id="c1"), PATIENCE)
        (listed,) = host.running
        report = await host.unload("owner", grace=0)
        stubborn.released.set()
        await until(lambda: not host.running)

    assert (listed.call_id, listed.abandoned, listed.stage) == ("c1", True, STAGES[chain])
    assert report.still_running == ("c1",)


@pytest.mark.parametrize("chain", CHAINS)
async def test_once_it_has_ended_its_plugin_unloads_with_nothing_left(chain: str) -> None:
    stubborn = Stubborn()
    tool, hooks = inside(chain, stubborn.run)
    async with standing(config=Config(stop_grace=0.02)) as (host, board):
        host.hook(**{f"{chain}_call": early(chain, in_a_task, stubborn.started)})
        await host.load(plugin_with(tool, **hooks), name="owner")

        await board.call("inner")
        stubborn.released.set()
        await until(lambda: not host.running)
        report = await host.unload("owner", grace=0)

    assert (report.still_running, report.cancelled, report.errors) == ((), 0, ())


@pytest.mark.parametrize("chain", CHAINS)
async def test_a_wrapper_that_ended_cannot_let_anything_happen(chain: str) -> None:
    kept: list[Next] = []

    async def keep(call_next: Next, _: asyncio.Event) -> None:
        kept.append(call_next)

    tool, hooks = inside(chain, asyncio.Event().wait)
    async with standing(tool) as (host, board):
        await host.load(plugin(**{f"{chain}_call": early(chain, keep, asyncio.Event())}))
        if hooks:
            board.hook(**hooks)
        await board.call("inner")

        with pytest.raises(PegboardError, match="is too late"):
            await kept[0]()
