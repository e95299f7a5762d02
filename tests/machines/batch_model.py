"""How the calls of a batch go by plan, and what happens while they do."""

import asyncio
from typing import Any

import attrs
from hypothesis import strategies as st
from pegboard import (
    ApprovalRequest,
    Ask,
    Decision,
    Deny,
    Execution,
    Host,
    RunContext,
    Tool,
)
from pegboard_cases import raw

EXCLUSIVE, SHARED = "exclusive", "shared"


@attrs.frozen
class Plan:
    """How one call goes.

    Attributes:
        manner: `exclusive`, `shared`, or its key.
        before: how often its before hook suspends.
        body: how often its body does; None for one that fails after one step.
        after: how often its after hook does.
        policy: `allow`, `deny`, or the answer to a question.
        asked: how often who is asked suspends.
    """

    manner: str
    before: int = 0
    body: int | None = 0
    after: int = 0
    policy: str = "allow"
    asked: int = 0

    @property
    def runs(self) -> bool:
        """Whether its body runs."""
        return self.policy in {"allow", "once"}

    @property
    def code(self) -> str:
        """How it ends."""
        if not self.runs:
            return "denied"
        return "crashed" if self.body is None else "ok"

    def overlaps(self, other: "Plan") -> bool:
        """Whether the two may run at once."""
        if EXCLUSIVE in {self.manner, other.manner}:
            return False
        return SHARED in {self.manner, other.manner} or self.manner != other.manner


turns = st.integers(0, 6)
manners = st.one_of(st.just(EXCLUSIVE), st.sampled_from([SHARED, "a", "b"]))
policies = st.sampled_from(["allow"] * 5 + ["deny", "once", "rejected"])
plans = st.builds(
    Plan, manners, turns, st.one_of(turns, st.integers(0, 30), st.none()), turns, policies, turns
)


@attrs.define
class Running:
    """What happens while a batch runs.

    Attributes:
        plans: of the calls, by their ids.
        log: what happened, in order.
        now: the ids of the calls whose bodies run.
        peak: how many bodies ran at once, at most.
        broken: the pairs of calls that overlapped and must not.
    """

    plans: dict[str, Plan]
    log: list[tuple[str, str]] = attrs.field(factory=list)
    now: list[str] = attrs.field(factory=list)
    peak: int = 0
    broken: list[tuple[str, str]] = attrs.field(factory=list)

    def note(self, word: str, call_id: str) -> None:
        """Note what happened."""
        self.log.append((word, call_id))

    def order(self, word: str) -> list[str]:
        """The calls to which this happened, in order."""
        return [call_id for each, call_id in self.log if each == word]

    def safe(self, arguments: Any) -> bool | str:
        """Answer whether a call may overlap others."""
        manner = self.plans[arguments["id"]].manner
        return {EXCLUSIVE: False, SHARED: True}.get(manner, manner)

    async def body(self, arguments: Any, context: RunContext) -> str:
        """Run for as long as planned."""
        mine = context.call_id
        plan = self.plans[mine]
        self.broken += [(each, mine) for each in self.now if not self.plans[each].overlaps(plan)]
        self.note("start", mine)
        self.now.append(mine)
        self.peak = max(self.peak, len(self.now))
        context.defer(mine)
        try:
            await suspend(1 if plan.body is None else plan.body)
            if plan.body is None:
                raise ValueError("kettle")
        finally:
            self.now.remove(mine)
            self.note("end", mine)
        return mine

    async def before(self, execution: Execution) -> Decision | None:
        """Decide as planned."""
        plan = self.plans[execution.call_id]
        self.note("before", execution.call_id)
        await suspend(plan.before)
        self.note("decided", execution.call_id)
        if plan.policy == "allow":
            return None
        return Deny("no") if plan.policy == "deny" else Ask("sure?")

    async def approve(self, request: ApprovalRequest) -> str:
        """Answer as planned."""
        plan = self.plans[request.call_id]
        await suspend(plan.asked)
        return plan.policy

    async def after(self, execution: Execution) -> None:
        """Take some time."""
        self.note("after", execution.call_id)
        await suspend(self.plans[execution.call_id].after)
        self.note("judged", execution.call_id)

    def finished(self, execution: Execution) -> None:
        """Note the end."""
        self.note("finished", execution.call_id)

    def tool(self) -> Tool:
        """The tool of all calls."""
        return raw(self.body, extra="keep", concurrency_safe=self.safe)

    def watch(self, host: Host) -> None:
        """Have its hooks heard."""
        host.register(self.tool())
        host.hook(before_call=self.before, approve=self.approve)
        host.hook(after_call=self.after, call_finished=self.finished)


async def suspend(times: int) -> None:
    """Let others go on that often."""
    for _ in range(times):
        await asyncio.sleep(0)


def planned(plans: list[Plan]) -> Running:
    """What is to happen to calls with these plans."""
    return Running({f"c{number}": plan for number, plan in enumerate(plans)})
