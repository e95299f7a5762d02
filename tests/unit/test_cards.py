"""Cards as nouns."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from pegboard import DiffCard, GenericCard, NotJSONError, OtherCard, TerminalCard, Text

WRONG: list[tuple[str, Callable[[], Any]]] = [
    ("a title that is no text", lambda: GenericCard(3)),  # type: ignore[arg-type]
    ("fields that are no object", lambda: GenericCard("t", fields=[1])),
    ("content that is no block", lambda: GenericCard("t", content=[3])),  # type: ignore[list-item]
    ("a flag that is no flag", lambda: GenericCard("t", is_error="no")),  # type: ignore[arg-type]
    ("a status that is no number", lambda: TerminalCard("ls", exit_status=True)),
    ("an output that is no text", lambda: TerminalCard("ls", output=b"a")),
    ("a diff of nothing", lambda: DiffCard("a.txt")),
    ("another kind without its name", lambda: OtherCard("t", given={"points": []})),
]


@pytest.mark.parametrize("make", [make for _, make in WRONG], ids=[what for what, _ in WRONG])
def test_what_no_user_interface_could_show_is_no_card(make: Callable[[], Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        make()


def test_text_that_is_no_json_is_no_part_of_a_card() -> None:
    with pytest.raises(NotJSONError):
        TerminalCard("ls", output="\ud800")


def test_the_text_of_a_card_is_plain_text_whatever_was_given() -> None:
    class Loud(str):
        """Text of a plugin's own type."""

        __slots__ = ()

    assert type(TerminalCard(Loud("ls")).command) is str


def test_text_in_the_place_of_content_is_one_block() -> None:
    assert GenericCard("t", content="a").content == (Text("a"),)


def test_a_card_cannot_be_changed() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        GenericCard("t").title = "u"  # type: ignore[misc]


def test_every_kind_of_card_says_its_kind() -> None:
    cards = [
        GenericCard("t"),
        TerminalCard("ls"),
        DiffCard("a", after=""),
        OtherCard("t", given={"kind": "chart"}),
    ]

    assert [each.kind for each in cards] == ["generic", "terminal", "diff", "chart"]
