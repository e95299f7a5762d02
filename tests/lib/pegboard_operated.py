"""A host in a process of its own that is operated from here, over its control channel."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
from operated_host import MIXED, Journal
from pegboard.control import connect
from pegboard.testing import Site
from pegboard_audit import read, read_events
from pegboard_versions import Versions

PATIENCE = 60.0
PROGRAM = Path(__file__).with_name("operated_host.py")
CONFIG = """
only = ["audit", "crunch", "gauge", "limits", "mail", "patient", "weather"]
control = "run/host.sock"
state = "state.json"

[plugins.audit]
path = "{folder}/audit.sqlite3"
required = true
"""

SLOW = '''
@tool
async def slow() -> list[int]:
    """Give the versions that it sees before and after a pause."""
    before = seen()
    await asyncio.sleep(0.02)
    from gauge.later import V as later
    return [*before, *seen(), later]
'''
WEATHER = '''
import asyncio
from pegboard import RunContext, tool

@tool
async def forecast(city: str) -> str:
    """Tell the weather."""
    await asyncio.sleep(0.01)
    return f"sun in {city}"
'''
MAIL = '''
from pegboard import RunContext, ToolAnnotations, tool

@tool(annotations=ToolAnnotations(read_only=True))
async def read_mail() -> list[str]:
    """Read mail."""
    return ["hello"]

@tool(annotations=ToolAnnotations(destructive=True))
async def send_mail(to: str) -> str:
    """Send mail."""
    return f"sent to {to}"

@tool
async def ask_twice(context: RunContext) -> int:
    """Count mail in two calls inside this one."""
    return sum([len((await context.call("read_mail")).unwrap()) for _ in range(2)])
'''
PATIENT = '''
import asyncio
from pegboard import tool

@tool
async def wait(seconds: float) -> str:
    """Take a while."""
    await asyncio.sleep(seconds)
    return "waited"
'''
CRUNCH = '''
import hashlib
from pegboard import tool

@tool
def digest(text: str) -> str:
    """Compute in a thread."""
    return hashlib.sha256(text.encode() * 1000).hexdigest()
'''
OTHERS = {"crunch": CRUNCH, "mail": MAIL, "patient": PATIENT, "weather": WEATHER}


@attrs.frozen
class Told:
    """An answer of the host.

    Attributes:
        result: what it says.
        asked: when it was asked for, by the clock that all processes of a machine share.
        answered: when the answer was there.
    """

    result: Any
    asked: float
    answered: float


@attrs.frozen
class Seen:
    """What the host's journal and its audit record say of a whole run."""

    journal: Journal
    recorded: Counter[str]
    acts: list[tuple[str, str]]

    def codes(self, *tools: str, after: Told | None = None, boards: str | None = None) -> set[str]:
        """How calls of some tools have ended that began after an answer was here."""
        return {
            each.code
            for each in self.journal.calls
            if (not tools or each.tool in tools)
            and (after is None or each.begun > after.answered)
            and (boards is None or each.board.startswith(boards))
        }

    def between(self, tool: str, first: Told, second: Told) -> set[str]:
        """How calls of a tool have ended that began between two answers."""
        begun = first.answered, second.asked
        calls = [each for each in self.journal.calls if begun[0] < each.begun < begun[1]]
        return {each.code for each in calls if each.tool == tool}

    def others(self, *tools: str, boards: str = "none of them") -> set[str]:
        """How the calls of all other tools on all other boards have ended."""
        calls = [each for each in self.journal.calls if each.tool not in tools]
        return {each.code for each in calls if not each.board.startswith(boards)}

    def versions(self, *, after: Told) -> set[int | None]:
        """The versions that calls have seen which began after an answer was here."""
        calls = [each for each in self.journal.calls if each.tool in ("version", "slow")]
        return {each.version for each in calls if each.begun > after.answered}

    @property
    def lost(self) -> list[str]:
        """What is wrong with the bookkeeping: each call has one outcome, one end and one row."""
        calls = self.journal.calls
        made = {each.call_id for each in calls}
        return [
            *self.journal.wrong,
            *_not_once("ended", made, Counter(each.call_id for each in calls)),
            *_not_once("observed", made, self.journal.finished),
            *_not_once("recorded", made, self.recorded),
            *(f"{each} saw code of two versions" for each in calls if each.version == MIXED),
            *(["not all have ended"] * (self.journal.begun != len(calls))),
        ]


