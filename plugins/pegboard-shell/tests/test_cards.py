"""How a person is shown what a command did."""

import json
from typing import Any

from pegboard import Failure, TerminalCard, ToolCall
from pegboard.records import outcome_from_json, to_json


async def test_a_call_is_shown_as_it_would_be_typed(hosted: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")

        card = board.present(ToolCall("1", "shell_run", {"command": "make", "cwd": "src"}))

        assert card == TerminalCard("make", cwd="src", title="Run a command")


async def test_an_outcome_is_shown_from_its_record_with_output_and_status(hosted: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        call = ToolCall("1", "shell_run", {"command": "echo x; exit 3", "cwd": "inner"})
        record = json.dumps(to_json(await board.call(call)))

        card = board.present(call, outcome_from_json(json.loads(record)))

        title = "Run a command"
        shown = TerminalCard(call.arguments["command"], cwd="inner", output="x\n", exit_status=3)
        assert (card.command, card.cwd, card.output) == (shown.command, shown.cwd, shown.output)
        assert (card.exit_status, card.title) == (3, title)


async def test_escape_codes_reach_no_terminal_of_a_person(hosted: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        call = ToolCall("1", "shell_run", {"command": "printf '\\033[2J\\033]0;x\\007ok'"})

        card = board.present(call, await board.call(call))

        assert card.output == "ok"


async def test_a_failure_is_shown_with_its_reason(hosted: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        call = ToolCall("1", "shell_run", {"command": "ls", "cwd": ".."})
        outcome = await board.call(call)

        card = board.present(call, outcome)

        assert isinstance(outcome, Failure)
        assert (card.kind, card.output) == ("terminal", outcome.message)


async def test_a_reading_is_shown_as_a_terminal(hosted: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        await board.call("shell_start", {"command": "echo up; sleep 600"})
        call = ToolCall("1", "shell_read", {"job": "job-1", "wait": 30})

        card = board.present(call, await board.call(call))

        assert (card.kind, card.command, card.output) == ("terminal", "job-1", "up\n")


async def test_a_call_that_is_no_call_is_shown_all_the_same(hosted: Any) -> None:
    async with hosted() as host:
        board = await host.board("tests")

        card = board.present(ToolCall("1", "shell_run", {"cmd": "ls"}))

        assert card.kind == "generic"
