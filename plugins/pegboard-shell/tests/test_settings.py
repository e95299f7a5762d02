"""Settings and the moment of loading, through a host."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Outcome, PluginLoadError
from pegboard.testing import check_plugin

TestPlugin = check_plugin("shell", settings=lambda folder: {"root": str(folder)})

Call = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("timeout", 0),
        ("timeout", 601),
        ("max_timeout", 10),
        ("grace", -1),
        ("grace", 60),
        ("answer_bytes", 1),
        ("answer_bytes", 2**40),
        ("output_bytes", 0),
        ("kept_files", 0),
        ("kept_bytes", 1000),
        ("jobs", -1),
        ("processes", 0),
        ("cpu_seconds", 0),
        ("memory_bytes", 1),
        ("file_bytes", -1),
        ("kept", "/kept"),
        ("kept", "../kept"),
        ("kept", "."),
        ("cpu_seconds", 2**70),
        ("memory_bytes", 2**64),
        ("file_bytes", 2**63),
        ("kept", "ke\0pt"),
        ("environment", ["A=B"]),
        ("environment", [""]),
        ("shell", "sh"),
        ("shell", "/no/such/shell"),
        ("shell", "/"),
        ("shells", "/bin/sh"),
    ],
)
def test_a_setting_that_cannot_be_held_is_an_error_that_names_it(
    call: Call, setting: str, value: object
) -> None:
    with pytest.raises(PluginLoadError, match=setting):
        call({"command": "true"}, **{setting: value})


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_root_that_is_no_folder_is_an_error_at_loading(call: Call, root: Path, name: str) -> None:
    (root / "file").touch()

    with pytest.raises(PluginLoadError, match=f"root '.*/{name}' is not a folder"):
        call({"command": "true"}, root=str(root / name))


def test_the_root_is_the_working_folder_unless_it_is_set(
    call: Call, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "inner")

    assert call({"command": "pwd"}, root=".").unwrap()["output"] == f"{root / 'inner'}\n"


def test_the_time_of_a_command_that_asks_for_none_is_set(call: Call) -> None:
    assert call({"command": "sleep 600"}, timeout=0.3).unwrap()["ended"] == "timeout"


def test_a_system_that_can_not_hold_commands_is_refused_with_the_reason(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set())

    with pytest.raises(PluginLoadError, match=r"needs a system .*\(POSIX\); block the plugin"):
        call({"command": "true"})


ELSEWHERE = """
import asyncio, os, signal, sys
import pegboard, pegboard.testing

async def main():
    async with pegboard.Host(discover=False) as host:
        sys.modules["resource"] = None
        for name in ("SIGHUP", "SIGQUIT", "SIGCHLD", "SIGXFSZ", "SIGPIPE", "SIGKILL", "SIGCONT"):
            delattr(signal, name)
        os.supports_dir_fd = set()
        try:
            await host.load("shell")
        except pegboard.PluginLoadError as error:
            print(error)

asyncio.run(main())
"""


def test_a_system_without_such_signals_and_limits_is_told_the_same_reason() -> None:
    command = [sys.executable, "-c", ELSEWHERE]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "needs a system with process groups" in ran.stdout
