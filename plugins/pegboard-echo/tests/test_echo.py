"""The echo plugin, called through a host."""

import asyncio

import pegboard_echo
from pegboard import Failure, Host, Outcome, Success, Text
from pegboard.testing import check_plugin

TestPlugin = check_plugin("echo")


def call(arguments: object) -> Outcome:
    """The outcome of one call of `echo` on a fresh host."""

    async def main() -> Outcome:
        async with Host(discover=False) as host:
            await host.load(pegboard_echo)
            board = await host.board("tests")
            return await board.call("echo", arguments, id="call-1")

    return asyncio.run(main())


def test_echo_gives_back_its_value_and_leaves_undeclared_keys_out() -> None:
    outcome = call({"value": "Pi", "ignored": "drop me"})

    assert isinstance(outcome, Success)
    assert (outcome.call_id, outcome.tool, outcome.value) == ("call-1", "echo", "Pi")
    assert outcome.content == (Text("Pi"),)


def test_text_is_given_back_character_for_character() -> None:
    value = "9007199254740993 is not 9007199254740992 \N{HOT BEVERAGE}\n\t\0 na\u0308ive"

    assert call({"value": value}).unwrap() == value


def test_a_number_is_not_text() -> None:
    outcome = call({"value": 1})

    assert isinstance(outcome, Failure)
    assert outcome.code == "invalid_arguments"
    assert "value" in outcome.message


def test_the_model_reads_what_echo_does_and_what_its_argument_means() -> None:
    parameters = pegboard_echo.echo.parameters

    assert pegboard_echo.echo.description == "Echo one value."
    assert parameters["properties"]["value"] == {"type": "string", "description": "What to echo."}
    assert parameters["required"] == ["value"]


def test_echo_can_still_be_called_as_the_function() -> None:
    assert asyncio.run(pegboard_echo.echo("Pi")) == "Pi"
