import inspect
from typing import Any

import typer
from pegboard.cli.app import app
from pegboard.cli.words import (
    ARGUMENTS,
    COMMANDS,
    CTL,
    CTL_ARGUMENTS,
    CTL_OPTIONS,
    LOG_OPTIONS,
    OPTIONS,
    exits_text,
    help_text,
)

OWN = {"ctl": CTL_OPTIONS, "top": CTL_OPTIONS, "log": LOG_OPTIONS}
"""Options that mean something else, or nothing, for other commands."""


def known() -> dict[str, Any]:
    """The commands as Typer knows them."""
    return dict(typer.main.get_command(app()).commands)  # type: ignore[attr-defined]


def parameters(kind: str, commands: dict[str, Any]) -> list[Any]:
    """Every option or argument of some commands, without the one that asks for help."""
    known_to = commands.values()
    return [each for one in known_to for each in one.params if each.param_type_name == kind]


def options(commands: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The options of some commands, with their words."""
    found = parameters("option", commands)
    return {each.opts[0]: (each.metavar or "", each.help) for each in found}


def of_ctl() -> dict[str, Any]:
    """The commands of `ctl`, and itself."""
    group = known()["ctl"]
    return {"": group, **group.commands}


def test_the_help_lists_the_commands_that_typer_knows_in_its_words() -> None:
    assert {name: command.help for name, command in known().items()} == COMMANDS


def test_the_help_lists_the_options_that_typer_knows_in_its_words() -> None:
    found = options({name: each for name, each in known().items() if name not in OWN})

    assert found == {name: (word.metavar, word.text) for name, word in OPTIONS.items()}


def test_commands_for_operators_have_words_of_their_own_for_their_options() -> None:
    found = options({**of_ctl(), "top": known()["top"]}), options({"log": known()["log"]})

    for told, own in zip(found, (CTL_OPTIONS, LOG_OPTIONS), strict=True):
        words = {**OPTIONS, **own}
        assert own.keys() <= told.keys()
        assert told == {name: (words[name].metavar, words[name].text) for name in told} | (
            {"--board": told["--board"]}
        )


def test_arguments_have_their_words_in_one_place() -> None:
    found = {each.name: (each.metavar, each.help) for each in parameters("argument", known())}
    ctl = {each.name: (each.metavar, each.help) for each in parameters("argument", of_ctl())}

    assert found == {name: (word.metavar, word.text) for name, word in ARGUMENTS.items()}
    assert ctl == {name: (word.metavar, word.text) for name, word in CTL_ARGUMENTS.items()}


def test_the_commands_of_ctl_are_those_that_typer_knows_in_its_words() -> None:
    assert {name: each.help for name, each in of_ctl().items() if name} == CTL


def test_every_command_says_its_exit_status_and_takes_json() -> None:
    for command in (*known().values(), *of_ctl().values()):
        assert inspect.cleandoc(command.epilog) == exits_text()
        assert "--json" in [name for each in command.params for name in each.opts]


def test_no_line_of_the_help_is_wider_than_a_terminal() -> None:
    assert [line for line in help_text().splitlines() if len(line) > 100] == []
