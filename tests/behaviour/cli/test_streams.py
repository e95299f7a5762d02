"""The command behaves as others do when its reader goes, its disk is full, or somebody stops it."""

import subprocess
import sys
from typing import Any

import pytest

SLOW = """
import asyncio, pathlib
from pegboard import hookimpl, tool

@tool
async def sleep() -> str:
    pathlib.Path("begun").touch()
    await asyncio.sleep(60)
    return "late"

@hookimpl
def pegboard_tools():
    return [sleep]
"""


def shell(desk: Any, line: str) -> tuple[int, str, str]:
    """Run a line of bash in which `$pegboard` is the command: status, output, messages."""
    environment = desk.environment | {"pegboard": f"{sys.executable} -m pegboard"}
    ran = subprocess.run(
        ["bash", "-c", line],
        cwd=desk.work,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("words", ["--help", "tools", "tools --json", "tools --help"])
def test_a_reader_that_goes_away_ends_the_command_without_a_word(desk: Any, words: str) -> None:
    status, _, messages = shell(desk, f"$pegboard {words} | true; exit ${{PIPESTATUS[0]}}")

    assert (status, messages) == (141, "")


def test_a_closed_output_ends_the_command_without_a_word(desk: Any) -> None:
    assert shell(desk, "$pegboard tools >&-") == (141, "", "")


def test_closed_messages_don_t_touch_results(desk: Any) -> None:
    status, results, _ = shell(desk, """$pegboard call shout '{"value": "pi"}' 2>&-""")

    assert (status, results) == (0, "PI\n")


def test_results_that_can_t_be_written_are_said_and_exit_status_1(desk: Any) -> None:
    status, _, messages = shell(desk, "ulimit -f 0; $pegboard tools >results")

    assert status == 1
    assert "the results can't be written" in messages
    assert "Traceback" not in messages


def test_a_closed_standard_input_is_a_mistake(desk: Any) -> None:
    status, _, messages = shell(desk, "$pegboard call say - <&-")

    assert (status, messages) == (2, "pegboard: standard input is closed\n")


def test_ctrl_c_stops_a_call_with_exit_status_130(desk: Any) -> None:
    desk.install("slow", SLOW)

    ran = desk.interrupted("call", "sleep", until=desk.work / "begun")

    assert (ran.status, ran.out) == (130, "")
    assert "Traceback" not in ran.err


def test_results_are_legible_in_an_encoding_that_knows_few_characters(desk: Any) -> None:
    words = ("call", "say", '{"value": "☕"}')

    text = desk.run(*words, PYTHONIOENCODING="ascii")
    as_json = desk.run(*words, "--json", PYTHONIOENCODING="ascii")

    assert text.out == "\\u2615\n"
    assert as_json.json["value"] == "☕"
