"""On a terminal a person reads tables within its width, and nothing steers the terminal."""

from typing import Any

import pytest
from rich.cells import cell_len

RAINBOW = '''
from pegboard import hookimpl, tool

@tool
def rainbow() -> str:
    """Show the colours of [bold]the[/bold] rainbow, of which there are many."""
    return "\\x1b[31mred\\x1b[0m \\u202e[bold]"

@hookimpl
def pegboard_tools():
    return [rainbow]
'''


@pytest.mark.parametrize("columns", [80, 200])
def test_the_demo_fits_the_terminal(desk: Any, columns: int) -> None:
    status, printed = desk.on_terminal("demo", columns=columns)

    assert status == 0
    assert [line for line in printed.splitlines() if cell_len(line) > columns] == []
    assert "toolu_01A" in printed


def test_a_list_on_a_terminal_is_drawn_within_its_width(desk: Any) -> None:
    _, printed = desk.on_terminal("tools", columns=60)

    assert "─" in printed
    assert max(map(cell_len, printed.splitlines())) <= 60


def test_what_a_tool_gives_can_t_steer_a_terminal(bare: Any) -> None:
    bare.install("rainbow", RAINBOW)

    _, printed = bare.on_terminal("call", "rainbow", columns=80)
    status, as_json = bare.on_terminal("call", "rainbow", "--json", columns=20)

    assert printed == "\\x1b[31mred\\x1b[0m \\u202e[bold]\n"
    assert status == 0
    assert '"value": "\\u001b[31mred\\u001b[0m \\u202e[bold]"' in as_json
