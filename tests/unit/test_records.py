"""Calls, outcomes and cards as JSON, and back."""

import json
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import (
    Audio,
    Code,
    DiffCard,
    Failure,
    GenericCard,
    Image,
    Limits,
    NotJSONError,
    OtherCard,
    Resource,
    Success,
    TerminalCard,
    Text,
    ToolCall,
)
from pegboard.errors import RecordError
from pegboard.records import call_from_json, card_from_json, outcome_from_json, to_json
from pegboard.values import Snapshot

TEXTS = st.text(max_size=8)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
MAYBE = st.none() | TEXTS
BLOCKS = st.lists(
    st.builds(Text, TEXTS)
    | st.builds(Image, TEXTS, TEXTS)
    | st.builds(Audio, TEXTS, TEXTS)
    | st.builds(Resource, TEXTS, MAYBE, MAYBE, MAYBE),
    max_size=3,
)
SHARED: dict[str, Any] = {
    "content": BLOCKS,
    "contexts": st.lists(VALUES, max_size=2),
    "notes": st.lists(TEXTS, max_size=2),
}
OUTCOMES = st.builds(
    Success,
    TEXTS,
    TEXTS,
    VALUES,
    meta=VALUES,
    concludes=st.booleans(),
    hides_value=st.booleans(),
    **SHARED,
) | st.builds(Failure, TEXTS, TEXTS, st.sampled_from(Code), TEXTS, details=VALUES, **SHARED)
CARDS = (
    st.builds(GenericCard, TEXTS, fields=OBJECTS, content=BLOCKS | TEXTS, is_error=st.booleans())
    | st.builds(TerminalCard, TEXTS, cwd=MAYBE, output=MAYBE, exit_status=st.none() | st.integers())
    | st.builds(DiffCard, TEXTS, before=MAYBE, after=TEXTS, patch=MAYBE, title=TEXTS)
    | st.builds(OtherCard, TEXTS, given=OBJECTS.map(lambda given: given | {"kind": "chart"}))
)


def logged(record: Any) -> Any:
    """What a line of a log gives back."""
    return json.loads(json.dumps(to_json(record)))


@given(OUTCOMES)
def test_an_outcome_read_from_a_log_equals_the_one_that_was_written(outcome: Any) -> None:
    assert outcome_from_json(logged(outcome)) == outcome


@given(st.builds(ToolCall, TEXTS, TEXTS, VALUES))
def test_a_call_read_from_a_log_equals_the_one_that_was_made(call: ToolCall) -> None:
    read = call_from_json(logged(call))

    assert (read.id, read.name) == (call.id, call.name)
    assert Snapshot.of(read.arguments) == Snapshot.of(call.arguments)


@given(CARDS)
def test_a_card_read_from_a_log_equals_the_one_that_was_shown(card: Any) -> None:
    assert card_from_json(logged(card)) == card


def test_a_success_as_json_says_all_of_it() -> None:
    content = (Text("a"), Image("AA==", "image/png"), Resource("file:///a", text="b"))

    found = to_json(Success("1", "t", {"n": 1}, content, contexts=["c"], concludes=True))

    assert found["value"] == {"n": 1}
    assert [each["type"] for each in found["content"]] == ["text", "image", "resource"]
    assert (found["contexts"], found["concludes"], found["is_error"]) == (["c"], True, False)


def test_a_failure_as_json_says_all_of_it() -> None:
    found = to_json(Failure("1", "t", Code.TOOL_ERROR, "no", details={"code": "x"}))

    assert type(found["code"]) is str
    assert (found["code"], found["message"], found["details"]) == (
        "tool_error",
        "no",
        {"code": "x"},
    )


def test_a_call_as_json_has_its_id_name_and_arguments() -> None:
    assert to_json(ToolCall("1", "t", '{"a": 1}')) == {
        "id": "1",
        "name": "t",
        "arguments": '{"a": 1}',
    }


def test_a_call_whose_arguments_are_no_json_is_not_written() -> None:
    with pytest.raises(NotJSONError):
        to_json(ToolCall("1", "t", {"when": object()}))


def test_what_is_written_of_a_call_does_not_change_with_it() -> None:
    arguments = {"a": [1]}

    found = to_json(ToolCall("1", "t", arguments))
    arguments["a"].append(2)

    assert found["arguments"] == {"a": [1]}


