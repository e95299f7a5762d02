"""`tools --sdk` prints what programs of a board are checked against."""

from typing import Any

import pytest

BOARDS = """
[boards.narrow]
allow = ["say"]
"""


def test_the_declarations_of_a_board_s_visible_tools_are_printed(desk: Any) -> None:
    desk.write("pegboard.toml", BOARDS)

    ran = desk.answer("tools", "--sdk", "--board", "narrow")

    assert (ran.status, ran.err) == (0, "")
    assert "async def say(" in ran.out
    assert "async def shout(" not in ran.out
    compile(ran.out, "sdk", "exec")


def test_as_json_the_same_text_comes_with_the_name_of_the_board(desk: Any) -> None:
    desk.write("pegboard.toml", BOARDS)

    plain = desk.answer("tools", "--sdk", "--board", "narrow").out
    told = desk.answer("tools", "--sdk", "--json", "--board", "narrow").json

    assert told == {"board": "narrow", "sdk": plain}


@pytest.mark.parametrize("other", ["--matrix", "--watch"])
def test_the_declarations_are_one_listing_at_a_time(desk: Any, other: str) -> None:
    ran = desk.answer("tools", "--sdk", other)

    assert ran.status == 2
    assert "don't go together; leave one out" in ran.err
    assert "--sdk" in ran.err
