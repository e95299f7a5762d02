"""Cards of calls: whatever was logged and whatever a presenter does."""

import signal
import sys
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import Card, Failure, Outcome, Success, TerminalCard, Text, Tool, ToolCall
from pegboard.board.presenting import present
from pegboard.records import card_from_json, to_json
from pegboard.registry import PROGRAM, Entry, Generation

ANY_TEXT = st.text(st.characters(), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = ("title", "command", "path", "after", "fields", "content", "output", "given")
KINDS = st.sampled_from(["generic", "terminal", "diff", "chart", "", None])
TABLES = st.fixed_dictionaries(
    {"kind": KINDS},
    optional=dict.fromkeys(
        ("title", "command", "path", "after", "fields", "content", "output", "given"), VALUES
    ),
)
ERRORS = st.sampled_from([ValueError, SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration])
CALLS = st.builds(
    ToolCall, ANY_TEXT, ANY_TEXT, VALUES | st.sampled_from(['{"a": 1, "b": 2}', '"a"', "null", ""])
)
OUTCOMES = (
    st.none()
    | st.builds(Success, ANY_TEXT, ANY_TEXT, st.integers(), st.lists(st.builds(Text, ANY_TEXT)))
    | st.builds(Failure, ANY_TEXT, ANY_TEXT, st.just("denied"), ANY_TEXT)
)


def entry_of(presenter: Any) -> Entry:
    """A tool with this presenter, for calls and for outcomes."""
    tool = Tool(
        name="t",
        parameters={"type": "object", "properties": {"a": {}}},
        run=print,
        present_call=presenter,
        present_result=presenter,
        secret_parameters={"b"},
    )
    return Entry("t", tool, Generation(PROGRAM), "the global layer")


def presenting(given: Any) -> Any:
    """A presenter that gives this, or raises it."""

    def presenter(*_: Any) -> Any:
        if isinstance(given, type):
            raise given
        return given

    return presenter


@given(CALLS, OUTCOMES, TABLES | VALUES | ERRORS)
def test_presenting_never_raises_and_gives_equal_cards_that_can_be_written(
    call: ToolCall, outcome: Outcome | None, given: Any
) -> None:
    for entry in (None, entry_of(None), entry_of(presenting(given))):
        card = present(entry, call, outcome)

        assert card == present(entry, call, outcome)
        assert card_from_json(to_json(card)) == card


def test_a_presenter_that_waits_is_no_presenter() -> None:
    async def later(arguments: Any) -> Card:
        return TerminalCard("ls")

    assert present(entry_of(later), ToolCall("1", "t")).kind == "generic"


def test_a_real_interruption_reaches_who_presents() -> None:
    def pressed(arguments: Any) -> Card:
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)
        return TerminalCard("ls")

    with pytest.raises(KeyboardInterrupt):
        present(entry_of(pressed), ToolCall("1", "t"))


def test_a_presenter_that_never_ends_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def stuck(arguments: Any) -> Card:
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)
        ended.wait(10)
        return TerminalCard("ls")

    monkeypatch.setattr("pegboard.board.presenting._PATIENCE", 0.01)
    with pytest.raises(KeyboardInterrupt):
        present(entry_of(stuck), ToolCall("1", "t"))
    ended.set()


def test_a_deep_caller_gets_the_same_card_as_any_other() -> None:
    def nest(left: int) -> Card:
        return nest(left - 1) if left else present(entry_of(presenter), ToolCall("1", "t"))

    def presenter(arguments: Any, depth: int = 100) -> Card:
        return presenter(arguments, depth - 1) if depth else TerminalCard("ls", title="t")

    used = len(list(iter_frames()))

    assert nest(sys.getrecursionlimit() - used - 40) == TerminalCard("ls", title="t")


def iter_frames() -> Any:
    """The frames of the caller."""
    frame: Any = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def test_a_presenter_that_recurses_for_ever_gives_a_generic_card() -> None:
    def presenter(arguments: Any) -> Card:
        return presenter(arguments)

    assert present(entry_of(presenter), ToolCall("1", "t")).kind == "generic"
