import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pegboard.cli.jsons import print_json
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
