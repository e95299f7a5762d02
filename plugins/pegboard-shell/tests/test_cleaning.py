"""Bytes of any kind become plain text, however they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard_shell.cleaning import LONGEST_ESCAPE, Cleaner

PARTS = [
    *(b"\x1b", b"[", b"]", b"P", b"\\", b"\x07", b"m", b"0", b";", b" ", b"(", b"\r", b"\n"),
    *(b"a", b"\xc3", b"\xa9", b"\xff", b"\0", b"\xe2\x98"),
]


def clean(*pieces: bytes) -> str:
    """The text of some pieces."""
    cleaner = Cleaner()
    return "".join(map(cleaner.feed, pieces)) + cleaner.feed(b"", is_last=True)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07text", "text"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bP1$r0m\x1b\\x", "x"),
        (b"\x1b[2J\x1b[H\x1b(B\x1b=ok", "ok"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"nul\0bell\x07back\x08del\x7f", "nul␀bell␇back␈del␡"),
        (b"\xff\xfecaf\xe9", "\ufffd\ufffdcaf\ufffd"),
        ("\x9b31m".encode(), "\ufffd31m"),
        (b"\x1b", "␛"),
        (b"\x1b]never ends\nbut goes on", "␛]never ends\nbut goes on"),
        ("é☕𝄞".encode(), "é☕𝄞"),
        (b"", ""),
    ],
)
def test_only_text_is_left(data: bytes, text: str) -> None:
    assert clean(data) == text


@given(st.lists(st.sampled_from(PARTS), max_size=14), st.lists(st.integers(0, 20), max_size=4))
def test_it_does_not_matter_how_the_bytes_are_cut(parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    pieces = [data[one:two] for one, two in pairwise([0, *sorted(cuts), len(data) + 20])]

    assert clean(*pieces) == clean(data)


@given(st.binary())
def test_no_control_character_is_left_but_tabs_and_line_ends(data: bytes) -> None:
    text = clean(data)

    assert not {each for each in text if ord(each) < 32 or 127 <= ord(each) < 160} - {"\t", "\n"}
    text.encode()


def test_what_looks_like_an_escape_for_ever_is_not_held_back_for_ever() -> None:
    cleaner = Cleaner()

    texts = [cleaner.feed(b"\x1b]" + b"x" * 100) for _ in range(100)]

    assert len("".join(texts)) > 100 * 102 - LONGEST_ESCAPE
