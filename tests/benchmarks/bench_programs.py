"""What a program of `run_code` costs beside the same calls made by a model, one by one."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import pegboard_code
import pydantic_monty as monty
import pytest
from pegboard import Board, Host, RunContext, Tool, ToolCall, tool
from pegboard.formats import anthropic
from plausible_tools import plausible
from side_by_side import Figures, Way, measure
from ways import ARGUMENTS, add

ROUNDS = int(os.environ.get("PEGBOARD_ROUNDS", "21"))
MANY = 200
TWENTY = 20
SETTLED = 0.2
"""Seconds after a program until a process stands ready for the next, amply."""

CALL = "await add(a=3, b=4, label='hello')"
NESTED = {
    "one after the other": f"for _ in range({MANY}):\n    {CALL}",
    "all at once": f"import asyncio\nawait asyncio.gather(*({CALL[6:]} for _ in range({MANY})))",
}


@pytest.fixture(scope="module", autouse=True)
def what_monty_starts_once() -> None:
    """Threads and descriptors that stay for the life of a process, whatever runs in it."""
    with monty.Monty(min_processes=0, max_processes=1) as pool, pool.checkout() as session:
        session.feed_run("None")


@asynccontextmanager
async def a_host(*tools: Tool, keep_warm: bool = True) -> AsyncIterator[Host]:
    """A host with these tools, which runs programs."""
    async with Host(discover=False) as host:
        settings = {"keep_warm": keep_warm}
        await host.load(pegboard_code, name="code", settings=settings)
        for each in tools:
            host.register(each)
        yield host


@asynccontextmanager
async def a_board(*tools: Tool, keep_warm: bool = True) -> AsyncIterator[Board]:
    """A board with these tools whose programs are run."""
    async with a_host(*tools, keep_warm=keep_warm) as host:
        yield await host.board("bench", presentation="both")


def program(board: Board, code: str) -> Way:
    """Run a program to its end."""
    arguments = {"description": "A benchmark.", "code": code}

    async def run() -> Any:
        return (await board.call("run_code", arguments)).unwrap()

    return run


@tool
async def ask_often(context: RunContext) -> None:
    """Call another tool many times, one after the other."""
    for _ in range(MANY):
        await context.call("add", ARGUMENTS)


def directly(board: Board) -> Way:
    """As many direct calls, one after the other."""

    async def call() -> None:
        for number in range(MANY):
            await board.call("add", ARGUMENTS, id=f"call-{number}")

    return call


def beyond(figures: Figures, less: str) -> Figures:
    """What each way that says so takes more than one of them."""
    base = figures.rounds[less]
    rounds = {
        name: [one - other for one, other in zip(taken, base, strict=True)]
        if name.startswith("a program")
        else taken
        for name, taken in figures.rounds.items()
        if name != less
    }
    return Figures(rounds)


async def test_a_call_from_a_program_costs_a_message_to_a_process_more_than_a_direct_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with a_board(tool(concurrency_safe=True)(add), ask_often, keep_warm=False) as board:
        calls = [ToolCall(f"call-{number}", "add", ARGUMENTS) for number in range(MANY)]
        ways: dict[str, Way] = {
            "directly": directly(board),
            "directly, again": directly(board),
            "`board.run`, one batch": partial(board.run, calls),
            "`context.call`, from a tool": partial(board.call, "ask_often"),
            "a program without calls": program(board, "None"),
            **{f"a program, {how}": program(board, code) for how, code in NESTED.items()},
        }
        taken = await measure(ways, rounds=ROUNDS, warming=1, clock=time.monotonic_ns)
    figures = beyond(taken, "a program without calls").per(MANY)

    with capsys.disabled():
        print("\n\n" + figures.table(f"one of {MANY} calls", "directly"))
    for how in NESTED:
        assert figures.microseconds(f"a program, {how}") < 1000


async def add_after_a_while(a: int, b: int = 0, label: str | None = None) -> dict[str, Any]:
    """Add two numbers, as fast as a service nearby answers.

    Args:
        a: The first.
        b: The second.
        label: What to call the sum.
    """
    await asyncio.sleep(0.01)
    return {"sum": a + b, "label": label}


def message(calls: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """What a model says that makes these calls."""
    blocks = [
        {"type": "tool_use", "id": f"call-{number}", "name": name, "input": given}
        for number, (name, given) in enumerate(calls)
    ]
    return {"role": "assistant", "content": blocks}


def turns(board: Board, messages: list[dict[str, Any]]) -> Way:
    """What an agent does with the messages of a model that takes no time to write them."""

    async def answer() -> None:
        for each in messages:
            anthropic.results(await board.run(anthropic.calls(each, board)))

    return answer


def twenty(board: Board, name: str) -> dict[str, Way]:
    """Each way of having a model make twenty calls."""
    call = f"{name}(a=3, b=4, label='hello')"
    one_by_one = f"for _ in range({TWENTY}):\n    await {call}"
    at_once = f"import asyncio\nawait asyncio.gather(*({call} for _ in range({TWENTY})))"
    codes = {"one after the other": one_by_one, "at once": at_once}
    programs = {how: {"description": "Add.", "code": code} for how, code in codes.items()}
    return {
        "20 turns of one call": turns(board, [message([(name, ARGUMENTS)])] * TWENTY),
        "one turn of 20 calls": turns(board, [message([(name, ARGUMENTS)] * TWENTY)]),
        **{
            f"a program, 20 calls {how}": turns(board, [message([("run_code", each)])])
            for how, each in programs.items()
        },
    }


@pytest.mark.parametrize("body", [add, add_after_a_while])
async def test_a_program_with_twenty_calls_is_worth_it_once_a_turn_takes_milliseconds(
    body: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    async with a_board(tool(concurrency_safe=True)(body)) as board:
        ways = twenty(board, body.__name__)
        figures = await measure(
            ways, rounds=ROUNDS, warming=1, pause=SETTLED, clock=time.monotonic_ns
        )

    first, _, *programs = ways
    with capsys.disabled():
        title = f"20 calls of `{body.__name__}`"
        print("\n\n" + figures.per(1000).table(title, first, unit="ms"))
        for each in programs:
            more = figures.microseconds(each) - figures.microseconds(first)
            print(f"{each}: even once a turn takes {max(0, more / (TWENTY - 1) / 1000):.2f} ms")
    assert all(figures.microseconds(each) < 1_000_000 for each in programs)


def alone(sdk: str | None) -> Way:
    """A program in a process of Monty alone, checked where there are declarations."""

    def feed() -> Any:
        with (
            monty.Monty(min_processes=0, max_processes=1, max_checkouts_per_worker=1) as pool,
            pool.checkout(type_check=sdk is not None, type_check_stubs=sdk) as session,
        ):
            return session.feed_run("None")

    return lambda: asyncio.to_thread(feed)


@pytest.mark.parametrize("count", [1, 50, 200])
async def test_a_program_starts_within_the_time_that_a_model_takes_for_a_word(
    count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = plausible(count)
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(a_host(*tools, keep_warm=False))
        cold = await host.board("bench", presentation="code")
        warm = await stack.enter_async_context(a_board(*tools))
        ways: dict[str, Way] = {
            "Monty alone, unchecked": alone(None),
            "Monty alone, checked": alone(cold.sdk),
            "first of a new board": first(host),
            "no process ready": program(cold, "None"),
            "no process ready, type error": failing(cold),
            "a process ready": program(warm, "None"),
        }
        figures = await measure(
            ways, rounds=ROUNDS, warming=1, pause=SETTLED, clock=time.monotonic_ns
        )

    with capsys.disabled():
        title = f"a program, {count} tools"
        print("\n\n" + figures.per(1000).table(title, "Monty alone, unchecked", unit="ms"))
    assert figures.microseconds("a process ready") < 1_000_000


def first(host: Host) -> Way:
    """The first program of a board that is opened for it."""

    async def run() -> Any:
        async with host.board(presentation="code") as board:
            return await program(board, "None")()

    return run


def failing(board: Board) -> Way:
    """A program that the type checker refuses."""
    return partial(board.call, "run_code", {"description": "A benchmark.", "code": "1 + ''"})