def _not_once(words: str, made: Iterable[str], counted: Mapping[str, int]) -> Iterator[str]:
    once = {call_id for call_id, count in counted.items() if count == 1}
    different = set(made) ^ once | {each for each, count in counted.items() if count > 1}
    if different:
        yield f"not {words} once: {sorted(different)[:5]} and so on, {len(different)}"


@attrs.frozen
class Place:
    """Where a host is configured and its plugins are installed; it may be started several times."""

    folder: Path
    versions: Versions

    def install(self, version: int, *, more: str = "") -> None:
        """Put a version of `gauge` in the place of the one that is there, as pip does."""
        self.versions.install(version, more=SLOW + more)

    @property
    def socket(self) -> Path:
        """Where the host is operated."""
        return self.folder / "run" / "host.sock"

    def configure(self, tables: str = "", *, keys: str = "") -> None:
        """Write the configuration file, as an editor does that saves at once."""
        written = self.folder / "pegboard.new"
        written.write_text(keys + CONFIG.format(folder=self.folder) + tables)
        written.replace(self.folder / "pegboard.toml")

    def said(self) -> str:
        """What the processes have said on standard error."""
        return (self.folder / "said.log").read_text()

    def variables(self) -> dict[str, str]:
        """What the environment of a host needs that shall find the plugins."""
        paths = [str(self.versions.site.path), os.environ.get("PYTHONPATH", "")]
        return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}

    @contextmanager
    def starting(self, *, pause: float = 0.3) -> Iterator["subprocess.Popen[str]"]:
        """Start the host, and see that it ends with the block."""
        with (
            (self.folder / "said.log").open("a") as log,
            subprocess.Popen(
                [sys.executable, str(PROGRAM), str(self.folder)],
                env=os.environ | self.variables() | {"OPERATED_PAUSE": str(pause)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            ) as process,
        ):
            try:
                yield process
            finally:
                process.kill()

    @contextmanager
    def started(self, *, pause: float = 0.3) -> Iterator["Operated"]:
        """Start the host, wait until it calls, and see that it ends with the block."""
        with self.starting(pause=pause) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", self.said()
            yield Operated(self, process)


@attrs.frozen
class Operated:
    """A host that runs elsewhere."""

    place: Place
    process: "subprocess.Popen[str]"

    async def ask(self, method: str, **params: Any) -> Told:
        """What it answers, and when."""
        async with connect(self.place.socket, timeout=PATIENCE) as client:
            asked = time.monotonic()
            result = await client.ask(method, **params)
            return Told(result, asked, time.monotonic())

    async def until_begun(self, tool: str, board: str) -> None:
        """Wait until a board or one below it has begun a call of a tool that is long."""
        while True:
            for each in (await self.ask("running")).result:
                if each["tool"] == tool and each["board"].startswith(board) and each["age"] < 0.3:
                    return
            await asyncio.sleep(0.05)

    async def end(self, *, after: float = 0.5) -> Seen:
        """Let it call for some more seconds, and read what has happened."""
        await asyncio.sleep(after)
        await asyncio.to_thread(self.process.communicate, "enough\n", PATIENCE)
        assert self.process.returncode == 0, self.place.said()
        folder = self.place.folder
        own = f"{self.process.pid}-"
        calls = [each.call_id for each in read(folder / "audit.sqlite3")]
        recorded = Counter(each for each in calls if each.startswith(own) and ":" not in each)
        return Seen(Journal.read(folder / "journal.json"), recorded, _acts(folder))


def _acts(folder: Path) -> list[tuple[str, str]]:
    """What operators did, in the audit record: the action and its stage."""
    return [
        (str(each.details["action"]), str(each.details["stage"]))
        for each in read_events(folder / "audit.sqlite3", kind="OperatorActed")
    ]


@contextmanager
def place_to_operate() -> Iterator[Place]:
    """A place whose path is short enough for sockets, with plugins in a site of its own."""
    folder = Path(tempfile.mkdtemp(prefix="pegboard-")).resolve()
    try:
        place = Place(folder, Versions(Site(folder / "site")))
        place.install(1)
        for name, code in OTHERS.items():
            files = {f"{name}.py": code}
            place.versions.site.install(name, entry_points={name: name}, files=files)
        place.configure()
        yield place
    finally:
        shutil.rmtree(folder)
