"""The cases of section Cards."""

from collections.abc import Callable
from typing import Any

import pytest
from pegboard import (
    JSON,
    Card,
    Failure,
    GenericCard,
    Outcome,
    Success,
    TerminalCard,
    Text,
    Tool,
    ToolCall,
)
from pegboard.records import call_from_json, outcome_from_json
from pegboard_cases import board_with, raw

CALL = ToolCall("call-1", "shell", {"command": "ls", "flags": ["-l"]})
DONE = Success("call-1", "shell", {"output": "a.txt", "status": 0}, (Text("a.txt"),))
PARAMETERS: JSON = {
    "type": "object",
    "properties": {"command": {"type": "string"}, "flags": {"type": "array"}},
}


def never(arguments: JSON, context: object) -> JSON:
    """A body that must not run."""
    raise AssertionError("the body ran")


def shell(
    *, call: Callable[..., Any] | None = None, result: Callable[..., Any] | None = None
) -> Tool:
    """A tool with these presenters."""
    return raw(never, name="shell", parameters=PARAMETERS, present_call=call, present_result=result)


async def cards_of(presenter: Callable[..., Any]) -> tuple[Card, Card]:
    """The cards of the call and of its outcome, by one presenter."""
    async with board_with(shell(call=presenter, result=presenter)) as board:
        return board.present(CALL), board.present(CALL, DONE)


def raises(error: type[BaseException]) -> Callable[..., Any]:
    """A presenter that raises."""

    def present(*given: object) -> Any:
        raise error("no card")

    return present


def terminal(arguments: JSON, outcome: Outcome | None = None) -> TerminalCard:
    """A presenter that needs the arguments and the value as this version of the tool has them."""
    if outcome is None:
        return TerminalCard(arguments["command"])
    value: JSON = outcome.unwrap()
    return TerminalCard(arguments["command"], output=value["output"], exit_status=value["status"])


ERRORS = [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit, RecursionError, MemoryError]


@pytest.mark.parametrize("error", ERRORS)
async def test_p_318_a_presenter_that_raises_gives_a_generic_card(
    error: type[BaseException],
) -> None:
    by_call, by_result = await cards_of(raises(error))

    assert by_call == GenericCard("shell", fields=CALL.arguments)
    assert by_result == GenericCard("shell", fields=CALL.arguments, content="a.txt")


NO_CARDS = [
    (None, "None"),
    (3, "a number"),
    ("text", "text"),
    ([], "a list"),
    ({}, "a table without a kind"),
    ({"kind": 3}, "a kind that is no text"),
    ({"kind": "terminal"}, "a terminal without a command"),
    ({"kind": "terminal", "command": "ls", "exit_status": "0"}, "a status that is no number"),
    ({"kind": "diff", "path": "a"}, "a diff of nothing"),
    ({"kind": "generic", "fields": []}, "fields that are no object"),
    ({"kind": "chart", "points": {1, 2}}, "a table that is no JSON"),
]


@pytest.mark.parametrize(
    "given", [each for each, _ in NO_CARDS], ids=[what for _, what in NO_CARDS]
)
async def test_p_318_what_is_no_card_gives_a_generic_one(given: Any) -> None:
    by_call, by_result = await cards_of(lambda *args: given)

    assert by_call == GenericCard("shell", fields=CALL.arguments)
    assert by_result == GenericCard("shell", fields=CALL.arguments, content="a.txt")


async def test_p_318_a_card_of_an_unknown_kind_is_a_generic_one_with_what_was_given() -> None:
    given = {"kind": "chart", "points": [1, 2]}

    for card in await cards_of(lambda *args: given):
        assert isinstance(card, GenericCard)
        assert (card.kind, getattr(card, "given", None)) == ("chart", given)
        assert (card.title, card.fields) == ("shell", CALL.arguments)


LOGGED: list[JSON] = [
    {},
    {"cmd": "ls"},
    {"command": None},
    {"command": "ls", "colour": True},
    None,
    "[]",
    '"ls"',
    "{not json",
]


@pytest.mark.parametrize("arguments", LOGGED)
async def test_p_319_arguments_of_an_older_version_give_a_card(arguments: JSON) -> None:
    call = call_from_json({"id": "1", "name": "shell", "arguments": arguments, "model": "old"})

    async with board_with(shell(call=terminal, result=terminal)) as board:
        cards = board.present(call), board.present(call, DONE)

    is_enough = arguments == {"command": "ls", "colour": True}
    assert [each.kind for each in cards] == ["terminal" if is_enough else "generic"] * 2


@pytest.mark.parametrize("value", [None, {}, {"output": "a.txt"}, [1], "text"])
async def test_p_319_an_outcome_of_an_older_version_gives_a_card(value: JSON) -> None:
    outcome = outcome_from_json({"call_id": "1", "tool": "shell", "value": value, "cost": 3})

    async with board_with(shell(result=terminal)) as board:
        card = board.present(CALL, outcome)

    assert card == GenericCard("shell", fields=CALL.arguments)


async def test_p_319_a_failure_that_a_presenter_does_not_expect_gives_a_generic_card() -> None:
    failure = Failure("call-1", "shell", "crashed", "it broke", (Text("Error: it broke"),))

    async with board_with(shell(result=terminal)) as board:
        card = board.present(CALL, failure)

    assert card == GenericCard(
        "shell", fields=CALL.arguments, content="Error: it broke", is_error=True
    )


async def test_p_320_the_same_data_gives_equal_cards_and_the_body_does_not_run() -> None:
    async with board_with(shell(call=terminal, result=terminal)) as board:
        first = board.present(CALL), board.present(CALL, DONE)
        second = board.present(CALL), board.present(CALL, DONE)

    assert first == second
    assert second == (
        TerminalCard("ls", title="shell"),
        TerminalCard("ls", output="a.txt", exit_status=0, title="shell"),
    )


async def test_p_321_what_a_presenter_does_to_its_copies_changes_nothing() -> None:
    def spoil(arguments: JSON, outcome: Outcome | None = None) -> JSON:
        arguments["command"] = "rm"
        arguments["flags"].clear()
        if isinstance(outcome, Success):
            outcome.value.clear()
        return {"kind": "generic", "title": "spoiled"}

    await cards_of(spoil)

    assert ToolCall("call-1", "shell", {"command": "ls", "flags": ["-l"]}) == CALL
    assert DONE.value == {"output": "a.txt", "status": 0}


async def test_p_321_a_presenter_cannot_change_an_outcome() -> None:
    def spoil(arguments: JSON, outcome: Any) -> JSON:
        outcome.tool = "another"
        return {"kind": "generic"}

    async with board_with(shell(result=spoil)) as board:
        card = board.present(CALL, DONE)

    assert card.kind == "generic"
    assert DONE.tool == "shell"


async def test_p_321_what_a_presenter_gave_and_changes_later_does_not_change_the_card() -> None:
    given: JSON = {"kind": "generic", "title": "mine", "fields": {"a": [1]}}

    card, _ = await cards_of(lambda *args: given)
    given["fields"]["a"].append(2)

    assert card == GenericCard("mine", fields={"a": [1]})


async def test_p_321_a_reader_of_a_card_cannot_change_it_for_another() -> None:
    card, _ = await cards_of(lambda *args: None)
    assert isinstance(card, GenericCard)

    card.fields.clear()

    assert card.fields == CALL.arguments
