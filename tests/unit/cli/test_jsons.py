import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pegboard import Code, Failure, Image, Resource, Success, Text, ToolCall
from pegboard.cli.jsons import call_json, outcome_json, print_json
from pegboard.cli.streams import Streams

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    LEAVES.filter(lambda leaf: leaf not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


class Terminal(io.TextIOWrapper):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(value: Any, stream: io.TextIOWrapper) -> str:
    """What a value looks like in a stream."""
    print_json(value, Streams(stream, io.StringIO()))
    stream.seek(0)
    return stream.read()


def stream_of(cls: type[io.TextIOWrapper], encoding: str = "utf-8") -> io.TextIOWrapper:
    """An empty stream."""
    return cls(io.BytesIO(), encoding=encoding, newline="\n")


@given(VALUES)
def test_json_on_a_terminal_is_the_same_value_and_can_t_steer_it(value: Any) -> None:
    text = printed(value, stream_of(Terminal))

    assert json.loads(text) == value
    assert text.replace("\n", "").isprintable()


@given(VALUES)
def test_json_in_a_narrow_encoding_is_the_same_value(value: Any) -> None:
    assert json.loads(printed(value, stream_of(io.TextIOWrapper, "ascii"))) == value


def test_integers_of_any_size_and_deep_values_are_printed() -> None:
    deep: Any = 10**4000
    for _ in range(256):
        deep = [deep]

    text = printed(deep, stream_of(io.TextIOWrapper))

    assert json.loads(text) == deep


def test_a_success_as_json_says_all_of_it() -> None:
    content = (Text("a"), Image("AA==", "image/png"), Resource("file:///a", text="b"))

    found = outcome_json(Success("1", "t", {"n": 1}, content, contexts=["c"], concludes=True))

    assert found["value"] == {"n": 1}
    assert [each["type"] for each in found["content"]] == ["text", "image", "resource"]
    assert (found["contexts"], found["concludes"], found["is_error"]) == (["c"], True, False)


def test_a_failure_as_json_says_all_of_it() -> None:
    found = outcome_json(Failure("1", "t", Code.TOOL_ERROR, "no", details={"code": "x"}))

    assert (found["code"], found["message"], found["details"]) == (
        "tool_error",
        "no",
        {"code": "x"},
    )


def test_a_call_as_json_has_its_id_name_and_arguments() -> None:
    assert call_json(ToolCall("1", "t", {"a": 1})) == {
        "id": "1",
        "name": "t",
        "arguments": {"a": 1},
    }
