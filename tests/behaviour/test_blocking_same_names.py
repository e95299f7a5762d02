"""What a host and its boards have, they have without async, under the same names."""

import inspect
from typing import Any

import pegboard
import pegboard.blocking
import pytest
from pegboard.blocking import Board, Host

PAIRS = [
    pytest.param(pegboard.Host, pegboard.blocking.Host, id="Host"),
    pytest.param(pegboard.Board, pegboard.blocking.Board, id="Board"),
]
ENTERED = {"__aenter__": "__enter__", "__aexit__": "__exit__"}
WAITED = {
    "pegboard.blocking.board.Board": "Board",
    "pegboard.blocking.streams.Watching": "Watching",
    "pegboard.board.board.Board": "Board",
    "pegboard.host.boards.BoardRequest": "Board",
    "pegboard.plugins.watching.Watching": "Watching",
    "collections.abc.AsyncGenerator": "Generator",
    "collections.abc.Generator": "Generator",
    ", None, None]": "]",
    ", None]": "]",
}
"""What is left of an annotation where it is waited for, of either pair."""


def names(kind: type) -> set[str]:
    """The names of what a class has for its users."""
    return {each for each in dir(kind) if not each.startswith("_")}


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    """What a function takes: names, how they are given, and what they are otherwise."""
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.kind, each.default) for each in found]


def annotations(member: Any) -> dict[str, str]:
    """How a function or a property is annotated."""
    function = member.fget if isinstance(member, property) else member
    found = inspect.get_annotations(function).items()
    shown = {name: inspect.formatannotation(each) for name, each in found}
    for long, short in WAITED.items():
        shown = {name: text.replace(long, short) for name, text in shown.items()}
    return shown


MEMBERS = [
    pytest.param(
        getattr(one, name),
        getattr(other, ENTERED.get(name, name), None),
        id=f"{one.__name__}.{name}",
    )
    for one, other in [each.values for each in PAIRS]
    for name in sorted({*names(one), "__init__", *ENTERED})
    if name != "__init__" or one is pegboard.Host
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_both_have_the_same_names(one: type, other: type) -> None:
    assert names(one) == names(other)


@pytest.mark.parametrize(("one", "other"), MEMBERS)
def test_a_name_is_of_the_same_kind_and_takes_the_same(one: Any, other: Any) -> None:
    assert isinstance(one, property) == isinstance(other, property)
    if not isinstance(one, property):
        assert parameters(one) == parameters(other)


@pytest.mark.parametrize(("one", "other"), MEMBERS)
def test_a_name_is_annotated_in_the_same_way(one: Any, other: Any) -> None:
    assert annotations(one) == annotations(other)


def test_nothing_has_to_be_awaited() -> None:
    both = [getattr(each, name) for each in (Host, Board) for name in names(each)]

    assert not [each for each in both if inspect.iscoroutinefunction(each)]
