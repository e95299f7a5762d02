"""What the tests of batches share: bodies that a test lets go one by one."""

import asyncio
from collections.abc import Iterable
from typing import Any

import attrs
from pegboard import JSON, Ask, RunContext, Tool, ToolCall
from pegboard_cases import raw
from pegboard_policies import until


@attrs.define
class Gated:
    """Tools whose bodies note that they start, wait to be let go, and note that they end.

    Attributes:
        log: `+id` for each body that started, `-id` for each that ended.
        gates: lets the body of a call go.
        is_open: whether bodies wait for nobody.
    """

    log: list[str] = attrs.field(factory=list)
    gates: dict[str, asyncio.Event] = attrs.field(factory=dict)
    is_open: bool = False

    async def run(self, arguments: JSON, context: RunContext) -> str:
        """Wait at the gate of the call."""
        call_id = context.call_id
        self.log.append(f"+{call_id}")
        try:
            if not self.is_open:
                await self.gate(call_id).wait()
        finally:
            self.log.append(f"-{call_id}")
        return call_id

    def gate(self, call_id: str) -> asyncio.Event:
        """What lets the body of a call go."""
        return self.gates.setdefault(call_id, asyncio.Event())

    def let(self, *call_ids: str) -> None:
        """Let bodies go, now or when they come."""
        for call_id in call_ids:
            self.gate(call_id).set()

    async def started(self, *call_ids: str) -> None:
        """Wait until the bodies of these calls have started."""
        await until(lambda: all(f"+{each}" in self.log for each in call_ids))

    @property
    def running(self) -> set[str]:
        """The calls whose bodies have started and not ended."""
        begun = {each[1:] for each in self.log if each[0] == "+"}
        return begun - {each[1:] for each in self.log if each[0] == "-"}

    def tool(self, name: str = "body", **options: Any) -> Tool:
        """A tool with such a body."""
        return raw(self.run, name=name, **options)

    def free(self, name: str = "free", **options: Any) -> Tool:
        """One whose calls may overlap."""
        return self.tool(name, concurrency_safe=True, **options)

    def keyed(self, name: str = "keyed", **options: Any) -> Tool:
        """One whose calls with the same `key` don't overlap each other."""
        shares = {"concurrency_safe": lambda arguments: arguments["key"], "extra": "keep"}
        return self.tool(name, **shares, **options)


def ask() -> Ask:
    """A before hook by which somebody has to be asked."""
    return Ask()


def calls(names: str, *, tool: str = "free") -> list[ToolCall]:
    """A call of one tool for each letter, which is its id."""
    return [ToolCall(each, tool) for each in names]


def keyed(*pairs: str) -> list[ToolCall]:
    """Calls of `keyed`: `1a` has the id `1` and the key `a`."""
    return [ToolCall(each[0], "keyed", {"key": each[1:]}) for each in pairs]


def ids(outcomes: Iterable[Any]) -> str:
    """The ids of outcomes, in their order."""
    return "".join(each.call_id for each in outcomes)
