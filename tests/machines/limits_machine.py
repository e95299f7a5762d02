"""A machine that makes calls in every way under one rule, and counts for itself."""

import asyncio
from collections.abc import Coroutine
from contextlib import ExitStack
from typing import Any, TypeVar

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from pegboard import Board, Code, Config, Execution, Host, Outcome, RunContext, Signal, Tool, tool
from pegboard_limits import clock, limited
from pegboard_policies import made, turns

T = TypeVar("T")
BOARDS, TOOLS = ("b0", "b1"), ("one", "two")
FATES = (
    "held",
    "held",
    "passes",
    "fails",
    "refused",
    "answered",
    "invalid",
    "invalid",
    "cancelled",
)
RUNS = ("held", "passes", "fails")

boards, tools, fates = map(st.sampled_from, (BOARDS, TOOLS, FATES))
figures = st.fixed_dictionaries(
    {}, optional={"calls": st.integers(1, 4), "per_minute": st.integers(1, 2)}
)
owners = st.sampled_from([["board"], ["tool"], ["board", "tool"], []])


def _fit(_call: object, _field: object, fate: str) -> None:
    if fate == "invalid":
        raise ValueError


@attrs.frozen
class Plan:
    """How a call goes."""

    fate: str = attrs.field(validator=_fit)


@attrs.define(eq=False)
class Held:
    """A call whose body runs until the machine lets it go.

    Attributes:
        key: what it is counted with.
        signal: cancels it.
        let: lets its body end.
        sticks: whether its body goes on when it is cancelled.
        task: the call.
    """

    key: tuple[object, ...]
    signal: Signal = attrs.field(factory=Signal)
    let: asyncio.Event = attrs.field(factory=asyncio.Event)
    sticks: bool = False
    task: "asyncio.Future[Outcome] | None" = None


