"""Programs in the place of ripgrep that mean harm: none is let in, and none outlives its call."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pegboard_files
import pytest
from pegboard import Failure, Host, Outcome, Signal

Call = Callable[..., Outcome]
Program = Callable[[str], Path]


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("is_relative", [False, True])
def test_a_program_below_the_root_is_never_started(
    call: Call,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    link: bool,
    is_relative: bool,
) -> None:
    (root / "rg").write_text(f"#!/bin/sh\necho started >{tmp_path}/started\n")
    (root / "rg").chmod(0o755)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "rg").symlink_to(root / "rg")
    folder = "." if is_relative else str(tmp_path / "linked" if link else root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", os.pathsep.join([folder, "", "/usr/bin"]))

    call("files_search", {"pattern": "one"}).unwrap()

    assert not (tmp_path / "started").exists()


FAILED = "times that ripgrep failed, and the search went on without it: 1"


@pytest.mark.parametrize(
    "text",
    [
        "exit 0",
        "exit 2",
        "exit 127",
        "kill -9 $$",
        "echo /etc/passwd",
        "printf '/etc/passwd\\0'",
        "printf '/dev/fd/0\\0'",
        "printf '/dev/fd/\\0'",
        "printf '\\377\\376\\0'",
        "printf x",
        "shift $(($# - 1)); printf '%s\\0' $1; exit 1",
        "yes",
        "cat /dev/zero",
        "exec sh -c 'exit 3'",
    ],
)
def test_a_program_that_is_no_ripgrep_is_left_out_with_a_note(
    call: Call, root: Path, program: Program, text: str
) -> None:
    value = call("files_search", {"pattern": "- one"}, ripgrep=str(program(text))).unwrap()

    assert [each["path"] for each in value["matches"]] == ["notes/overview.md"]
    assert value["notes"] == [FAILED]


@pytest.mark.parametrize("text", ["not a program at all", "\0\0\0\0"])
def test_a_program_that_cannot_be_started_is_left_out_with_a_note(
    call: Call, root: Path, program: Program, text: str
) -> None:
    path = program("")
    path.write_text(text)

    value = call("files_search", {"pattern": "- one"}, ripgrep=str(path)).unwrap()

    assert (len(value["matches"]), value["notes"]) == (1, [FAILED])


@pytest.mark.parametrize("text", ["wait", "exec >&-; wait", "trap '' TERM INT HUP; wait"])
def test_a_program_that_hangs_is_ended_with_all_that_it_has_started(
    call: Call, program: Program, tmp_path: Path, text: str
) -> None:
    settings = {"ripgrep": str(program(f"{started_in(tmp_path)}\n{text}"))}

    for seconds in (0.1, 1, 10, 100):
        value = call("files_search", {"pattern": "one"}, max_seconds=seconds, **settings).unwrap()
        assert value["notes"] == [f"stopped after {seconds} s; search a folder further down"]
        if pids_in(tmp_path):
            break

    assert len(pids_in(tmp_path)) == 2
    assert all(map(has_ended, pids_in(tmp_path)))


def test_a_call_that_is_cancelled_ends_the_program(
    root: Path, program: Program, tmp_path: Path
) -> None:
    path = program(f"{started_in(tmp_path)}\nwait")

    outcome = cancelled_once(lambda: bool(pids_in(tmp_path)), root, ripgrep=str(path))

    assert isinstance(outcome, Failure)
    assert outcome.code == "aborted"
    assert all(map(has_ended, pids_in(tmp_path)))


def started_in(folder: Path) -> str:
    """Lines that start a program and say then, at once, which process it is and which starts it."""
    return f"sleep 1000 &\necho $! $$ >{folder}/said\nmv {folder}/said {folder}/pids"


def pids_in(folder: Path) -> list[int]:
    """The processes that were started; none before all of them were."""
    path = folder / "pids"
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


def has_ended(pid: int) -> bool:
    """Whether a process that was killed is gone soon, or only waits to be counted by its parent."""
    for _ in range(6_000):
        try:
            os.kill(pid, 0)
            if b") Z " in Path(f"/proc/{pid}/stat").read_bytes():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


def cancelled_once(is_time: Callable[[], bool], root: Path, **settings: object) -> Outcome:
    """The outcome of a search that is cancelled as soon as it is time."""

    async def main() -> Outcome:
        async with Host(discover=False) as host:
            await host.load(pegboard_files, settings={"root": str(root), **settings})
            board, signal = await host.board("tests"), Signal()
            call = asyncio.create_task(
                board.call("files_search", {"pattern": "one"}, signal=signal)
            )
            while not is_time():
                await asyncio.sleep(0.01)
            signal.cancel("enough")
            return await call

    return asyncio.run(main())
