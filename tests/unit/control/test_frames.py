"""A frame is read whole or refused, whatever it holds, and quickly."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.control.bounds import Bounds
from pegboard.control.frames import answer_line, error_line, id_of, read_frame, read_request
from pegboard.errors import BoardError, ControlError
from pegboard.values import DEFAULT_LIMITS, Limits

FRAME = {"protocol": 1, "id": 7, "method": "status", "params": {}}


def refusal(line: bytes) -> tuple[str, str]:
    """The kind of a refusal, and its words."""
    with pytest.raises(ControlError) as caught:
        read_request(read_frame(line, Bounds(), DEFAULT_LIMITS))
    return caught.value.kind, str(caught.value)


def changed(**fields: Any) -> bytes:
    return json.dumps({**FRAME, **fields}).encode()


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_request_or_refused(line: bytes) -> None:
    try:
        kind = type(read_request(read_frame(line, Bounds(), DEFAULT_LIMITS))).__name__
    except ControlError as error:
        kind = error.kind

    assert kind in ("Request", "invalid_request", "too_large", "wrong_protocol")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = st.fixed_dictionaries(
    {}, optional={key: JSON | st.just(each) for key, each in FRAME.items()} | {"more": JSON}
)


@given(FIELDS)
def test_an_object_is_a_request_exactly_if_every_field_is_as_it_must_be(fields: Any) -> None:
    is_request = (
        fields.keys() <= FRAME.keys()
        and type(fields.get("protocol")) is int
        and fields["protocol"] == 1
        and type(fields.get("id")) in (int, str)
        and type(fields.get("method")) is str
        and type(fields.get("params", {})) is dict
    )

    try:
        read_request(read_frame(json.dumps(fields).encode(), Bounds(), DEFAULT_LIMITS))
    except ControlError:
        assert not is_request
    else:
        assert is_request


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\xff\xfe", "isn't UTF-8"),
        (b'{"id": "\\ud800"}', "lone surrogate"),
        (b'{"id": 1, "id": 2}', "'id' is repeated"),
        (b'{"id": NaN}', "NaN"),
        (b"[" * 300 + b"]" * 300, "nested deeper"),
        (b"[]", "an object, not list"),
        (b"", "isn't JSON"),
        (b"{", "isn't JSON"),
        (changed(parms={}), "the request has no 'parms'; did you mean 'params'?"),
        (changed(id=True), "id must be"),
        (changed(id=None), "id must be"),
        (changed(id=1.5), "id must be"),
        (changed(id=[1]), "id must be"),
        (changed(method=1), "method must be text"),
        (changed(params=[]), "params must be an object"),
        (changed(protocol=True), "protocol must be 1"),
        (changed(protocol="1"), "protocol must be 1"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(line: bytes, words: str) -> None:
    kind, message = refusal(line)

    assert kind == "invalid_request"
    assert words in message


def test_another_protocol_is_told_apart_whatever_else_is_in_the_frame() -> None:
    assert refusal(b'{"protocol": 2, "verb": []}')[0] == "wrong_protocol"


def test_a_request_of_too_many_parts_is_refused_before_it_is_read() -> None:
    assert refusal(b"[" + b"1," * 5000 + b"1]")[0] == "too_large"


HOSTILE = {
    "nesting": b"[" * 2**20,
    "repeated": b"{" + b",".join([b'"a":1'] * 2000) + b"}",
    "constants": b"[" + b"NaN," * 4000 + b"1]",
    "escapes": b'"' + b"\\u0041" * (2**20 // 6) + b'"',
    "digits": b"9" * 2**20,
    "spaces": b" " * 2**20,
    "a long method": changed(method="x" * 2**20),
    "a long key": changed(**{"x" * 2**20: 1}),
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_request_is_refused_before_calls_would_notice(line: bytes) -> None:
    started = time.process_time()

    message = ""
    try:
        read_request(read_frame(line, Bounds(), DEFAULT_LIMITS))
    except ControlError as error:
        message = str(error)

    assert time.process_time() - started < 0.1
    assert len(message) < 300


@pytest.mark.parametrize("number", [0, -1, 2**70, "", "a", "ä"])
def test_ids_are_given_back_exactly(number: int | str) -> None:
    found = id_of(read_frame(changed(id=number), Bounds(), DEFAULT_LIMITS))

    answer = json.loads(answer_line(found, {"a": 1}, Bounds()))
    assert answer == {"protocol": 1, "id": number, "result": {"a": 1}}


def test_what_no_json_can_hold_is_escaped_in_an_answer() -> None:
    answer = json.loads(answer_line(1, [{"path": "a\udcffb"}], Bounds()))

    assert answer["result"] == [{"path": "a\\udcffb"}]


def test_an_answer_that_is_too_long_is_refused() -> None:
    with pytest.raises(ControlError) as caught:
        answer_line(1, "x" * 200, Bounds(answer=100))

    assert caught.value.kind == "too_large"


def test_an_error_has_the_name_of_its_class_or_its_own_kind() -> None:
    lines = [
        error_line(1, BoardError("gone \udcff")),
        error_line(None, ControlError("no", kind="busy")),
    ]

    assert [json.loads(each) for each in lines] == [
        {"protocol": 1, "id": 1, "error": {"kind": "BoardError", "message": "gone \\udcff"}},
        {"protocol": 1, "id": None, "error": {"kind": "busy", "message": "no"}},
    ]


def test_the_limits_of_the_host_hold_for_requests() -> None:
    with pytest.raises(ControlError, match="nested deeper than 2 levels"):
        read_frame(changed(params={"a": [[1]]}), Bounds(), Limits(max_depth=2))
