"""On a terminal a person reads tables within its width, and nothing steers the terminal."""

import contextlib
import fcntl
import os
import re
import struct
import subprocess
import termios
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


def on_terminal(desk: Any, *words: str, columns: int) -> tuple[int, str]:
    """The exit status of a command, and what a terminal of that width got, colours aside."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with desk.start(*words, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE) as process:
        os.close(theirs)
        printed = b"".join(iter(lambda: _read(ours), b""))
        os.close(ours)
        assert process.stderr.read() == ""
    text = printed.decode().replace("\r\n", "\n")
    return process.returncode, re.sub(r"\x1b\[[0-9;]*m", "", text)


def _read(descriptor: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.read(descriptor, 65536)
    return b""


@pytest.mark.parametrize("columns", [80, 200])
def test_the_demo_fits_the_terminal(desk: Any, columns: int) -> None:
    status, printed = on_terminal(desk, "demo", columns=columns)

    assert status == 0
    assert [line for line in printed.splitlines() if cell_len(line) > columns] == []
    assert "toolu_01A" in printed


def test_a_list_on_a_terminal_is_drawn_within_its_width(desk: Any) -> None:
    _, printed = on_terminal(desk, "tools", columns=60)

    assert "─" in printed
    assert max(map(cell_len, printed.splitlines())) <= 60


def test_what_a_tool_gives_can_t_steer_a_terminal(bare: Any) -> None:
    bare.install("rainbow", RAINBOW)

    _, printed = on_terminal(bare, "call", "rainbow", columns=80)
    status, as_json = on_terminal(bare, "call", "rainbow", "--json", columns=20)

    assert printed == "\\x1b[31mred\\x1b[0m \\u202e[bold]\n"
    assert status == 0
    assert '"value": "\\u001b[31mred\\u001b[0m \\u202e[bold]"' in as_json
