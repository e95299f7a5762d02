"""Help says what there is, and costs nothing."""

import json
import subprocess
import sys
from typing import Any

import pegboard
import pytest
from pegboard.cli.words import COMMANDS, CTL

UNUSED = {"typer", "rich", "click", "mcp", "pegboard_voice", "pegboard_echo", "pegboard_files"}

ASKED = """
import contextlib, json, sys
from pegboard.cli import main
sys.argv = {words!r}
with contextlib.suppress(SystemExit):
    main()
print(json.dumps(sorted(sys.modules)))
"""


def modules_after(desk: Any, *words: str) -> set[str]:
    """The top-level modules that are imported once the command has answered."""
    script = ASKED.format(words=["pegboard", *words])
    ran = subprocess.run(
        [sys.executable, "-c", script], env=desk.environment, capture_output=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(ran.stdout.splitlines()[-1])}


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("--version",), (), ("plugin",)])
def test_what_needs_no_plugin_imports_neither_a_terminal_library_nor_a_plugin(
    desk: Any, words: tuple[str, ...]
) -> None:
    assert modules_after(desk, *words) & UNUSED == set()


def test_help_goes_to_standard_output_and_ends_well(bare: Any) -> None:
    ran = bare.run("--help")

    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("Usage: pegboard COMMAND")
    assert "Exit status:\n  0 " in ran.out


def test_the_version_is_that_of_the_package(bare: Any) -> None:
    assert bare.run("--version").out == f"pegboard {pegboard.__version__}\n"


def test_no_command_at_all_is_a_mistake_that_is_answered_with_the_help(bare: Any) -> None:
    ran = bare.run()

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == bare.run("--help").out


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, *(f"ctl {name}" for name in CTL)],
)
def test_every_command_has_a_help_of_its_own(bare: Any, command: str) -> None:
    ran = bare.answer(*command.split(), "--help")

    assert (ran.status, ran.err) == (0, "")
    assert f"Usage: pegboard {command}" in ran.out
    assert "--json" in ran.out
    assert "Exit status: 0 " in ran.out


def test_the_commands_of_ctl_are_listed_in_its_help(bare: Any) -> None:
    told = bare.answer("ctl", "--help").out

    assert [name for name in CTL if f"\n  {name} " not in told] == []


def test_the_help_lists_the_commands_of_people_before_those_of_operators(bare: Any) -> None:
    told = bare.answer("--help").out
    listed = [line.split()[0] for line in told.splitlines() if line.startswith("  ")]

    assert listed[: len(COMMANDS)] == list(COMMANDS)
    assert listed.index("serve") < listed.index("check") < listed.index("ctl")
