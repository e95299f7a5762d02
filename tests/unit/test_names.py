"""What may be called what."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import InvalidNameError, UnknownNameError
from pegboard.errors import near_names
from pegboard.names import check_name, check_tool_name


@given(st.text(max_size=70))
def test_a_tool_has_a_name_of_ascii_letters_digits_and_two_signs_or_is_refused(name: str) -> None:
    fits = re.fullmatch("[A-Za-z_][A-Za-z0-9_-]{0,63}", name) is not None

    try:
        taken = check_tool_name(name, owner="a test")
    except InvalidNameError:
        taken = None

    assert (taken == name) is fits


@given(st.characters().filter(lambda each: unicodedata.category(each) != "Cs"))
def test_no_character_outside_ascii_is_ever_in_a_name(character: str) -> None:
    if character.isascii():
        return

    for check in (
        lambda name: check_tool_name(name, owner="x"),
        lambda name: check_name(name, kind="board"),
    ):
        with pytest.raises(InvalidNameError):
            check(f"a{character}")


@pytest.mark.parametrize(
    "name", ["../x", "/etc", "a/../b", "..", "a\\b", "a\x00b", "", None, 3, "."]
)
def test_no_board_or_plugin_is_called_like_a_path(name: object) -> None:
    with pytest.raises(InvalidNameError):
        check_name(name, kind="plugin")


def test_near_names_are_found_across_case_and_dashes() -> None:
    known = ["files_read", "files_write", "clock_now"]

    assert near_names("file-read", known)[0] == "files_read"
    assert near_names("FILES_WRITE", known)[0] == "files_write"
    assert near_names("zzz", known) == ()


def test_an_unknown_name_is_told_with_its_kind_and_the_near_ones() -> None:
    error = UnknownNameError("board", "reseacher", ["researcher", "coder"])

    assert str(error) == "unknown board 'reseacher'; did you mean 'researcher'?"
