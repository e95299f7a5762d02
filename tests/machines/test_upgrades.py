"""A plugin is upgraded again and again under load: no call is lost, none runs code of two versions.

`PEGBOARD_SOAK` says for how many seconds, 4 unless given; `-s` shows the figures.
"""

import asyncio
import contextlib
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles
from typing import Any

import attrs
import pytest
from pegboard import (
    Board,
    Config,
    Execution,
    Failure,
    Host,
    Outcome,
    PluginLoadError,
    Signal,
    Timing,
    ToolCall,
)
from pegboard.plugins import upgrading
from pegboard_versions import Versions, versions_at

CALLERS = int(os.environ.get("PEGBOARD_CALLERS", "200"))
SECONDS = float(os.environ.get("PEGBOARD_SOAK", "4"))
SLOW = """
import random
import time

@tool
async def slow() -> list[int]:
    "Give the versions that it sees before and after a pause."
    before = seen()
    await asyncio.sleep(random.random() / 50)
    from gauge.later import V as later
    return [*before, *seen(), later]

@tool
def threaded() -> list[int]:
    "The same in a thread."
    before = seen()
    time.sleep(random.random() / 200)
    from gauge.later import V as later
    return [*before, *seen(), later]

@tool
async def twice(context: RunContext) -> list[int]:
    "The same of itself and of a call inside."
    outcome = await context.call("slow")
    return [*seen(), *(outcome.value if not outcome.is_error else [])]
"""
OTHER = """
import asyncio
from pegboard import tool

@tool(concurrency_safe=True)
async def other() -> int:
    "Answer."
    await asyncio.sleep(0)
    return 7
"""
OURS = ("slow", "threaded", "twice", "version")


@attrs.define
class Seen:
    """What has happened.

    Attributes:
        codes: how many outcomes of each code, by tool.
        finished: by the id of a call, how often the observer was told of it; less one once it
            has its outcome.
        wrong: what should not have happened.
        waited: seconds that the call took which waited longest.
        drains: seconds that each drain took.
        cycles: how many upgrades there were.
    """

    codes: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    finished: Counter[str] = attrs.field(factory=Counter)
    wrong: list[str] = attrs.field(factory=list)
    waited: float = 0.0
    drains: list[float] = attrs.field(factory=list)
    cycles: Counter[str] = attrs.field(factory=Counter)

    def observe(self, execution: Execution, timing: Timing) -> None:
        """Count a call that has ended."""
        if execution.parent_call_id is None:
            self.finished[execution.call_id] += 1
        self.waited = max(self.waited, timing.waited)

    def take(self, call: ToolCall, outcome: Outcome, *, is_stopped: bool = False) -> None:
        """Check one outcome."""
        code = str(outcome.code) if isinstance(outcome, Failure) else "ok"
        self.codes[call.name, code] += 1
        if (outcome.call_id, outcome.tool) != (call.id, call.name):
            self.wrong.append(f"{call} got the outcome of {outcome.call_id} {outcome.tool}")
        self.finished[call.id] -= 1
        fine = {"ok", "unknown_tool"} | (
            {"aborted", "aborted_before_start"} if is_stopped else set()
        )
        if code not in (fine if call.name in OURS else {"ok"}):
            self.wrong.append(f"{call} ended in {outcome}")
        value = outcome.value if not isinstance(outcome, Failure) else None
        if call.name in OURS and value and len(set(value)) != 1:
            self.wrong.append(f"{call} ran code of {value}")


async def caller(number: int, board: Board, seen: Seen, until: float) -> None:
    """Make calls and batches, one after the other."""
    count = 0
    while time.monotonic() < until:
        count += 1
        calls = [
            ToolCall(f"{number}-{count}-{each}", random.choice([*OURS, "other"]))
            for each in range(random.choice([1, 1, 1, 3]))
        ]
        signal = Signal() if random.random() < 0.05 else None
        if signal is not None:
            asyncio.get_running_loop().call_later(random.random() / 20, signal.cancel)
            calls = [each for each in calls if each.name != "other"]
        for call, outcome in zip(calls, await board.run(calls, signal=signal), strict=True):
            seen.take(call, outcome, is_stopped=signal is not None)


async def upgrader(host: Host, versions: Versions, seen: Seen, until: float) -> None:
    """Install one version after the other, and have each of them run."""
    version = 1
    while time.monotonic() < until:
        version += 1
        way = random.choice(["reload", "reload", "sync", "anew", "broken"])
        versions.install(version, more=SLOW if way != "broken" else "raise OSError('no disk')")
        if way == "anew":
            await host.unload("gauge")
            await host.load("gauge")
        elif way == "sync":
            await host.sync()
        else:
            with (
                contextlib.suppress(PluginLoadError)
                if way == "broken"
                else contextlib.nullcontext()
            ):
                await host.reload("gauge")
        seen.cycles[way] += 1


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution, and another one."""
    with versions_at(tmp_path) as versions:
        versions.install(1, more=SLOW)
        versions.site.install("other", entry_points={"other": "other"}, files={"other.py": OTHER})
        yield versions


async def loaded(versions: Versions, seen: Seen) -> None:
    """Put a host under load while a plugin is upgraded."""
    async with Host(Config(only=["gauge", "other"], max_threads=4)) as host:
        host.hook(call_finished=seen.observe)
        boards = [await host.board(name) for name in ("a", "b")]
        until = time.monotonic() + SECONDS
        callers = [caller(n, boards[n % 2], seen, until) for n in range(CALLERS)]
        await asyncio.gather(*callers, upgrader(host, versions, seen, until))
        assert (host.running, host.plugins["other"].generation) == ((), 1)


def test_upgrades_under_load_lose_no_call_and_mix_none(
    versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, drain = Seen(), upgrading.drain

    async def timed(*given: Any, **options: Any) -> Any:
        began = time.monotonic()
        drained = await drain(*given, **options)
        seen.drains.append(time.monotonic() - began)
        return drained

    monkeypatch.setattr(upgrading, "drain", timed)
    asyncio.run(loaded(versions, seen))
    sys.stdout.write(figures(seen))

    assert (seen.wrong[:5], set(seen.finished.values())) == ([], {0})
    assert seen.cycles.total() > 0


def figures(seen: Seen) -> str:
    """What happened, for people."""
    total = seen.codes.total()
    lines = [f"{total} calls of {CALLERS} callers in {SECONDS:g} s, {dict(seen.cycles)} cycles"]
    if len(seen.drains) > 1:
        cuts = [1000 * each for each in quantiles(seen.drains, n=100, method="inclusive")]
        lines.append(f"drains: p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms")
    lines.append(f"longest wait of a call: {seen.waited:.2f} s")
    lines.append(str(dict(sorted(seen.codes.items()))))
    return "\n".join(["", *lines, ""])
