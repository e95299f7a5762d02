"""What the control channel refuses, and in which words."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard_control import operated, raw, refused, request, served, short_folder
from pegboard_versions import Versions, versions_at


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "run" / "c.sock"


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("status", {"bord": 1}, "status has no 'bord'"),
        ("running", {"bord": "a"}, "running has no 'bord'; did you mean 'board'?"),
        ("running", {"board": 1}, "board must be a string, not an integer"),
        ("unload", {}, "unload: name is missing"),
        ("unload", {"name": "a", "grace": -1}, "grace must be"),
        ("unload", {"name": "a", "grace": True}, "grace must be a number, not a boolean"),
        ("unload", {"name": "a", "grace": 1e300}, "grace must be"),
        ("unload", {"name": "a", "block": "yes"}, "block must be"),
        ("unload", {"name": "x" * 300}, "name must have at most 256 characters"),
        ("load", {"name": "./evil.py"}, "an installed plugin, not a path"),
        ("load", {"name": "evil.py"}, "an installed plugin, not a path"),
        ("deny", {"selectors": "echo"}, "selectors must be an array"),
        ("deny", {"selectors": []}, "selectors must have at least 1 item"),
        ("deny", {"selectors": [{"plugn": "a"}]}, "plugn isn't declared; did you mean 'plugin'?"),
        ("deny", {"selectors": [1]}, "selectors[0]"),
        ("deny", {"selectors": [{}]}, 'for all of them, write "*"'),
        ("deny", {"selectors": ["a b*"]}, "'a b*' matches no name that a tool can have"),
        ("allow", {"selectors": [{"tags": []}]}, 'for all of them, write "*"'),
        ("deny", {"selectors": ["a"] * 300}, "a list has at most 256 items"),
        ("deny", {"selectors": [dict.fromkeys("abcdefghijklmnopq")]}, "at most 16 keys"),
        ("cancel", {}, "cancel takes board, call_id or both"),
        ("explain", {"name": "echo"}, "board is missing"),
    ],
)
async def test_wrong_params_are_named(
    path: Path, method: str, params: dict[str, Any], words: str
) -> None:
    async with operated(path):
        kind, message = await refused(path, method, **params)

    assert kind == "invalid_request"
    assert words in message


@pytest.mark.parametrize(
    ("method", "params", "refusal"),
    [
        (
            "unlod",
            {},
            ("unknown_method", "unknown method 'unlod'; did you mean 'unload' or 'load'?"),
        ),
        ("load", {"name": "nobody"}, ("UnknownNameError", "unknown plugin 'nobody'")),
        ("unload", {"name": "nobody"}, ("UnknownNameError", "unknown plugin 'nobody'")),
        ("reload", {"name": "nobody"}, ("UnknownNameError", "unknown plugin 'nobody'")),
        (
            "cancel",
            {"board": "dsk"},
            ("UnknownNameError", "unknown board 'dsk'; did you mean 'desk'?"),
        ),
        ("cancel", {"call_id": "c9"}, ("UnknownNameError", "unknown running call 'c9'")),
        (
            "tools",
            {"board": "dsk"},
            ("UnknownNameError", "unknown board 'dsk'; did you mean 'desk'?"),
        ),
    ],
)
async def test_what_the_host_refuses_is_answered_with_its_own_error(
    path: Path, method: str, params: dict[str, Any], refusal: tuple[str, str]
) -> None:
    async with operated(path):
        assert await refused(path, method, **params) == refusal


@pytest.mark.parametrize("name", ["mail\0x", "mail\n", "\x1b[2J", "ma\u202eil", "\u2028"])
@pytest.mark.parametrize(
    ("method", "key", "more"),
    [
        ("load", "name", {}),
        ("unload", "name", {}),
        ("reload", "name", {}),
        ("explain", "name", {"board": "desk"}),
        ("explain", "board", {"name": "echo"}),
        ("running", "board", {}),
        ("tools", "board", {}),
        ("cancel", "board", {}),
        ("deny", "board", {"selectors": ["echo"]}),
        ("allow", "board", {"selectors": ["echo"]}),
    ],
)
async def test_a_name_with_a_character_that_none_has_is_refused_before_it_is_told(
    path: Path, method: str, key: str, more: dict[str, Any], name: str
) -> None:
    async with served(path), raw(path) as peer:
        answer = await peer.send(request(method, **{key: name}, **more)).read()

    assert answer["error"] == {
        "kind": "invalid_request",
        "message": f"{method}: {key} holds a character that no name has: {name!a}",
    }


@pytest.mark.parametrize("key", ["plugin", "distribution"])
async def test_so_is_one_in_a_selector(path: Path, key: str) -> None:
    async with served(path):
        kind, message = await refused(path, "deny", selectors=["echo", {key: "a\0"}])

    assert (kind, f"{key} holds a character that no name has" in message) == (
        "invalid_request",
        True,
    )


async def test_a_plugin_that_can_t_be_loaded_says_why(path: Path, versions: Versions) -> None:
    versions.install(1, code="raise OSError('no disk')")
    async with operated(path):
        kind, message = await refused(path, "load", name="gauge")

    assert kind == "PluginLoadError"
    assert "no disk" in message


UNCONTROLLED = """
import asyncio, sys
from pegboard import Host

async def main():
    async with Host(discover=False):
        print([name for name in sys.modules if name.startswith("pegboard.control")])

asyncio.run(main())
"""


def test_a_host_without_a_control_channel_imports_none_of_it() -> None:
    command = [sys.executable, "-c", UNCONTROLLED]

    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
