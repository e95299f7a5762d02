"""The calls of a program keep the order and the rules of a batch."""

import asyncio
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import (
    JSON,
    Code,
    CodeConfig,
    Config,
    Execution,
    Outcome,
    RunContext,
    ToolCall,
    ToolCallError,
    ToolConfig,
    ToolError,
)
from pegboard_batches import Gated
from pegboard_cases import raw
from pegboard_policies import kind, succeeded, turns
from pegboard_programs import Inside, asked, coded, running


def making(*names: str, **arguments: JSON) -> Any:
    """A program that makes these calls at once, and awaits them."""

    async def body(it: Inside) -> JSON:
        return [await each for each in [it.make(name, **arguments) for name in names]]

    return body


def p(*numbers: int) -> list[str]:
    """The ids of calls of the program."""
    return [f"p:code:{each}" for each in numbers]


async def test_an_exclusive_call_waits_for_those_before_it_and_holds_back_the_rest() -> None:
    gated = Gated()
    body = making("free", "alone", "free")
    async with coded(body, gated.free(), gated.tool("alone")) as (_, board):
        program = asyncio.create_task(running(board))
        for number in (1, 2, 3):
            await gated.started(*p(number))
            await turns(20)
            assert gated.running == set(p(number))
            gated.let(*p(number))
        succeeded(await program)


async def test_calls_with_one_key_come_one_after_the_other() -> None:
    gated = Gated()
    async with coded(making("keyed", "keyed", key="k"), gated.keyed()) as (_, board):
        program = asyncio.create_task(running(board))
        await gated.started(*p(1))
        await turns(20)
        assert gated.running == set(p(1))
        gated.let(*p(1, 2))
        succeeded(await program)


@pytest.mark.parametrize("said", ["configuration", "run", "both"])
async def test_no_more_bodies_run_at_once_than_the_configuration_and_the_batch_say(
    said: str,
) -> None:
    gated = Gated()
    configured = 2 if said == "configuration" else 3
    config = Config(code=CodeConfig(max_parallel=configured))
    async with coded(making(*["free"] * 5), gated.free(), config=config) as (_, board):
        asked_for = {} if said == "configuration" else {"max_parallel": 2}
        program = asyncio.create_task(board.run([asked()], **asked_for))
        await gated.started(*p(1, 2))
        await turns(20)
        at_once = len(gated.running)
        gated.let(*p(1, 2, 3, 4, 5))
        (outcome,) = await program

    assert at_once == 2
    assert succeeded(outcome).value["result"] == p(1, 2, 3, 4, 5)


async def test_a_batch_that_allows_more_does_not_widen_what_the_configuration_says() -> None:
    gated = Gated()
    config = Config(code=CodeConfig(max_parallel=1))
    async with coded(making("free", "free"), gated.free(), config=config) as (_, board):
        program = asyncio.create_task(board.run([asked()], max_parallel=7))
        await gated.started(*p(1))
        await turns(20)
        assert gated.running == set(p(1))
        gated.let(*p(1, 2))
        await program


async def test_in_a_batch_a_program_runs_alone_unless_the_operator_says_otherwise() -> None:
    gated = Gated()
    free = gated.free()
    body = making("free")
    calls = [ToolCall("1", "free"), asked(), ToolCall("3", "free")]
    async with coded(body, free, presentation="both") as (_, board):
        batch = asyncio.create_task(board.run(calls))
        await gated.started("1")
        await turns(20)
        assert gated.running == {"1"}
        gated.let("1")
        await gated.started(*p(1))
        await turns(20)
        assert gated.running == set(p(1))
        gated.let(*p(1), "3")
        assert [kind(each) for each in await batch] == ["ok"] * 3


