"""What the tools do to the list of one board."""

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pegboard_todo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import GenericCard, Host, Outcome, Success
from pegboard_todo.items import Item, Listing, shown_result

Call = Callable[..., Outcome]
Text = Callable[..., str]
Hosted = Callable[..., AbstractAsyncContextManager[Host]]
THREE = {"texts": ["one", "two", "three"]}


def names(outcome: Outcome) -> list[str]:
    """The texts of a list in order."""
    return [each["text"] for each in outcome.unwrap()["items"]]


def test_a_list_that_nobody_has_written_to_is_empty(text: Text) -> None:
    assert text("todo_list") == "(0 open, 0 doing, 0 done)"


def test_items_are_added_in_order_and_numbered(text: Text) -> None:
    assert text("todo_add", THREE).splitlines() == [
        "[ ] 1: one",
        "[ ] 2: two",
        "[ ] 3: three",
        "(3 open, 0 doing, 0 done)",
    ]


def test_a_list_survives_a_restart(call: Call) -> None:
    call("todo_add", THREE)
    call("todo_update", {"id": 2, "status": "doing"})

    value = call("todo_list").unwrap()

    assert value == {
        "items": [
            {"id": 1, "text": "one", "status": "open"},
            {"id": 2, "text": "two", "status": "doing"},
            {"id": 3, "text": "three", "status": "open"},
        ],
        "open": 2,
        "doing": 1,
        "done": 0,
        "notes": [],
    }


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (None, ["one", "two", "three", "new", "newer"]),
        (1, ["new", "newer", "one", "two", "three"]),
        (3, ["one", "two", "new", "newer", "three"]),
        (4, ["one", "two", "three", "new", "newer"]),
        (9_000, ["one", "two", "three", "new", "newer"]),
    ],
)
def test_items_can_be_added_in_between(
    call: Call, position: int | None, expected: list[str]
) -> None:
    call("todo_add", THREE)

    outcome = call("todo_add", {"texts": ["new", "newer"], "position": position})

    assert names(outcome) == expected


@pytest.mark.parametrize(
    ("number", "position", "expected"),
    [
        (3, 1, ["three", "one", "two"]),
        (1, 3, ["two", "three", "one"]),
        (1, 2, ["two", "one", "three"]),
        (2, 2, ["one", "two", "three"]),
        (1, 99, ["two", "three", "one"]),
    ],
)
def test_an_item_can_be_moved(call: Call, number: int, position: int, expected: list[str]) -> None:
    call("todo_add", THREE)

    assert names(call("todo_update", {"id": number, "position": position})) == expected


def test_text_and_status_change_together(call: Call) -> None:
    call("todo_add", THREE)

    value = call("todo_update", {"id": 1, "text": "first", "status": "done"}).unwrap()

    assert value["items"][0] == {"id": 1, "text": "first", "status": "done"}


def test_one_item_is_being_done_at_a_time(call: Call) -> None:
    call("todo_add", THREE)
    call("todo_update", {"id": 1, "status": "doing"})

    outcome = call("todo_update", {"id": 2, "status": "doing"})

    assert outcome.details["code"] == "busy"
    assert outcome.message.startswith("item 1 is being done, ")
    assert call("todo_list").unwrap()["doing"] == 1


def test_an_item_that_is_being_done_may_be_begun_again(call: Call) -> None:
    call("todo_add", THREE)
    call("todo_update", {"id": 1, "status": "doing"})

    assert call("todo_update", {"id": 1, "status": "doing"}).unwrap()["doing"] == 1


def test_several_items_are_being_done_where_the_setting_says_so(call: Call) -> None:
    call("todo_add", THREE)
    call("todo_update", {"id": 1, "status": "doing"})

    outcome = call("todo_update", {"id": 2, "status": "doing"}, one_doing=False)

    assert outcome.unwrap()["doing"] == 2


def test_items_are_removed_all_or_none(call: Call) -> None:
    call("todo_add", THREE)

    wrong = call("todo_remove", {"ids": [1, 7]})
    right = call("todo_remove", {"ids": [1, 3, 3]})

    assert wrong.details["code"] == "unknown_item"
    assert wrong.message.startswith("there is no item 7 on this list; ")
    assert names(right) == ["two"]


