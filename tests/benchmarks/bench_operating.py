"""What operating a host from another process takes, and what it costs those who call."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import attrs
import pytest
from operated_host import Ended
from pegboard import Config, Execution, Host, Outcome, Timing, tool
from pegboard.control import connect
from pegboard_operated import Operated, Place, Seen, Told, place_to_operate
from side_by_side import Way, measure

TIMES = int(os.environ.get("PEGBOARD_TIMES", "20"))
LIMIT = 0.1
"""Seconds after the answer within which an action must hold."""

BEHIND = 0.3
"""Seconds for which calls are watched after each action."""

PAUSES = {"1,600 calls a second": 0.3, "as many calls as there can be": 0.05}


@attrs.frozen
class Done:
    """Something that was done to a host.

    Attributes:
        told: what the host has answered, and when.
        until: when something else was done.
        is_old: whether a call is as before.
    """

    told: Told
    until: float
    is_old: Callable[[Ended], bool]

    def effect(self, calls: list[Ended], since: float) -> float:
        """How long after a moment a call was as before; 0 where none was."""
        old = [each for each in calls if self.is_old(each)]
        times = [each.ended if is_wild(each) else each.begun for each in old]
        return max([at for at in times if since < at < self.until], default=since) - since


@attrs.define
class Acts:
    """What is done to a host, by the name of the action."""

    host: Operated
    done: dict[str, list[Done]] = attrs.field(factory=dict)

    async def act(
        self, what: str, is_old: Callable[[Ended], bool], method: str, **params: Any
    ) -> None:
        """Do one thing, and let the host call for a while."""
        told = await self.host.ask(method, **params)
        await asyncio.sleep(BEHIND)
        self.done.setdefault(what, []).append(Done(told, time.monotonic(), is_old))


def fails(name: str) -> Callable[[Ended], bool]:
    """Whether a call of a tool has failed."""
    return lambda call: call.tool == name and call.code != "ok"


def runs(name: str) -> Callable[[Ended], bool]:
    """Whether a call of a tool has succeeded."""
    return lambda call: call.tool == name and call.code == "ok"


def is_before(version: int) -> Callable[[Ended], bool]:
    """Whether a call has run code of another version."""
    return lambda call: call.version is not None and call.version != version


def is_wild(call: Ended) -> bool:
    """Whether a call was cancelled."""
    return call.code.startswith("aborted")


async def one_round(place: Place, acts: Acts, number: int) -> None:
    """Do each thing once, and take it back."""
    await acts.act("unload", runs("forecast"), "unload", name="weather", grace=1)
    await acts.act("load", fails("forecast"), "load", name="weather")
    await acts.act("unload --block", runs("digest"), "unload", name="crunch", block=True, grace=1)
    await acts.act("load what was blocked", fails("digest"), "load", name="crunch")
    await acts.act("deny everywhere", runs("send_mail"), "deny", selectors=["send_mail"])
    await acts.act("allow everywhere", fails("send_mail"), "allow", selectors=["send_mail"])
    await acts.act("cancel a board", is_wild, "cancel", board="team-05")
    place.configure(keys='deny = ["read_mail"]\n')
    await acts.act("sync a file that denies", runs("read_mail"), "sync")
    place.configure()
    await acts.act("sync a file that allows", fails("read_mail"), "sync")
    place.install(2 * number)
    await acts.act("reload an upgrade", is_before(2 * number), "reload", name="gauge")
    place.install(2 * number + 1)
    await acts.act("sync an upgrade", is_before(2 * number + 1), "sync")


@pytest.mark.parametrize("pause", PAUSES.values(), ids=PAUSES)
def test_what_is_done_holds_soon_after_its_answer(
    pause: float, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_to_operate() as place, place.started(pause=pause) as host:
        acts, seen = asyncio.run(operated(place, host))

    calls = seen.journal.calls
    rate = len(calls) / (calls[-1].ended - calls[0].ended)
    with capsys.disabled():
        print(f"\n\n| {rate:.0f} calls/s on 500 boards: ms until | the answer | p99 | most", end="")
        print(" | the effect | p99 | most | after the answer, most |\n|---|" + 7 * "---:|")
        for name, done in acts.done.items():
            answers = spread(each.told.answered - each.told.asked for each in done)
            effects = spread(each.effect(calls, each.told.asked) for each in done)
            print(f"| {name} | {answers} | {effects} | {1000 * lateness(done, calls):.2f} |")
    late = [name for name, done in acts.done.items() if lateness(done, calls) > LIMIT]
    assert (late, seen.lost) == ([], [])


async def operated(place: Place, host: Operated) -> tuple[Acts, Seen]:
    """What was done to a host, and what its calls tell."""
    acts = Acts(host)
    for number in range(1, TIMES + 1):
        await one_round(place, acts, number)
    return acts, await host.end()


def lateness(done: list[Done], calls: list[Ended]) -> float:
    """How long after its answer an action still didn't hold, at most."""
    return max(each.effect(calls, each.told.answered) for each in done)