async def test_an_operator_may_let_programs_overlap() -> None:
    gated = Gated()
    config = Config(tools={"run_code": ToolConfig(concurrency_safe=True)})
    async with coded(making("free"), gated.free(), config=config) as (_, board):
        batch = asyncio.create_task(board.run([asked("p"), asked("q")]))
        await gated.started("p:code:1", "q:code:1")
        gated.let("p:code:1", "q:code:1")
        outcomes = await batch

    assert [succeeded(each).value["result"] for each in outcomes] == [["p:code:1"], ["q:code:1"]]


async def test_an_operator_may_say_how_many_programs_run_at_once_on_all_boards() -> None:
    gated = Gated()
    config = Config(tools={"run_code": ToolConfig(max_running=1)})
    async with coded(making("free"), gated.free(), config=config) as (host, board):
        other = await host.board("other", presentation="both")
        programs = [asyncio.create_task(running(board)), asyncio.create_task(running(other, "q"))]
        await gated.started("p:code:1")
        await turns(20)
        assert gated.running == {"p:code:1"}
        gated.let("p:code:1", "q:code:1")
        assert [kind(each) for each in await asyncio.gather(*programs)] == ["ok", "ok"]


async def test_a_program_reads_values_in_any_order_though_they_come_in_that_of_the_calls() -> None:
    got: list[JSON] = []

    async def body(it: Inside) -> None:
        async def read(made: Any) -> None:
            got.append(await made)

        await asyncio.gather(*(read(it.make("free")) for _ in range(3)))

    gated = Gated()
    async with coded(body, gated.free()) as (_, board):
        program = asyncio.create_task(running(board))
        await gated.started(*p(1, 2, 3))
        gated.let(*p(3, 2))
        await turns(20)
        assert got == []
        gated.let(*p(1))
        await program

    assert got == p(1, 2, 3)


@attrs.frozen
class Move:
    """One call that a program makes.

    Attributes:
        tool: whether it may overlap: `alone`, `free`, or `keyed` with a key.
        turns: how many turns of the loop its body takes.
        fails: whether it fails.
        is_awaited: whether the program awaits it before the next.
    """

    tool: str
    turns: int
    fails: bool
    is_awaited: bool


MOVES = st.builds(
    Move,
    st.sampled_from(["alone", "free", "keyed a", "keyed b"]),
    st.integers(0, 4),
    st.booleans(),
    st.booleans(),
)


@attrs.define
class Log:
    """What happens to the calls of one run, in order, by their numbers.

    Attributes:
        happened: what happened, with the number of the call.
    """

    happened: list[tuple[str, int]] = attrs.field(factory=list)

    async def body(self, arguments: JSON, context: RunContext) -> int:
        """Take so many turns, and leave a context."""
        number = arguments["number"]
        self.happened.append(("start", number))
        context.defer(number)
        await turns(arguments["turns"])
        self.happened.append(("stop", number))
        if arguments["fails"]:
            raise ToolError(f"no {number}")
        return int(number)

    def tools(self) -> list[Any]:
        """The tools of the moves."""
        free = raw(self.body, name="free", concurrency_safe=True, extra="keep")
        by_key = {"concurrency_safe": lambda arguments: arguments["key"], "extra": "keep"}
        keyed = raw(self.body, name="keyed", **by_key)
        return [raw(self.body, name="alone", extra="keep"), free, keyed]

    def hooks(self) -> dict[str, Any]:
        """Hooks that note each call but that of the program."""

        def noted(word: str) -> Any:
            def hook(execution: Execution) -> None:
                if execution.tool != "run_code":
                    self.happened.append((word, execution.arguments["number"]))

            return hook

        return {f"{each}_call": noted(each) for each in ("before", "after")} | {
            "call_finished": noted("finished")
        }

    def only(self, *words: str) -> list[tuple[str, int]]:
        """What happened of these kinds."""
        return [each for each in self.happened if each[0] in words]

    def overlapping(self) -> set[tuple[int, int]]:
        """The pairs of calls whose bodies ran at the same time."""
        going_on: set[int] = set()
        pairs: set[tuple[int, int]] = set()
        for word, number in self.only("start", "stop"):
            if word == "start":
                pairs |= {(each, number) for each in going_on}
                going_on.add(number)
            else:
                going_on.discard(number)
        return pairs


