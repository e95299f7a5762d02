"""Inputs that mean harm: each is refused or bounded, with a clear outcome and nothing left."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Failure, Outcome

Call = Callable[..., Outcome]
PYTHON = f"{sys.executable} -I -S -c"


@pytest.fixture(autouse=True)
def nothing_is_left(root: Path, marked: Any) -> Any:
    """In the end no process runs, no file but kept ones is there, and no descriptor is open."""
    before = len(list(Path("/dev/fd").iterdir()))
    yield
    assert marked.running() == []
    assert {each.name for each in root.iterdir()} <= {"inner", ".shell"}
    assert len(list(Path("/dev/fd").iterdir())) == before


@attrs.frozen
class Bounded:
    """A command that runs, and what its value has."""

    command: str
    value: dict[str, Any]
    timeout: float = 120.0
    stdin: str = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The call."""
        return {"command": self.command, "timeout": self.timeout, "stdin": self.stdin}


BOUNDED = {
    "endless lines": Bounded("yes", {"ended": "output", "size": 50_000}),
    "endless, without a line end": Bounded("cat /dev/zero", {"ended": "output", "size": 49_998}),
    "endless noise": Bounded("cat /dev/urandom", {"ended": "output"}),
    "endless errors": Bounded("yes >&2", {"ended": "output", "size": 50_000}),
    "endless and deaf": Bounded("trap '' TERM PIPE; while :; do echo x; done", {"ended": "output"}),
    "one long line": Bounded(
        "head -c 40000 /dev/zero | tr '\\0' x", {"ended": "exited", "size": 40_000}
    ),
    "binary": Bounded(
        "printf 'a\\000\\001\\377\\200b'", {"output": "a␀␁\ufffd\ufffdb", "exit_status": 0}
    ),
    "half a character": Bounded("printf '\\342\\230'", {"output": "\ufffd"}),
    "escape codes": Bounded(
        "printf '\\033[2J\\033]0;title\\007\\033[31mred\\033[0m'", {"output": "red"}
    ),
    "an escape code without an end": Bounded("printf '\\033]0;x'", {"output": "␛]0;x"}),
    "carriage returns": Bounded("printf 'safe\\rfake\\n'", {"output": "safe\nfake\n"}),
    "reading for ever": Bounded("cat > /dev/null; echo read", {"output": "read\n"}),
    "not reading what it is given": Bounded(":", {"exit_status": 0}, stdin="x" * 1_000_000),
    "closing its output": Bounded(
        "exec >&- 2>&-; sleep 0.2; exit 9", {"exit_status": 9, "output": ""}
    ),
    "closing everything": Bounded(
        "exec 0>&- 1>&- 2>&- 3>&- 4>&- 5>&-; sleep 0.2; exit 9", {"exit_status": 9}
    ),
    "sleeping": Bounded("sleep 600", {"ended": "timeout", "signal": "SIGTERM"}, timeout=0.3),
    "deaf": Bounded("trap '' TERM; while :; do sleep 1; done", {"signal": "SIGKILL"}, timeout=0.3),
    "stopping itself": Bounded("kill -STOP $$", {"ended": "timeout"}, timeout=0.3),
    "a busy loop": Bounded("while :; do :; done", {"ended": "timeout"}, timeout=0.3),
    "replacing the shell": Bounded("exec sleep 600", {"ended": "timeout"}, timeout=0.3),
    "killing its group": Bounded("kill -KILL 0; sleep 600", {"signal": "SIGKILL"}),
    "killing its parent": Bounded("kill -KILL $PPID; sleep 600", {"ended": "lost"}),
    "a fork bomb": Bounded("f() { f & f & }; f; wait; sleep 600", {"ended": "processes"}),
    "zombies": Bounded(
        f"{PYTHON} 'import os, time; [os.fork() or os._exit(0) for _ in range(99)]; "
        "time.sleep(600)'",
        {"ended": "processes"},
    ),
    "a daemon that was not asked for": Bounded(
        "(setsid nohup sleep 600 > /dev/null 2>&1 &)", {"ended": "exited", "exit_status": 0}
    ),
    "leaving its folder": Bounded("cd / && pwd", {"output": "/\n", "cwd": "."}),
    "removing its folder": Bounded(
        "mkdir gone && cd gone && rmdir ../gone && echo still", {"output": "still\n"}
    ),
    "an unknown program": Bounded("no-such-program", {"exit_status": 127}),
    "no syntax": Bounded("if then ((", {"exit_status": 2}),
    "looking like an option": Bounded("--help", {"exit_status": 127}),
    "a huge variable": Bounded(
        "X=$(head -c 300000 /dev/zero | tr '\\0' x) sh -c :", {"exit_status": 126}
    ),
    "asking a question": Bounded('read answer; echo "[$answer] $?"', {"output": "[] 1\n"}),
}


