"""The cases of section Batches: what overlaps, and in what order."""

import asyncio
import threading
import time
from typing import Any

import attrs
import pytest
from pegboard import JSON, Config, Execution, RunContext, Tool, ToolAnnotations, ToolCall
from pegboard_cases import raw
from pegboard_policies import PATIENCE, Work, kind, plugin_with, standing, turns


@attrs.define
class Steps:
    """A tool `step` whose calls wait for each other as the test says, and are noted.

    Attributes:
        waits: by the id of a call, what its body waits for: the end of `start 2` or `end 1`.
        log: what happened, in order.
    """

    waits: dict[str, str] = attrs.field(factory=dict)
    log: list[str] = attrs.field(factory=list)
    reached: dict[str, asyncio.Event] = attrs.field(factory=dict)

    def note(self, word: str) -> None:
        """Note that something happened."""
        self.log.append(word)
        self.event(word).set()

    def event(self, word: str) -> asyncio.Event:
        """What is set once it has happened."""
        return self.reached.setdefault(word, asyncio.Event())

    async def run(self, arguments: JSON, context: RunContext) -> str:
        """Start, wait, end."""
        self.note(f"start {context.call_id}")
        await turns(3)
        word = self.waits.get(context.call_id)
        if word is not None:
            await self.event(word).wait()
            await turns(10)
        self.note(f"end {context.call_id}")
        return context.call_id

    def tool(self, **options: Any) -> Tool:
        """The tool."""
        return raw(self.run, name="step", extra="keep", **options)


def steps(*ids: str, name: str = "step", **arguments: JSON) -> list[ToolCall]:
    """Calls with these ids; an id with a colon brings its key."""
    return [
        ToolCall(each.partition(":")[0], name, {"key": each.partition(":")[2], **arguments})
        for each in ids
    ]


async def ran(board: Any, calls: list[ToolCall], **options: Any) -> list[str]:
    """The codes of a batch, which ends in time."""
    outcomes = await asyncio.wait_for(board.run(calls, **options), PATIENCE)
    assert [each.call_id for each in outcomes] == [each.id for each in calls]
    return [kind(each) for each in outcomes]


def key_of(arguments: Any) -> str:
    """The key of a call."""
    return str(arguments["key"])


async def test_p_301_calls_with_one_key_never_overlap_and_others_do() -> None:
    given = Steps({"1": "start 2", "2": "end 3"})
    async with standing(given.tool(concurrency_safe=key_of)) as (_, board):
        assert await ran(board, steps("1:a", "2:b", "3:a")) == ["ok"] * 3

    assert given.log == ["start 1", "start 2", "end 1", "start 3", "end 3", "end 2"]


async def test_p_302_calls_that_may_overlap_all_start_before_one_ends() -> None:
    given = Steps({"1": "start 3", "2": "start 3", "3": "end 1"})
    async with standing(given.tool(concurrency_safe=True)) as (_, board):
        assert await ran(board, steps("1", "2", "3")) == ["ok"] * 3

    assert given.log[:3] == ["start 1", "start 2", "start 3"]


async def test_p_303_a_fast_second_call_does_not_overtake_a_slow_first_one() -> None:
    given = Steps({"1": "end 2"})
    async with standing(given.tool(concurrency_safe=True)) as (_, board):
        assert await ran(board, steps("1", "2")) == ["ok", "ok"]

    assert given.log[-2:] == ["end 2", "end 1"]


async def test_p_303_a_stream_gives_the_second_right_after_the_first() -> None:
    given, seen = Steps({"1": "end 2", "3": "seen 2"}), []
    async with standing(given.tool(concurrency_safe=True)) as (_, board), asyncio.timeout(PATIENCE):
        async for outcome in board.stream(steps("1", "2", "3")):
            seen.append(outcome.call_id)
            given.note(f"seen {outcome.call_id}")

    assert seen == ["1", "2", "3"]
    assert given.log[-4:] == ["seen 1", "seen 2", "end 3", "seen 3"]


async def test_p_303_contexts_stay_with_their_calls_whoever_ends_first() -> None:
    first_may_end = asyncio.Event()

    async def body(arguments: JSON, context: RunContext) -> None:
        context.defer(f"{context.call_id} began")
        if context.call_id == "1":
            await first_may_end.wait()
        else:
            first_may_end.set()
        context.defer(f"{context.call_id} ended")

    async with standing(raw(body, concurrency_safe=True)) as (_, board):
        outcomes = await board.run(steps("1", "2", name="raw"))

    contexts = [context for each in outcomes for context in each.contexts]
    assert contexts == ["1 began", "1 ended", "2 began", "2 ended"]


async def test_p_304_the_next_call_starts_as_soon_as_a_place_is_free() -> None:
    given = Steps({"1": "start 2", "2": "start 3"})
    async with standing(given.tool(concurrency_safe=True)) as (_, board):
        assert await ran(board, steps("1", "2", "3"), max_parallel=2) == ["ok"] * 3

    assert given.log[:4] == ["start 1", "start 2", "end 1", "start 3"]


async def test_p_304_one_at_a_time_is_possible() -> None:
    given = Steps()
    async with standing(given.tool(concurrency_safe=True)) as (_, board):
        assert await ran(board, steps("1", "2"), max_parallel=1) == ["ok", "ok"]

    assert given.log == ["start 1", "end 1", "start 2", "end 2"]


