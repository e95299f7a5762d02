"""Whatever is wrong with asking a host is one line that names it, and an exit status."""

import socket
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from pegboard_ctl import running_host

FILES = {
    "none.toml": 'block = ["x"]\n',
    "near.toml": 'contol = "run/p.sock"\n',
    "odd.toml": "control = 7\n",
    "broken.toml": "control = \n",
    "gone.toml": 'control = "run/gone.sock"\n',
}
MISTAKES = {
    "no configuration and no socket": ("ps", 2, ["--socket", "--config", "pegboard.toml"]),
    "no such configuration": ("ps --config nune.toml", 2, ["'nune.toml'", "'none.toml'"]),
    "a configuration without a socket": ("ps --config none.toml", 2, ["control = ", "--socket"]),
    "a socket under a wrong key": ("ps --config near.toml", 2, ["'contol'"]),
    "a socket that is no path": ("ps --config odd.toml", 2, ["control in odd.toml"]),
    "a configuration that isn't TOML": ("ps --config broken.toml", 2, ["broken.toml", "TOML"]),
    "no socket where one is said to be": ("ps --config gone.toml", 3, ["run/gone.sock"]),
    "no socket where one is named": ("ps --socket none.sock", 3, ["none.sock"]),
    "a file in the place of a socket": ("ps --socket none.toml", 3, ["none.toml"]),
    "nobody at a socket": ("ps --socket {stale}", 3, ["stale.sock"]),
    "a path too long for a socket": ("ps --socket {long}", 3, ["bytes", "socket"]),
    "no command": ("", 2, ["missing command", "pegboard ctl --help"]),
    "an unknown command": ("pss", 2, ["'pss'", "'ps'"]),
    "an unknown option": ("ps --sockt x", 2, ["--sockt", "--socket"]),
    "nothing to deny": ("deny", 2, ["--plugin"]),
    "a table that is no JSON": ("deny {", 2, ["'{'", "JSON"]),
    "a denial of one board that is kept": ("deny look --board one --keep", 2, ["--keep"]),
    "nothing to cancel": ("cancel", 2, ["BOARD", "--call"]),
    "a grace below nothing": ("unload x --grace -1", 2, ["--grace", "-1"]),
    "a grace that is no number": ("unload x --grace soon", 2, ["--grace", "number"]),
}
REFUSED = {
    "an unknown board": ("tools --board tow", 2, ["unknown board 'tow'", "'two'"]),
    "an unknown tool": ("explain lok --board two", 2, ["'lok'", "'look'"]),
    "an unknown plugin to unload": ("unload patien", 2, ["'patien'", "'patient'"]),
    "an unknown plugin to load": ("load patien", 2, ["'patien'", "'patient'"]),
    "an unknown call": ("cancel --call shrt", 2, ["'shrt'", "'short'"]),
    "a table with an unknown key": ('deny {"plugn":"x"}', 2, ["plugn", "plugin"]),
    "what nobody has denied": ("allow look", 2, ["'look'"]),
}


@pytest.fixture
def full(bare: Any) -> Iterator[Any]:
    """A desk with configurations, and a socket where nobody listens any more."""
    for name, text in FILES.items():
        bare.write(name, text)
    with tempfile.TemporaryDirectory(prefix="pegboard-") as folder:
        left = socket.socket(socket.AF_UNIX)
        left.bind(f"{folder}/stale.sock")
        left.close()
        bare.write("stale", folder)
        yield bare


def is_one_line_with(ran: Any, status: int, parts: list[str]) -> bool:
    """Whether a command has ended so, with nothing but one line of messages that has the parts."""
    is_so = (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    return is_so and all(each in ran.err for each in parts)


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["people", "programs"])
@pytest.mark.parametrize(("words", "status", "parts"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line_that_names_it(
    full: Any, words: str, status: int, parts: list[str], more: list[str]
) -> None:
    folder = (full.work / "stale").read_text()
    placed = words.replace("{stale}", f"{folder}/stale.sock").replace("{long}", "x" * 200)

    ran = full.answer("ctl", *placed.split(), *more)

    assert is_one_line_with(ran, status, parts), ran


def test_what_a_host_refuses_is_one_line_that_says_why(bare: Any) -> None:
    with running_host(bare) as host:
        wrong = [
            ran
            for words, status, parts in REFUSED.values()
            for more in ([], ["--json"])
            for ran in [host.ctl(*words.split(), *more)]
            if not is_one_line_with(ran, status, parts)
        ]

    assert wrong == []


@pytest.mark.parametrize("command", ["top", "ctl ps"])
def test_a_host_that_is_gone_is_exit_status_3(bare: Any, command: str) -> None:
    with running_host(bare) as host:
        host.end()

        ran = bare.answer(*command.split())

    assert is_one_line_with(ran, 3, ["no socket", "p.sock"]), ran