def test_what_a_record_lacks_has_its_default() -> None:
    success = outcome_from_json({"call_id": "1", "tool": "t", "value": 3})
    failure = outcome_from_json({"call_id": "1", "tool": "t", "code": "denied", "message": "no"})

    assert success == Success("1", "t", 3)
    assert failure == Failure("1", "t", Code.DENIED, "no")
    assert call_from_json({"id": "1", "name": "t"}) == ToolCall("1", "t")


def test_null_for_what_may_be_missing_is_the_same_as_missing() -> None:
    optional = ("content", "contexts", "notes", "meta", "concludes", "hides_value", "is_error")

    found = outcome_from_json(
        {"call_id": "1", "tool": "t", "value": None} | dict.fromkeys(optional)
    )

    assert found == Success("1", "t", None)


def test_what_a_later_version_adds_is_passed_over() -> None:
    outcome = Success("1", "t", 3, (Text("3"),))
    record = to_json(outcome) | {"cost": 0.1, "details": None}
    record["content"][0]["language"] = "en"

    assert outcome_from_json(record) == outcome


DONE = {"call_id": "1", "tool": "t", "value": 3}
FAILED = {"call_id": "1", "tool": "t", "is_error": True, "code": "denied", "message": "no"}
NONSENSE = [
    ([], "must be an object"),
    ({}, "'call_id' is missing"),
    ({"call_id": "1", "tool": "t"}, "'value' is missing"),
    (DONE | {"call_id": 1}, "'call_id' must be text, not int"),
    (DONE | {"is_error": "no"}, "'is_error' must be true or false, not str"),
    (DONE | {"content": "a"}, "'content' must be a list, not str"),
    (DONE | {"content": ["a"]}, "the record of a content block must be an object"),
    (DONE | {"content": [{"type": "video"}]}, "'type' is none of text, image, audio, resource"),
    (DONE | {"content": [{"type": "image", "data": ""}]}, "'mime_type' is missing"),
    (DONE | {"notes": [1]}, "'notes' must be a list of text, not int"),
    (DONE | {"contexts": [float("nan")]}, "'contexts' isn't JSON"),
    (DONE | {"value": float("inf")}, "'value' isn't JSON"),
    (DONE | {"concludes": 1}, "'concludes' must be true or false, not int"),
    (DONE | {"hides_value": 1}, "'hides_value' must be true or false, not int"),
    (FAILED | {"code": "eaten"}, "'code' is none that this version knows"),
    ({"call_id": "1", "tool": "t", "is_error": True}, "'code' is missing"),
]


@pytest.mark.parametrize(("record", "words"), NONSENSE, ids=[words for _, words in NONSENSE])
def test_nonsense_in_a_log_is_named(record: Any, words: str) -> None:
    with pytest.raises(RecordError) as caught:
        outcome_from_json(record)

    assert words in str(caught.value)


@pytest.mark.parametrize("record", [None, [], {}, {"id": "1"}, {"id": 1, "name": "t"}])
def test_what_is_no_call_is_refused(record: Any) -> None:
    with pytest.raises(RecordError, match="a call"):
        call_from_json(record)


@pytest.mark.parametrize("record", [None, {}, {"kind": "diff"}, {"kind": "chart", "title": "t"}])
def test_what_is_no_card_is_refused(record: Any) -> None:
    with pytest.raises(RecordError, match="a card"):
        card_from_json(record)


@given(st.dictionaries(st.sampled_from([*FAILED, *DONE, "content"]), VALUES) | VALUES)
def test_whatever_a_log_holds_is_an_outcome_or_a_clear_error(record: Any) -> None:
    try:
        outcome = outcome_from_json(record)
    except RecordError:
        return
    assert outcome_from_json(to_json(outcome)) == outcome


def test_values_beyond_the_usual_limits_are_read_where_the_limits_say_so() -> None:
    value: Any = 1
    for _ in range(400):
        value = [value]
    limits = Limits(max_depth=512)
    outcome = Success("1", "t", Snapshot.of(value, limits))

    assert outcome_from_json(to_json(outcome), limits=limits) == outcome
    with pytest.raises(RecordError, match="'value'"):
        outcome_from_json(to_json(outcome))


def test_every_field_of_an_outcome_is_written() -> None:
    for cls in (Success, Failure):
        names = {each.alias for each in attrs.fields(cls)}
        written = to_json(
            Success("1", "t", 1) if cls is Success else Failure("1", "t", "denied", "no")
        )
        assert names | {"is_error"} == written.keys()