@pytest.mark.parametrize("way", ["answers otherwise", "is replaced"])
async def test_p_305_a_tool_that_became_exclusive_in_the_batch_is_so_from_then_on(way: str) -> None:
    given, is_safe = Steps({"1": "start 2", "2": "first is over"}), [True]
    async with standing() as (host, board):
        registration = host.register(given.tool(concurrency_safe=lambda arguments: is_safe[0]))

        async def change(execution: Execution) -> None:
            if execution.call_id != "1":
                return
            is_safe[0] = way == "is replaced"
            if way == "is replaced":
                registration.close()
                host.register(given.tool(concurrency_safe=False))
            asyncio.get_running_loop().call_soon(given.note, "first is over")

        host.hook(call_finished=change)
        assert await ran(board, steps("1", "2", "3"), max_parallel=2) == ["ok"] * 3

    assert given.log.index("end 2") < given.log.index("start 3")


@pytest.mark.parametrize("declared", [None, False, "raises", "odd answer"])
async def test_p_397_a_tool_that_does_not_say_it_may_overlap_is_exclusive(declared: Any) -> None:
    def asked(arguments: JSON) -> Any:
        if declared == "raises":
            raise SystemExit(3)
        return 1

    safe = asked if isinstance(declared, str) else declared
    given = Steps()
    async with standing(given.tool(concurrency_safe=safe)) as (_, board):
        assert await ran(board, steps("1", "2")) == ["ok", "ok"]

    assert given.log == ["start 1", "end 1", "start 2", "end 2"]


async def test_p_397_a_tool_that_only_reads_may_overlap() -> None:
    given = Steps({"1": "start 2", "2": "end 1"})
    tool = given.tool(annotations=ToolAnnotations(read_only=True))
    async with standing(tool) as (_, board):
        assert await ran(board, steps("1", "2")) == ["ok", "ok"]


async def test_p_397_what_a_tool_declares_outweighs_that_it_only_reads() -> None:
    given = Steps()
    tool = given.tool(annotations=ToolAnnotations(read_only=True), concurrency_safe=False)
    async with standing(tool) as (_, board):
        assert await ran(board, steps("1", "2")) == ["ok", "ok"]

    assert given.log == ["start 1", "end 1", "start 2", "end 2"]


async def test_p_397_an_exclusive_call_is_a_barrier_between_its_neighbours() -> None:
    given = Steps({"1": "start 2"})
    alone = raw(given.run, name="alone")
    async with standing(given.tool(concurrency_safe=True), alone) as (_, board):
        calls = [*steps("1", "2"), *steps("3", name="alone"), *steps("4", "5")]
        assert await ran(board, calls) == ["ok"] * 5

    middle = given.log.index("start 3")
    assert set(given.log[:middle]) == {"start 1", "start 2", "end 1", "end 2"}
    assert given.log[middle + 1] == "end 3"


async def test_p_397_a_function_is_given_the_validated_arguments() -> None:
    seen: list[JSON] = []

    def safe(arguments: JSON) -> bool:
        seen.append(arguments)
        return True

    parameters: JSON = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tool = raw(lambda *_: 1, parameters=parameters, concurrency_safe=safe)
    async with standing(tool) as (_, board):
        calls = [ToolCall("1", "raw", '{"n": 1, "zz": 2}'), ToolCall("2", "raw", {"n": "x"})]
        assert await ran(board, calls) == ["ok", "invalid_arguments"]

    assert seen
    assert all(each == {"n": 1} for each in seen)


async def test_p_316_a_batch_larger_than_the_pool_of_threads_is_done_in_order() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def body(arguments: JSON, context: RunContext) -> str:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.002)
        with lock:
            now[0] -= 1
        return context.call_id

    config = Config(max_threads=3)
    async with standing(raw(body, concurrency_safe=True), config=config) as (host, board):
        calls = steps(*map(str, range(40)), name="raw")
        assert await ran(board, calls, max_parallel=8) == ["ok"] * 40
        fewer = most[0]
        assert await ran(board, calls, max_parallel=2) == ["ok"] * 40
        assert host.running == ()

    assert fewer <= 3


async def test_p_316_never_more_bodies_run_than_max_parallel_says() -> None:
    now: list[int] = [0]
    peaks: list[int] = []

    async def body(arguments: JSON, context: RunContext) -> None:
        now[0] += 1
        peaks.append(now[0])
        await turns(4)
        now[0] -= 1

    async with standing(raw(body, concurrency_safe=True)) as (_, board):
        calls = steps(*map(str, range(40)), name="raw")
        for most in (1, 3, 10):
            peaks.clear()
            assert await ran(board, calls, max_parallel=most) == ["ok"] * 40
            assert max(peaks) == most
        peaks.clear()
        await ran(board, calls)

    assert max(peaks) == 10


async def test_p_317_a_tool_that_was_unloaded_by_a_call_before_is_unknown() -> None:
    work = Work()
    async with standing() as (host, board):

        async def unload(arguments: JSON, context: RunContext) -> None:
            await host.unload("p")

        host.register(raw(unload, name="unload"))
        await host.load(plugin_with(work.tool()), name="p")
        calls = [ToolCall("1", "unload"), ToolCall("2", "work"), ToolCall("3", "work")]
        assert await ran(board, calls) == ["ok", "unknown_tool", "unknown_tool"]

    assert work.ran == []
