"""The demo shows what the host really did."""

import re
from pathlib import Path
from typing import Any

import pytest

CODES = [False, False, False, "tool_error", "tool_error", "unknown_tool", "unknown_tool"]


@pytest.fixture
def told(bare: Any) -> Any:
    """What `pegboard demo --json` says."""
    ran = bare.run("demo", "--json")
    assert (ran.status, ran.err) == (0, "")
    return ran.json


def test_the_demo_ends_well_and_prints_tables(bare: Any) -> None:
    ran = bare.run("demo")

    assert (ran.status, ran.err) == (0, "")
    assert ran.out.count("what the model reads") == 3
    assert "toolu_01G" in ran.out


def test_the_board_that_reads_answers_every_call_and_refuses_to_write(told: Any) -> None:
    outcomes = told["reader"]["outcomes"]

    assert [each["is_error"] and each["code"] for each in outcomes] == CODES
    assert [each["tool_use_id"] for each in told["results"][0]["content"]] == [
        f"toolu_01{letter}" for letter in "ABCDEFG"
    ]
    assert told["explanation"]["visible"] is False


def test_the_board_without_restriction_writes(told: Any) -> None:
    (outcome,) = told["writer"]["outcomes"]

    assert not outcome["is_error"]
    assert told["files"] == ["notes/overview.md", "summary.md"]


def test_the_call_that_runs_while_its_plugin_goes_ends_and_a_new_one_is_refused(told: Any) -> None:
    unloading = told["unloading"]

    assert [each["stage"] for each in unloading["running"]] == ["body"]
    assert unloading["outcomes"][0]["value"] == "a letter: delivered"
    assert unloading["outcomes"][1]["code"] == "unknown_tool"
    assert set(unloading["before"]) - set(unloading["after"]) == {"courier_deliver"}
    assert (unloading["report"]["drained"], unloading["report"]["leaked"]) == (1, [])


def test_the_demo_says_the_same_each_time_apart_from_the_time(bare: Any) -> None:
    first, second = (re.sub(r"\d", "0", bare.run("demo").out) for _ in range(2))

    assert first == second


def test_the_demo_leaves_nothing_on_the_disk(bare: Any, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()

    bare.run("demo", TMPDIR=str(folder))

    assert list(folder.iterdir()) == []
    assert list(bare.work.iterdir()) == []
