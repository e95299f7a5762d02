"""`call` prints what a tool gave, and tells failures from mistakes."""

from typing import Any

import pytest

FAULTY = """
import subprocess, sys
from pegboard import ToolError, hookimpl, tool

@tool
def refuse() -> str:
    raise ToolError("not today", code="closed")

@tool
def crash() -> str:
    raise RuntimeError("out of luck")

@tool
def noisy() -> str:
    print("printed")
    sys.__stdout__.write("never flushed\\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child')"])
    return "quiet"

@hookimpl
def pegboard_tools():
    return [refuse, crash, noisy]
"""


@pytest.fixture
def faulty(desk: Any) -> Any:
    """A desk where one more plugin has tools that fail."""
    desk.install("faulty", FAULTY)
    return desk


def test_a_call_prints_what_a_model_would_read(desk: Any) -> None:
    ran = desk.run("call", "say", '{"value": "naïve café ☕"}')

    assert (ran.status, ran.out, ran.err) == (0, "naïve café ☕\n", "")


def test_the_outcome_as_json_is_whole(desk: Any) -> None:
    ran = desk.answer("call", "say", '{"value": "Pi", "ignored": 1}', "--json")

    outcome = ran.json
    assert (outcome["tool"], outcome["is_error"], outcome["value"]) == ("say", False, "Pi")
    assert outcome["content"] == [{"type": "text", "text": "Pi"}]
    assert "ignored" in outcome["notes"][0]
    assert "ignored" in ran.err


@pytest.mark.parametrize("word", ["-", "@given.json"])
def test_arguments_come_from_standard_input_or_from_a_file(desk: Any, word: str) -> None:
    desk.write("given.json", '{"value": "Pi"}')

    assert desk.run("call", "say", word, given='{"value": "Pi"}').out == "Pi\n"


def test_what_a_tool_and_its_children_print_is_no_result(faulty: Any) -> None:
    ran = faulty.run("call", "noisy")

    assert (ran.status, ran.out) == (0, "quiet\n")
    assert "printed\n" in ran.err
    assert "never flushed\n" in ran.err
    assert "printed by a child\n" in ran.err


def test_a_failed_call_is_a_message_and_exit_status_1(faulty: Any) -> None:
    ran = faulty.answer("call", "refuse")

    assert (ran.status, ran.out) == (1, "")
    assert ran.err == "pegboard: tool_error: not today\n"


def test_a_failed_call_as_json_is_a_result_too(faulty: Any) -> None:
    ran = faulty.answer("call", "refuse", "--json")

    assert (ran.status, ran.json["code"], ran.json["details"]) == (
        1,
        "tool_error",
        {"code": "closed"},
    )


def test_the_traceback_of_a_crash_is_for_who_asks(faulty: Any) -> None:
    short, long = faulty.run("call", "crash"), faulty.run("call", "crash", "--verbose")

    assert (short.status, long.status) == (1, 1)
    assert "Traceback" not in short.err
    assert "out of luck" in short.err
    assert "Traceback" in long.err


def test_arguments_of_the_wrong_type_fail_the_call(desk: Any) -> None:
    ran = desk.answer("call", "say", '{"value": 1}')

    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("pegboard: invalid_arguments: ")


def test_an_unknown_tool_is_a_mistake_with_the_nearest_name(desk: Any) -> None:
    ran = desk.answer("call", "shuot", "{}")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "pegboard: unknown tool 'shuot'; did you mean 'shout'?\n"


def test_arguments_are_decoded_once(desk: Any) -> None:
    ran = desk.answer("call", "say", '"{\\"value\\": \\"Pi\\"}"')

    assert (ran.status, ran.out) == (1, "")
    assert "an object is expected" in ran.err