def spread(seconds: Iterable[float]) -> str:
    """Milliseconds: median, 99th percentile, most."""
    values = [1000 * each for each in seconds]
    cuts = quantiles(values, n=100, method="inclusive")
    return " | ".join(f"{each:.2f}" for each in (cuts[49], cuts[98], max(values)))


ECHO = """
import asyncio, sys
async def echo(reader, writer):
    while line := await reader.readline():
        writer.write(line)
        await writer.drain()
async def main():
    server = await asyncio.start_unix_server(echo, sys.argv[1])
    print("ready", flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextmanager
def echoing(path: Path) -> Iterator[None]:
    """A process that sends each line back at a Unix socket."""
    with subprocess.Popen(
        [sys.executable, "-c", ECHO, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()


@asynccontextmanager
async def echo_at(path: Path) -> AsyncIterator[Way]:
    """A line there and back."""
    reader, writer = await asyncio.open_unix_connection(path)

    async def way() -> bytes:
        writer.write(b'{"protocol": 1, "id": 1, "method": "status", "params": {}}\n')
        return await reader.readline()

    yield way
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("pause", [1e6, 0.3], ids=["idle host", "1,600 calls a second"])
async def test_what_a_request_takes_beside_a_plain_echo(
    pause: float, capsys: pytest.CaptureFixture[str]
) -> None:
    async with AsyncExitStack() as stack:
        place = stack.enter_context(place_to_operate())
        stack.enter_context(place.started(pause=pause))
        stack.enter_context(echoing(place.folder / "echo.sock"))
        client = await stack.enter_async_context(connect(place.socket))
        ways: dict[str, Way] = {
            "echo": await stack.enter_async_context(echo_at(place.folder / "echo.sock")),
            **{name: partial(client.ask, name) for name in ("status", "running", "plugins")},
            "boards": partial(client.ask, "boards"),
            "tools of a board": partial(client.ask, "tools", board="team-00"),
            "explain": partial(client.ask, "explain", name="forecast", board="team-00"),
            "cancel nothing": partial(client.ask, "cancel", board="team-00"),
        }
        figures = await measure(ways, rounds=15, clock=time.monotonic_ns)

    with capsys.disabled():
        print("\n\n" + figures.table("a request and its answer", "echo"))


@tool
async def echo(value: str) -> str:
    """Give it back."""
    return value


def observe(execution: Execution, outcome: Outcome, timing: Timing) -> None:
    """Hear of a call that has ended."""


async def test_a_control_socket_costs_a_small_call_about_as_much_as_an_observer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ways: dict[str, Way] = {}
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="pegboard-")))
        for name in ("neither", "an observer", "a socket", "both"):
            control = None if name in ("neither", "an observer") else folder / f"{name}.sock"
            host = await stack.enter_async_context(Host(Config(control=control), discover=False))
            host.register(echo)
            if name in ("an observer", "both"):
                host.hook(call_finished=observe)
            ways[name] = partial((await host.board("bench")).call, "echo", {"value": "Pi"})

        figures = await measure(ways)

    with capsys.disabled():
        print("\n\n" + figures.table("a small call, with", "neither"))
    assert figures.ratio("a socket", "an observer") < 1.25
    assert figures.ratio("both", "an observer") < 1.25