class LimitsMachine(RuleBasedStateMachine):
    """Keeps what has begun and what runs, and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = ExitStack()
        self.clock = self.stack.enter_context(clock())
        self.said: dict[str, Any] = {}
        self.lives: dict[str, int] = dict.fromkeys(BOARDS, 0)
        self.boards: dict[str, Board] = {}
        self.begun: list[tuple[tuple[object, ...], float]] = []
        self.held: dict[str, Held] = {}
        self.waiting: Held | None = None
        self.started: list[str] = []
        self.made = 0

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    @initialize(said=figures, running=st.none() | st.integers(1, 2), per=owners)
    def open(self, said: dict[str, Any], running: int | None, per: list[str]) -> None:
        """Open a host with a rule."""
        self.said = {"per": per, **said}
        if running is not None or not said:
            self.said["running"] = running or 1
        self.host = Host(self._config(), discover=False)
        self._do(self._opened())

    def _config(self) -> Config:
        return limited(self.said, stop_grace=0.01)

    async def _opened(self) -> None:
        await self.host.open()
        for name in TOOLS:
            self.host.register(self._tool(name))
        self.host.guard(self._guard)
        self.host.hook(around_call=self._around)
        self.boards = {name: await self.host.board(name) for name in BOARDS}

    def _tool(self, name: str) -> Tool:
        @tool(name=name, output=None)
        async def body(plan: Plan, context: RunContext) -> str:
            """Run as planned."""
            self.started.append(context.call_id)
            if plan.fate == "fails":
                raise ValueError(plan.fate)
            held = self.held.get(context.call_id)
            while held is not None and not held.let.is_set():
                try:
                    await held.let.wait()
                except asyncio.CancelledError:
                    if not held.sticks:
                        raise
            return name

        return body

    def _guard(self, execution: Execution) -> str | None:
        return "no" if execution.arguments["plan"]["fate"] == "refused" else None

    async def _around(self, execution: Execution, call_next: Any) -> Outcome:
        fate = execution.arguments["plan"]["fate"]
        if fate == "answered":
            return made(execution, "mine")
        front = Signal()
        if fate == "cancelled":
            front.cancel()
        outcome: Outcome = await call_next(signal=front)
        return outcome

    def _key(self, board: str, name: str) -> tuple[object, ...]:
        per = self.said["per"]
        life = (board, self.lives[board]) if "board" in per else None
        return life, name if "tool" in per else None

    def _is_over(self, key: tuple[object, ...]) -> bool:
        times = [at for each, at in self.begun if each == key]
        recent = [at for at in times if at > self.clock.now - 60]
        most, often = self.said.get("calls"), self.said.get("per_minute")
        return (most is not None and len(times) >= most) or (
            often is not None and len(recent) >= often
        )

    def _is_crowded(self, key: tuple[object, ...]) -> bool:
        most = self.said.get("running")
        return most is not None and sum(each.key == key for each in self.held.values()) >= most

    def _expected(self, key: tuple[object, ...], fate: str) -> str:
        """How a call ends, or `runs` for one that doesn't."""
        if self._is_over(key):
            return "denied"
        early = {"refused": "denied", "answered": "ok", "cancelled": "aborted_before_start"}
        if fate in early:
            return early[fate]
        if self._is_crowded(key):
            return "denied"
        ends = {"held": "runs", "passes": "ok", "fails": "crashed", "invalid": "invalid_arguments"}
        return ends[fate]

    @rule(board=boards, name=tools, fate=fates)
    def call_too(self, board: str, name: str, fate: str) -> None:
        """Make a call, twice as often as something else."""
        self.call(board, name, fate)

    @rule(board=boards, name=tools, fate=fates)
    def call(self, board: str, name: str, fate: str) -> None:
        """Make a call."""
        key = self._key(board, name)
        expected = self._expected(key, fate)
        self.made += 1
        call_id = f"call-{self.made}"
        found = self._do(self._called(self.boards[board], name, fate, call_id, key))
        assert found == expected, (found, expected)
        runs = expected in ("runs", "ok", "crashed") and fate in RUNS
        assert (call_id in self.started) is runs
        if runs:
            self.begun.append((key, self.clock.now))

    async def _called(
        self, board: Board, name: str, fate: str, call_id: str, key: tuple[object, ...]
    ) -> str:
        held = Held(key)
        if fate == "held":
            self.held[call_id] = held
        making = board.call(name, {"plan": {"fate": fate}}, id=call_id, signal=held.signal)
        held.task = asyncio.ensure_future(making)
        await turns(60)
        if not held.task.done():
            return "runs"
        self.held.pop(call_id, None)
        return str(getattr(held.task.result(), "code", "ok"))

    @precondition(lambda self: self.held)
    @rule(data=st.data(), how=st.sampled_from(["ends", "stops", "sticks"]))
    def end_any(self, data: st.DataObject, how: str) -> None:
        """Let a body end, cancel it, or let it be cancelled and go on."""
        self.end(data.draw(st.sampled_from(sorted(self.held))), how)

    def end(self, call_id: str, how: str) -> None:
        """The same for one call."""
        held = self.held[call_id]
        held.sticks = held.sticks or how == "sticks"
        self._do(self._ended(held, how))
        if held.let.is_set() or not held.sticks:
            del self.held[call_id]

    async def _ended(self, held: Held, how: str) -> None:
        assert held.task is not None
        if how == "ends" or held.task.done():
            held.let.set()
        else:
            held.signal.cancel()
        outcome = await held.task
        await turns(10)
        assert not outcome.is_error or getattr(outcome, "code", "") == Code.ABORTED

    @rule(seconds=st.sampled_from([1.0, 30.0, 59.0, 59.5, 60.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.now += seconds

    @rule(said=figures, what=st.sampled_from(["figures", "plugin", "b0", "b1", "b0", "b1"]))
    def upset(self, said: dict[str, Any], what: str) -> None:
        """Change the figures, exchange the plugin, or make a board again; no call is stopped."""
        if what in BOARDS:
            mine = (what, self.lives[what])
            if not any(each.key[0] in (mine, None) for each in self.held.values()):
                self._do(self._reopened(what))
                self.lives[what] += 1
        elif what == "plugin" and all(each.sticks for each in self.held.values()):
            self._do(self.host.reload("limits", grace=0))
        elif what == "figures" and not self.held:
            self.said |= {key: each for key, each in said.items() if key in self.said}
            report = self._do(self.host.sync(self._config()))
            assert report.failed == (), self.host.plugins["limits"].error

    async def _reopened(self, board: str) -> None:
        await self.boards[board].close()
        self.boards[board] = await self.host.board(board)

    def teardown(self) -> None:
        """Let everything end."""
        with self.stack, self.runner:
            self._do(self._closed())

    async def _closed(self) -> None:
        for each in self.held.values():
            each.let.set()
        await asyncio.gather(*(each.task for each in self.held.values() if each.task))
        await self.host.close()
