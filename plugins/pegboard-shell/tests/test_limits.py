"""What a command may use is limited, each process and all of them."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from pegboard import Outcome

Call = Callable[..., Outcome]
PYTHON = f"{sys.executable} -I -S -c"


def test_processor_time_is_limited(call: Call) -> None:
    value = call({"command": "exec sh -c 'while :; do :; done'"}, cpu_seconds=1).unwrap()

    assert value["ended"] == "signalled"
    assert value["signal"] in {"SIGXCPU", "SIGKILL"}


def test_memory_is_limited(call: Call) -> None:
    given = {"command": f"{PYTHON} 'bytearray(1 << 30)'"}

    value = call(given, memory_bytes=256 << 20).unwrap()

    assert "MemoryError" in value["output"]
    assert value["exit_status"] == 1


def test_files_are_limited(call: Call, root: Any) -> None:
    call({"command": "head -c 100000 /dev/zero > big"}, file_bytes=5000).unwrap()

    assert (root / "big").stat().st_size == 5000


def test_no_core_is_dumped(call: Call) -> None:
    assert call({"command": "ulimit -c"}).unwrap()["output"] == "0\n"


def test_a_command_cannot_lift_its_limits_beyond(call: Call) -> None:
    value = call({"command": "ulimit -S -t 100; ulimit -S -t"}, cpu_seconds=50).unwrap()

    assert value["output"].splitlines()[-1] == "50"


BOMBS = {
    "in one group": "i=0; while [ $i -lt 500 ]; do sleep 600 & i=$((i+1)); done; wait",
    "in many sessions": "i=0; while [ $i -lt 500 ]; do setsid sleep 600 & i=$((i+1)); done; wait",
    "that doubles": "n=0; f() { [ $n -gt 9 ] || { n=$((n+1)); f & f & }; sleep 600; }; f",
    "that hears nothing": "trap '' TERM; i=0; while [ $i -lt 500 ]; do sleep 9 & i=$((i+1)); done",
}


@pytest.mark.parametrize("command", BOMBS.values(), ids=BOMBS)
def test_too_many_processes_are_the_end_of_all(call: Call, command: str) -> None:
    value = call({"command": command}, processes=40).unwrap()

    assert (value["ended"], value["signal"]) == ("processes", "SIGKILL")
    assert value["notes"] == ["ended because it had more than 40 processes"]


def test_so_many_processes_are_none_too_many(call: Call) -> None:
    command = "i=0; while [ $i -lt 20 ]; do sleep 0.3 & i=$((i+1)); done; wait; echo done"

    assert call({"command": command}, processes=40).unwrap()["output"] == "done\n"


def test_a_command_that_writes_without_end_is_ended(call: Call) -> None:
    value = call({"command": "yes"}, output_bytes=100_000, answer_bytes=1000).unwrap()

    assert (value["ended"], value["size"]) == ("output", 100_000)
    assert value["notes"][0] == "ended because it wrote more than 100000 bytes"
