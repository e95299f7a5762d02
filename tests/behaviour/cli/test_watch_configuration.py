"""`--watch` and the configuration: each key in one line, each mistake once."""

import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pegboard_stopped import SLOW

FIRST = 'only = ["slow"]\ncontrol = "run/p.sock"\n'


@pytest.fixture
def watched(bare: Any) -> Iterator[Any]:
    """`tools --watch` with a configuration, in a process of its own."""
    bare.install("slow", SLOW)
    bare.write("pegboard.toml", FIRST)
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with bare.start("tools", "--watch", "--json", **pipes) as process:
        late = threading.Timer(30, process.kill)
        late.start()
        process.stdout.readline()
        yield process
        late.cancel()
        process.kill()


def save(bare: Any, text: str) -> None:
    """Save it as an editor does that writes another file first."""
    bare.write("new.toml", text)
    (bare.work / "new.toml").replace(bare.work / "pegboard.toml")


def said(process: Any, last: str) -> list[str]:
    """What is said up to a line with a text."""
    lines: list[str] = []
    while not lines or last not in lines[-1]:
        lines.append(process.stderr.readline().rstrip("\n").removeprefix("pegboard: "))
        assert lines[-1], lines
    return lines


def test_keys_are_told_one_a_line_and_mistakes_once_until_it_is_whole(
    bare: Any, watched: Any
) -> None:
    save(bare, FIRST + 'deny = ["s*"]\n')
    first = said(watched, "configured anew")
    save(bare, FIRST + "deny = 's*'\n")
    second = said(watched, ":3: deny")
    save(bare, FIRST + "deny = 's*'\nmax_nesting = -1\n")
    third = said(watched, "max_nesting")
    save(bare, FIRST + "max_nesting = 1\n")
    last = said(watched, "configured anew")

    assert first[:-1] == ['pegboard.toml:3: deny: [] -> ["s*"]']
    assert (len(second), len(third)) == (1, 1)
    assert last[:-1] == [
        "the configuration is without mistakes again",
        'deny: ["s*"] -> []',
        "pegboard.toml:3: max_nesting: 64 -> 1",
    ]


def test_settings_of_a_plugin_that_nobody_installed_are_told_of_once(
    bare: Any, watched: Any
) -> None:
    text = f"{FIRST}[plugins.slwo]\nx = 1\n"
    save(bare, text)
    first = said(watched, "configured anew")
    save(bare, f"{text}[reserved]\nx = 'Ours.'\n")
    second = said(watched, "configured anew")

    assert [each for each in first if "'slwo'" in each] == [
        "pegboard.toml:3: no plugin 'slwo' is installed; did you mean 'slow'?"
    ]
    assert [each for each in second if "slwo" in each] == []
