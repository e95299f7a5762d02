"""A host with 500 boards under calls, as a program of its own: `operated_host.py FOLDER`.

It reads `pegboard.toml` in the folder, says `ready`, and has every board call until a line comes on
standard input. Then it lets the calls end, writes `journal.json` into the folder, and ends.
`OPERATED_PAUSE` says how many seconds callers wait between calls, in the mean.
"""

import asyncio
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import attrs
from pegboard import JSON, Board, Execution, Failure, Host, Outcome, ToolCall

TEAMS, MEMBERS = 20, 24
MIXED = -1
"""The version that a call has seen which saw several."""

CALLS: dict[str, dict[str, JSON]] = {
    "version": {},
    "slow": {},
    "forecast": {"city": "Rome"},
    "read_mail": {},
    "send_mail": {"to": "Ada"},
    "digest": {"text": "pegboard"},
    "ask_twice": {},
}
"""What callers call, in turns that differ from board to board."""

PATIENT = {"wait": {"seconds": 0.8}}
"""What callers call on one board of eight: calls that are long."""


@attrs.frozen
class Ended:
    """One call that a caller made.

    Attributes:
        begun: when it was made, by the clock that all processes of a machine share.
        ended: when its caller had the outcome.
        code: why it failed, or `ok`.
        version: of the plugin that was upgraded, for the tools which tell it.
    """

    call_id: str
    board: str
    tool: str
    begun: float
    ended: float
    code: str
    version: int | None = None


@attrs.define
class Journal:
    """What has happened.

    Attributes:
        begun: how many calls were made.
        calls: those that have ended.
        finished: by the id of a call, how often an observer was told of its end.
        wrong: what should not have happened.
    """

    begun: int = 0
    calls: list[Ended] = attrs.field(factory=list)
    finished: Counter[str] = attrs.field(factory=Counter)
    wrong: list[str] = attrs.field(factory=list)

    def observe(self, execution: Execution) -> None:
        """Count a call that has ended, unless another call made it."""
        if execution.parent_call_id is None:
            self.finished[execution.call_id] += 1

    async def make(self, board: Board, call: ToolCall) -> None:
        """Make one call, and write down what came of it."""
        self.begun += 1
        begun = time.monotonic()
        try:
            outcome = await board.call(call)
        except BaseException as error:
            self.wrong.append(f"{call} raised {error!r}")
            raise
        code = str(outcome.code) if isinstance(outcome, Failure) else "ok"
        seen = _version(call, outcome)
        ended = time.monotonic()
        self.calls.append(Ended(call.id, board.name, call.name, begun, ended, code, seen))
        if (outcome.call_id, outcome.tool) != (call.id, call.name):
            self.wrong.append(f"{call} got the outcome of {outcome.call_id} {outcome.tool}")

    def write(self, path: Path) -> None:
        """Write all of it."""
        rows = [attrs.astuple(each) for each in self.calls]
        path.write_text(json.dumps([self.begun, rows, self.finished, self.wrong]))

    @classmethod
    def read(cls, path: Path) -> "Journal":
        """What was written."""
        begun, rows, finished, wrong = json.loads(path.read_text())
        return cls(begun, [Ended(*row) for row in rows], Counter(finished), wrong)


def _version(call: ToolCall, outcome: Outcome) -> int | None:
    if isinstance(outcome, Failure) or call.name not in ("version", "slow"):
        return None
    seen = set(outcome.value)
    return seen.pop() if len(seen) == 1 else MIXED


async def caller(number: int, board: Board, journal: Journal, stop: asyncio.Event) -> None:
    """Make one call after the other until told to stop."""
    dice = random.Random(number)
    calls = PATIENT if number % 8 == 7 else CALLS
    pause = float(os.environ.get("OPERATED_PAUSE", "0.3"))
    count = 0
    while not stop.is_set():
        await asyncio.sleep(dice.random() * 2 * pause)
        count += 1
        name = dice.choice(list(calls))
        await journal.make(
            board, ToolCall(f"{os.getpid()}-{board.name}-{count}", name, calls[name])
        )


async def boards_of(host: Host) -> list[Board]:
    """Boards of teams, and below each of them the boards of its members."""
    boards = []
    for team in range(TEAMS):
        boards.append(await host.board(f"team-{team:02}"))
        for member in range(MEMBERS):
            name = f"team-{team:02}-{member:02}"
            boards.append(await host.board(name, parent=f"team-{team:02}"))
    return boards


async def call_until_told(host: Host, boards: Iterable[Board], journal: Journal) -> None:
    """Have every board call until a line comes."""
    stop = asyncio.Event()
    callers = [
        asyncio.create_task(caller(number, board, journal, stop))
        for number, board in enumerate(boards)
    ]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    stop.set()
    await asyncio.gather(*callers)
    if host.running:
        journal.wrong.append(f"still running: {host.running}")


async def operated(folder: Path) -> None:
    """Open the host, call, and write the journal."""
    journal = Journal()
    async with Host(folder / "pegboard.toml") as host:
        host.hook(call_finished=journal.observe)
        await call_until_told(host, await boards_of(host), journal)
    journal.write(folder / "journal.json")


if __name__ == "__main__":
    asyncio.run(operated(Path(sys.argv[1])))
