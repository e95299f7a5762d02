"""What a pattern can mean, for names of tools and of boards."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.names import is_name, is_tool_name
from pegboard.selection import can_match

parts = st.sampled_from(["*", "?", "a", "Z", "7", "-", "_", ".", "@", "[ab]", "[!a]", "[.@]", " "])
patterns = st.lists(parts, min_size=1, max_size=6).map("".join)
names = st.text("aZ7-_.@b", min_size=1, max_size=6)


@given(patterns, names)
def test_a_pattern_that_matches_a_name_is_said_to(pattern: str, name: str) -> None:
    if fnmatchcase(name, pattern):
        assert can_match(pattern) or not is_tool_name(name)
        assert can_match(pattern, is_name=is_name) or not is_name(name)


@pytest.mark.parametrize("pattern", ["a b", "-a", "7*", "[.]x", "", "a" * 65])
def test_what_matches_no_name_of_a_tool_is_known(pattern: str) -> None:
    assert not can_match(pattern)


@pytest.mark.parametrize("pattern", ["a b", "-*", "a.", "[ ]", "é"])
def test_what_matches_no_name_of_a_board_is_known(pattern: str) -> None:
    assert not can_match(pattern, is_name=is_name)


@pytest.mark.parametrize("pattern", ["agent-*", "a.*", "*.b", "7", "*", "user@host:[0-9]"])
def test_what_matches_some_board_is_known(pattern: str) -> None:
    assert can_match(pattern, is_name=is_name)
