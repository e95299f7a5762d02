"""`tools --matrix` shows boards beside tools, with what is hidden and by what."""

from typing import Any

import pytest
from rich.cells import cell_len

BOARDS = """
deny = ["shout"]

[boards."*"]
allow = []

[boards.narrow]
allow = ["s*"]

[boards.child]
parent = "narrow"
deny = ["say"]
"""


def rows_of(printed: str) -> dict[str, list[str]]:
    """The cells of each row of a table, by its first one."""
    lines = (line.split() for line in printed.splitlines() if line.strip())
    return {first: rest for first, *rest in lines}


def reason(listed: list[dict[str, Any]], board: str, tool: str) -> list[dict[str, str]]:
    """What hides a tool on a board."""
    (found,) = (each for each in listed if (each["board"], each["tool"]) == (board, tool))
    assert found["visible"] is (found["reasons"] == [])
    return found["reasons"]  # type: ignore[no-any-return]  # JSON


def test_each_tool_has_a_row_and_each_board_a_column_with_a_number_for_what_hides_it(
    desk: Any,
) -> None:
    desk.write("pegboard.toml", BOARDS)

    ran = desk.answer("tools", "--matrix", "--board", "other")
    rows = rows_of(ran.out)

    assert ran.status == 0
    assert rows["tool"] == ["narrow", "child", "*", "other"]
    assert rows["say"][0] == "yes"
    assert len(set(rows["say"])) == 3
    assert rows[f"{rows['say'][1]}:"][:4] == ["denied", "by", "'say'", "of"]
    assert rows[f"{rows['say'][2]}:"][:5] == ["not", "in", "the", "allow", "list"]


def test_as_json_there_is_an_object_for_each_board_and_tool(desk: Any) -> None:
    desk.write("pegboard.toml", BOARDS)

    listed = desk.answer("tools", "--matrix", "--json").json

    assert reason(listed, "narrow", "say") == []
    assert [each["kind"] for each in reason(listed, "child", "say")] == ["restricted"]
    assert "pegboard.toml:12" in reason(listed, "child", "say")[0]["text"]
    assert "pegboard.toml:2" in reason(listed, "narrow", "shout")[0]["text"]


def test_without_boards_of_a_configuration_there_is_the_default_one(desk: Any) -> None:
    rows = rows_of(desk.answer("tools", "--matrix").out)

    assert (rows["tool"], rows["say"]) == (["default"], ["yes"])


def test_a_board_that_the_configuration_refuses_is_a_mistake(desk: Any) -> None:
    desk.write("pegboard.toml", 'unknown_boards = "refuse"\n' + BOARDS.replace('"*"', "other"))

    ran = desk.answer("tools", "--matrix", "--board", "narow")

    assert (ran.status, ran.out) == (2, "")
    assert "did you mean 'narrow'" in ran.err


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_many_boards_and_tools_stay_within_the_width_of_a_terminal(desk: Any, columns: int) -> None:
    tools = "".join(f"@tool(name='{'x' * (n % 60)}_{n}')\ndef t{n}(): ...\n" for n in range(80))
    desk.install("many", f"from pegboard import tool\n{tools}")
    tables = [f"[boards.a_board_with_a_name_{n}]\ndeny = ['x*_{n}']\n" for n in range(20)]
    desk.write("pegboard.toml", "".join(tables))

    _, printed = desk.on_terminal("tools", "--matrix", columns=columns)
    table, _, notes = printed.partition("\n1: ")

    assert [line for line in table.splitlines() if cell_len(line) > columns] == []
    assert table.count("●") > 20 * 50
    assert notes.count("denied by 'x*_") >= 19