def test_a_number_is_never_given_again(call: Call) -> None:
    call("todo_add", THREE)
    call("todo_clear", {"what": "all"})

    value = call("todo_add", {"texts": ["four"]}).unwrap()

    assert [each["id"] for each in value["items"]] == [4]


def test_clearing_takes_out_what_is_done_unless_everything_is_meant(call: Call) -> None:
    call("todo_add", THREE)
    call("todo_update", {"id": 2, "status": "done"})

    assert names(call("todo_clear")) == ["one", "three"]
    assert names(call("todo_clear", {"what": "all"})) == []


def test_a_note_says_that_everything_is_done(call: Call) -> None:
    call("todo_add", {"texts": ["one"]})

    outcome = call("todo_update", {"id": 1, "status": "done"})

    assert outcome.unwrap()["notes"] == ["everything is done"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("todo_update", {"id": 1}, "nothing_to_do"),
        ("todo_update", {"id": 1, "status": "done"}, "unknown_item"),
        ("todo_remove", {"ids": [1]}, "unknown_item"),
        ("todo_add", {"texts": ["x"] * 100}, "too_many"),
    ],
)
def test_a_failure_on_a_list_that_nobody_has_written_to_makes_no_file(
    call: Call, path: Any, tool: str, arguments: object, code: str
) -> None:
    outcome = call(tool, arguments, max_items=99)

    assert outcome.details["code"] == code
    assert list(path.parent.iterdir()) == []


def test_clearing_what_nobody_has_written_to_makes_no_file(call: Call, path: Any) -> None:
    assert call("todo_clear").unwrap()["items"] == []
    assert list(path.parent.iterdir()) == []


def test_a_list_is_shown_as_a_card() -> None:
    value = {"items": [{"id": 1, "text": "one", "status": "done"}], "open": 0, "doing": 0}
    outcome = Success("1", "todo_list", {**value, "done": 1, "notes": []})

    card = shown_result({}, outcome)

    assert isinstance(card, GenericCard)
    assert card.fields == {"open": 0, "doing": 0, "done": 1}
    assert card.content[0].text == "[x] 1: one\n(0 open, 0 doing, 1 done)"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "move", "remove"]), st.integers(1, 6), st.none() | st.integers(1, 6)
    ),
    max_size=8,
)


def expected(steps: list[tuple[str, int, int | None]]) -> list[int]:
    """The numbers of a list after some steps, as a Python list does them."""
    order: list[int] = []
    last = 0
    for what, number, position in steps:
        if what == "add":
            last += 1
            order.insert(len(order) if position is None else position - 1, last)
        elif number in order:
            order.remove(number)
            if what == "move":
                order.insert((position or 1) - 1, number)
    return order


@given(STEPS)
@settings(max_examples=25, deadline=None)
def test_a_list_is_ordered_as_a_list_is(steps: list[tuple[str, int, int | None]]) -> None:
    async def main(folder: str) -> list[int]:
        async with Host(discover=False) as host:
            await host.load(pegboard_todo, settings={"path": f"{folder}/todo.sqlite3"})
            board = await host.board("agent")
            for what, number, position in steps:
                if what == "add":
                    await board.call("todo_add", {"texts": ["x"], "position": position})
                elif what == "move":
                    await board.call("todo_update", {"id": number, "position": position or 1})
                else:
                    await board.call("todo_remove", {"ids": [number]})
            value: Any = (await board.call("todo_list")).unwrap()
            return [each["id"] for each in value["items"]]

    with tempfile.TemporaryDirectory() as folder:
        assert asyncio.run(main(folder)) == expected(steps)


def test_a_listing_counts_what_it_does_not_show() -> None:
    listing = Listing.of([Item(1, "one", "open")], {"open": 2, "done": 3}, cut=1)

    assert (listing.open, listing.doing, listing.done) == (2, 0, 3)
    assert listing.notes == ["items that are not shown: 4", "texts that were cut: 1"]
