"""Text becomes words, and names their parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard_search.words import LONGEST, alike, telling, words, words_of_name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("List all files.", ["list", "all", "files"]),
        ("read_file", ["read", "file"]),
        ("read-file.now", ["read", "file", "now"]),
        ("readFile", ["readfile", "read", "file"]),
        ("HTTPServer2Go", ["httpserver2go", "http", "server2", "go"]),
        ("an e-mail or two-step T-shirt", ["an", "email", "or", "two", "step", "tshirt"]),
        ('"quoted" AND (x NEAR y) -z*', ["quoted", "and", "x", "near", "y", "z"]),
        ("nul\0byte 😀 ﬁle", ["nul", "byte", "file"]),
        ("天気を見る", ["天", "気", "を", "見", "る"]),
        ("Größe ÅR", ["größe", "år"]),
    ],
)
def test_a_text_is_split_into_its_words(text: str, found: list[str]) -> None:
    assert words(text) == found


@given(st.text())
def test_a_word_holds_letters_and_digits_only_and_is_bounded(text: str) -> None:
    assert all(each and len(each) <= LONGEST for each in words(text))
    assert not [each for each in words(text) if set(each) & set(" \"'*^:(){}+-\0_")]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("fetch", ["fetch"]),
        ("read_file", ["read", "file", "readfile"]),
        ("getInvoice", ["getinvoice", "get", "invoice"]),
    ],
)
def test_a_name_is_also_one_word(name: str, found: list[str]) -> None:
    assert words_of_name(name) == found


def test_what_everybody_says_is_not_searched_for_unless_nothing_else_is_said() -> None:
    assert telling(["how", "do", "i", "reboot", "the", "server"]) == ["reboot", "server"]
    assert telling(["what", "is", "this", "what"]) == ["what", "is", "this"]


def test_what_is_done_to_things_has_several_words() -> None:
    assert {"delete", "remove", "drop"} <= set(alike(["erase", "branch"]))
    assert alike(["get"]) == []
    assert "erase" not in alike(["erase", "delete"])
