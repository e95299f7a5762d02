"""Commands that run to their end."""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pegboard import Failure, Outcome, Progress

Call = Callable[..., Outcome]


def test_output_and_error_come_together_in_their_order(call: Call) -> None:
    value = call({"command": "echo one; echo two >&2; echo three"}).unwrap()

    assert value["output"] == "one\ntwo\nthree\n"
    assert (value["exit_status"], value["signal"], value["ended"]) == (0, None, "exited")


def test_a_status_that_is_not_zero_is_a_value(call: Call) -> None:
    outcome = call({"command": "echo no; exit 3"})

    assert outcome.unwrap()["exit_status"] == 3
    assert outcome.content[0].text == "no\n[exit status 3]"


def test_a_signal_is_named(call: Call) -> None:
    outcome = call({"command": "kill -KILL $$"})

    value = outcome.unwrap()
    assert (value["exit_status"], value["signal"], value["ended"]) == (None, "SIGKILL", "signalled")
    assert outcome.content[0].text == "(no output)\n[ended by SIGKILL]"


def test_a_command_reads_what_it_is_given(call: Call) -> None:
    assert call({"command": "tr a-z A-Z", "stdin": "wörds\0"}).unwrap()["output"] == "WöRDS␀"


def test_a_command_reads_what_it_is_given_without_a_folder_for_temporary_files(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")

    assert call({"command": "wc -c", "stdin": "x" * 70_000}).unwrap()["output"].strip() == "70000"


def test_a_command_that_is_given_nothing_finds_the_end_of_its_input(call: Call) -> None:
    assert call({"command": "cat; echo $?"}).unwrap()["output"] == "0\n"


def test_a_command_has_no_terminal(call: Call) -> None:
    value = call({"command": "test -t 0 || test -t 1 || echo none; : < /dev/tty"}).unwrap()

    assert value["output"].startswith("none\n")
    assert value["exit_status"] != 0


def test_the_output_so_far_comes_with_the_limit(call: Call) -> None:
    value = call({"command": "echo so far; sleep 600", "timeout": 1}).unwrap()

    assert (value["output"], value["ended"], value["signal"]) == ("so far\n", "timeout", "SIGTERM")
    assert value["notes"] == ["ended after 1 s; timeout= gives it up to 600 s"]


def test_a_command_may_end_by_itself_when_it_is_told_to(call: Call) -> None:
    given = {"command": "trap 'echo bye; exit 7' TERM; sleep 600 & wait", "timeout": 1}

    value = call(given).unwrap()

    assert (value["output"], value["exit_status"], value["ended"]) == ("bye\n", 7, "timeout")


@pytest.mark.parametrize("timeout", [601, 1e9])
def test_more_time_than_the_settings_allow_is_refused_with_the_way_out(
    call: Call, timeout: float
) -> None:
    outcome = call({"command": "true", "timeout": timeout})

    assert isinstance(outcome, Failure)
    assert outcome.message == "a command may take 600 s at most; shell_start runs what takes longer"


def test_the_shell_is_the_one_of_the_settings(call: Call, root: Path) -> None:
    shell = root / "shell"
    shell.write_text('#!/bin/sh\necho "$@"\n')
    shell.chmod(0o755)

    assert call({"command": "hello"}, shell=str(shell)).unwrap()["output"] == "-c hello\n"


def test_a_command_that_looks_like_an_option_is_a_command(call: Call) -> None:
    assert call({"command": "-x"}).unwrap()["exit_status"] == 127


async def test_what_a_command_writes_is_reported_while_it_runs(hosted: Any) -> None:
    reports: list[Progress] = []
    going = asyncio.Event()

    def heard(progress: Progress) -> None:
        reports.append(progress)
        going.set()

    async with hosted() as host:
        board = await host.board("tests")
        arguments = {"command": "echo one; until test -e go; do sleep 0.05; done; echo two"}
        calling = asyncio.create_task(board.call("shell_run", arguments, on_progress=heard))
        await going.wait()
        assert reports[0].content[0].text == "one\n"
        await board.call("shell_run", {"command": "touch go"})
        assert (await calling).unwrap()["output"] == "one\ntwo\n"

    assert "".join(each.content[0].text for each in reports) == "one\ntwo\n"


async def test_reports_of_endless_output_are_few_and_short(hosted: Any) -> None:
    reports: list[Progress] = []

    async with hosted(output_bytes=1 << 20, answer_bytes=1024) as host:
        board = await host.board("tests")
        await board.call("shell_run", {"command": "yes"}, on_progress=reports.append)

    assert 0 < len(reports) < 100
    assert max(len(each.content[0].text) for each in reports) <= 4_096