async def test_every_hostile_command_is_bounded_and_its_end_is_told(hosted: Any) -> None:
    async with hosted(output_bytes=50_000, answer_bytes=1_000, processes=30) as host:
        board = await host.board("tests")

        outcomes = await asyncio.gather(
            *(board.call("shell_run", each.arguments) for each in BOUNDED.values())
        )

    found = dict(zip(BOUNDED, outcomes, strict=True))
    values = {name: each.unwrap() for name, each in found.items()}
    told = {name: {key: values[name][key] for key in case.value} for name, case in BOUNDED.items()}
    assert told == {name: case.value for name, case in BOUNDED.items()}
    assert max(len(each["output"].encode()) for each in values.values()) < 1_100
    assert max(sum(len(it.text.encode()) for it in each.content) for each in outcomes) < 1_500


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "empty": ({"command": ""}, "the command is empty"),
    "white": ({"command": " \n\t"}, "the command is empty"),
    "nul": ({"command": "echo a\0b"}, "a NUL character"),
    "only nul": ({"command": "\0"}, "a NUL character"),
    "a megabyte": ({"command": "echo " + "x" * 1_000_000}, "1000005 bytes, and 65536 are allowed"),
    "wide": ({"command": "☕" * 30_000}, "90000 bytes"),
    "no time": ({"command": "touch ran", "timeout": 0}, "timeout"),
    "less than no time": ({"command": "touch ran", "timeout": -1}, "timeout"),
    "endless time": ({"command": "touch ran", "timeout": 1e300}, "600 s at most"),
    "a folder outside": ({"command": "touch ran", "cwd": "../.."}, "leads out of the root"),
    "an absolute folder": ({"command": "touch ran", "cwd": "/tmp"}, "is absolute"),
    "a number": ({"command": 7}, "$.command"),
    "words": ({"command": ["touch", "ran"]}, "$.command"),
    "a dry run": ({"command": "touch ran", "dry_run": True}, "$.dry_run"),
    "variables": ({"command": "touch ran", "env": {"LD_PRELOAD": "x"}}, "$.env"),
}


@pytest.mark.parametrize(("given", "words"), REFUSED.values(), ids=REFUSED)
def test_every_other_hostile_input_is_refused_before_anything_runs(
    call: Call, root: Path, given: dict[str, Any], words: str
) -> None:
    outcome = call(given)

    assert isinstance(outcome, Failure)
    assert words in outcome.message
    assert len(outcome.message) < 400
    assert [each.name for each in root.iterdir()] == ["inner"]


@pytest.mark.parametrize(
    ("size", "words"),
    [(130_000, "130000\n"), (140_000, "can't be started: argument list too long")],
)
def test_a_huge_environment_passes_or_is_refused_by_its_reason(
    call: Call, monkeypatch: pytest.MonkeyPatch, size: int, words: str
) -> None:
    monkeypatch.setenv("HUGE", "x" * size)

    outcome = call({"command": "echo ${#HUGE}"}, environment=["HUGE"])

    assert words in outcome.content[0].text


def test_a_shell_that_the_system_can_not_run_is_told(call: Call, tmp_path: Path) -> None:
    shell = tmp_path / "shell"
    shell.write_bytes(b"\x7fELF no program")
    shell.chmod(0o755)

    outcome = call({"command": "echo x"}, shell=str(shell))

    assert "can't be started: exec format error" in outcome.content[0].text


JOBS: dict[str, tuple[str, dict[str, Any], str]] = {
    "no such job": ("read", {"job": "job-9"}, "no job 'job-9'; it has job-1"),
    "no name": ("stop", {"job": ""}, "no job ''"),
    "a path": ("read", {"job": "../first/job-1"}, "no job '../first/job-1'"),
    "escape codes": ("stop", {"job": "\x1b[2J"}, "no job '\\x1b[2J'"),
    "a megabyte": ("read", {"job": "x" * 1_000_000}, "no job 'xxx"),
    "a position before all": ("read", {"job": "job-1", "since": -1}, "since"),
    "waiting for ever": ("read", {"job": "job-1", "wait": 1e9}, "wait"),
    "half a number": ("read", {"job": "job-1", "since": 0.5}, "since"),
}


@pytest.mark.parametrize(("tool", "given", "words"), JOBS.values(), ids=JOBS)
async def test_every_hostile_question_about_jobs_is_refused(
    hosted: Any, tool: str, given: dict[str, Any], words: str
) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        await board.call("shell_start", {"command": "sleep 600"})

        outcome = await board.call(f"shell_{tool}", given)

        assert outcome.is_error
        assert words in outcome.message
        assert len(outcome.message) < 400


async def test_a_position_behind_all_gives_nothing_and_the_last_position(hosted: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        await board.call("shell_start", {"command": "echo x; sleep 600"})
        await board.call("shell_read", {"job": "job-1", "wait": 10})

        value = (await board.call("shell_read", {"job": "job-1", "since": 10**15})).unwrap()

        assert (value["output"], value["since"], value["next"]) == ("", 2, 2)
