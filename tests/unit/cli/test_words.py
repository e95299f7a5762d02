import inspect
from typing import Any

import typer
from pegboard.cli.app import app
from pegboard.cli.words import ARGUMENTS, COMMANDS, OPTIONS, exits_text, help_text


def known() -> dict[str, Any]:
    """The commands as Typer knows them."""
    return dict(typer.main.get_command(app()).commands)  # type: ignore[attr-defined]


def parameters(kind: str) -> list[Any]:
    """Every option or argument of every command, without the one that asks for help."""
    commands = known().values()
    return [each for one in commands for each in one.params if each.param_type_name == kind]


def test_the_help_lists_the_commands_that_typer_knows_in_its_words() -> None:
    assert {name: command.help for name, command in known().items()} == COMMANDS


def test_the_help_lists_the_options_that_typer_knows_in_its_words() -> None:
    found = {each.opts[0]: (each.metavar or "", each.help) for each in parameters("option")}

    assert found == {name: (word.metavar, word.text) for name, word in OPTIONS.items()}


def test_arguments_have_their_words_in_one_place() -> None:
    found = {each.name: (each.metavar, each.help) for each in parameters("argument")}

    assert found == {name: (word.metavar, word.text) for name, word in ARGUMENTS.items()}


def test_every_command_says_its_exit_status_and_takes_json() -> None:
    for command in known().values():
        assert inspect.cleandoc(command.epilog) == exits_text()
        assert "--json" in [name for each in command.params for name in each.opts]


def test_no_line_of_the_help_is_wider_than_a_terminal() -> None:
    assert [line for line in help_text().splitlines() if len(line) > 100] == []
