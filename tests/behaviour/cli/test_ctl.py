"""`ctl` shows what a host in another process does."""

from collections.abc import Iterator
from typing import Any

import pytest
from pegboard_ctl import Running, running_host


@pytest.fixture
def host(bare: Any) -> Iterator[Running]:
    """A host that runs."""
    with running_host(bare) as running:
        yield running


def test_ps_lists_what_runs_the_longest_first_and_legibly(host: Running) -> None:
    first, second = host.rows("ps")

    assert first[:6] == ["\\x1b[2Jlong", "wait", "one", "patient", "1", "body"]
    assert second[:3] == ["short", "wait", "two"]
    assert first[7] == "-"


def test_ps_gives_programs_what_the_host_has_answered(host: Running) -> None:
    calls = host.json("ps", "--board", "two")

    assert [(each["call_id"], each["stage"], each["abandoned"]) for each in calls] == [
        ("short", "body", False)
    ]


def test_plugins_are_listed_with_their_state_and_generation(host: Running) -> None:
    rows = {row[0]: row for row in host.rows("plugins")}

    assert rows["patient"] == [
        "patient",
        "pegboard-patient",
        "1.0",
        "loaded",
        "1",
        "wait",
        "look",
        "-",
    ]
    assert next(each for each in host.json("plugins") if each["name"] == "audit")["tools"] == []


def test_boards_are_listed_with_what_they_show_and_run(host: Running) -> None:
    rows = host.rows("boards")

    assert [(row[0], row[1], row[2], row[4]) for row in rows] == [
        ("one", "-", "2", "1"),
        ("two", "one", "2", "1"),
    ]


def test_tools_are_those_of_a_board_or_of_the_host(host: Running) -> None:
    assert [row[0] for row in host.rows("tools")] == ["wait", "look"]
    assert host.rows("tools", "--board", "two")[1] == ["look", "Look.", "patient", "global"]


def test_explain_says_why_a_board_shows_a_tool(host: Running) -> None:
    ran = host.ctl("explain", "look", "--board", "two")

    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("'look' is visible on board 'two'\n  - 'look' is registered")


def test_status_says_how_the_host_is(host: Running) -> None:
    figures = {row[0]: " ".join(row[1:]) for row in host.rows("status") if row}

    assert (figures["state"], figures["boards"], figures["running"]) == ("ready", "2", "2")
    assert figures["pid"] == str(host.process.pid)
    assert figures["calls"] == "2, 1 failed"
    assert host.json("status")["calls"]["by_tool"]["look"]["total"] == 1


def test_nothing_that_runs_is_a_message_and_no_result(host: Running) -> None:
    host.ctl("cancel", "one")

    ran = host.ctl("ps")

    assert (ran.status, ran.out, ran.err) == (0, "", "pegboard: no call runs\n")


def test_options_may_stand_before_the_name_of_what_is_asked_for(host: Running) -> None:
    asked = ("ctl", "--socket", str(host.socket), "--json", "boards")

    assert [each["name"] for each in host.desk.answer(*asked).json] == ["one", "two"]


def test_a_socket_that_is_named_needs_no_configuration(host: Running) -> None:
    (host.desk.work / "pegboard.toml").unlink()

    assert len(host.rows("boards", "--socket", str(host.socket))) == 2


def test_a_host_is_reached_while_its_configuration_has_mistakes(host: Running) -> None:
    config = host.desk.work / "pegboard.toml"
    config.write_text("bolck = 7\n" + config.read_text())

    assert len(host.rows("boards")) == 2