def call_of(number: int, move: Move) -> tuple[str, dict[str, JSON]]:
    """The name and the arguments of a move."""
    name, _, key = move.tool.partition(" ")
    arguments: dict[str, JSON] = {"number": number, "turns": move.turns, "fails": move.fails}
    return name, arguments | ({"key": key} if key else {})


async def in_a_program(moves: list[Move], most: int) -> tuple[Log, Outcome]:
    """What happens where a program makes these calls."""
    log = Log()

    async def body(it: Inside) -> JSON:
        made = []
        for number, move in enumerate(moves):
            name, arguments = call_of(number, move)
            made.append(it.dispatch(name, arguments))
            if move.is_awaited:
                await asyncio.wait([asyncio.ensure_future(made[-1])])
        given = await asyncio.gather(*made, return_exceptions=True)
        return [str(each) if isinstance(each, ToolCallError) else each for each in given]

    config = Config(code=CodeConfig(max_parallel=most))
    async with coded(body, *log.tools(), config=config) as (host, board):
        host.hook(**log.hooks())
        outcome = await running(board)
        assert host.running == ()
    return log, outcome


async def in_batches(moves: list[Move], most: int) -> tuple[Log, list[Outcome]]:
    """The same for a batch; one for all calls up to each that is awaited."""
    log, outcomes = Log(), []
    async with coded(making(), *log.tools(), presentation="native") as (host, board):
        host.hook(**log.hooks())
        calls: list[ToolCall] = []
        for number, move in enumerate(moves):
            name, arguments = call_of(number, move)
            calls.append(ToolCall(f"p:code:{number + 1}", name, arguments))
            if move.is_awaited or number == len(moves) - 1:
                outcomes += await board.run(calls, max_parallel=most)
                calls = []
    return log, outcomes


@given(moves=st.lists(MOVES, max_size=8), most=st.integers(1, 4))
async def test_what_a_program_calls_happens_as_it_does_in_batches(
    moves: list[Move], most: int
) -> None:
    log, outcome = await in_a_program(moves, most)
    batched, outcomes = await in_batches(moves, most)

    for word in ("before", "after", "finished"):
        assert log.only(word) == batched.only(word)
    assert log.overlapping() == batched.overlapping()
    assert list(outcome.contexts) == [each for one in outcomes for each in one.contexts]
    wanted = [getattr(each, "message", None) or each.unwrap() for each in outcomes]
    assert succeeded(outcome).value["result"] == wanted


@given(moves=st.lists(MOVES, min_size=1, max_size=8), most=st.integers(1, 4), stop=st.data())
async def test_a_program_that_ends_at_any_time_leaves_each_of_its_calls_one_outcome(
    moves: list[Move], most: int, stop: st.DataObject
) -> None:
    after, log, kinds = stop.draw(st.integers(0, 30)), Log(), {}

    async def body(it: Inside) -> None:
        for number, move in enumerate(moves):
            name, arguments = call_of(number, move)
            it.dispatch(name, arguments)
        await turns(after)

    def note(execution: Execution, outcome: Outcome) -> None:
        assert execution.call_id not in kinds
        kinds[execution.call_id] = kind(outcome)

    config = Config(code=CodeConfig(max_parallel=most))
    async with coded(body, *log.tools(), config=config) as (host, board):
        host.hook(call_finished=note, before_call=log.hooks()["before_call"])
        succeeded(await running(board))
        assert host.running == ()

    assert list(kinds) == [*p(*range(1, len(moves) + 1)), "p"]
    started = {number for _, number in log.only("start")}
    never = {f"p:code:{each + 1}" for each in range(len(moves))} - {p(n + 1)[0] for n in started}
    assert {kinds[each] for each in never} <= {str(Code.ABORTED_BEFORE_START)}
    assert set(kinds.values()) <= {"ok", "tool_error", "aborted", "aborted_before_start"}
