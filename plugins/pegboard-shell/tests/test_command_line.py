"""A model's message, answered by the command with real commands."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "I count the lines."},
        {
            "type": "tool_use",
            "id": "toolu_1",
            "name": "shell_run",
            "input": {"command": "wc -l < notes.txt", "cwd": "inner"},
        },
        {"type": "tool_use", "id": "toolu_2", "name": "shell_run", "input": {"command": "exit 3"}},
        {
            "type": "tool_use",
            "id": "toolu_3",
            "name": "shell_start",
            "input": {"command": "echo up; setsid sleep 600 & sleep 600"},
        },
        {
            "type": "tool_use",
            "id": "toolu_4",
            "name": "shell_read",
            "input": {"job": "job-1", "wait": 30},
        },
        {
            "type": "tool_use",
            "id": "toolu_5",
            "name": "shell_run",
            "input": {"command": "pwd", "cwd": "../.."},
        },
    ],
}
OPENAI = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "call_1",
            "type": "function",
            "function": {
                "name": "shell_run",
                "arguments": json.dumps({"command": "cat; env", "stdin": "given\n"}),
            },
        }
    ],
}


@attrs.frozen
class Desk:
    """A folder with a configuration, where the command is run."""

    folder: Path
    environment: dict[str, str]

    def run(self, message: object) -> "subprocess.CompletedProcess[str]":
        """Answer a message."""
        (self.folder / "message.json").write_text(json.dumps(message))
        return subprocess.run(
            [sys.executable, "-m", "pegboard", "run", "message.json"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture
def desk(root: Path, marked: Any) -> Desk:
    """A folder whose configuration loads the installed plugin."""
    (root / "inner" / "notes.txt").write_text("one\ntwo\n")
    (root.parent / "pegboard.toml").write_text(
        'only = ["shell"]\n[plugins.shell]\nroot = "root"\ngrace = 0.3\n'
        'environment = ["PATH", "PEGBOARD_SHELL_TEST"]\n'
    )
    return Desk(root.parent, {**os.environ, "API_KEY": "SECRET"})


def test_every_call_of_a_message_is_answered_in_its_order(desk: Desk, marked: Any) -> None:
    ran = desk.run(ANTHROPIC)

    [message] = json.loads(ran.stdout)
    texts = {each["tool_use_id"]: each["content"][0]["text"] for each in message["content"]}
    assert texts["toolu_1"].split() == ["2", "[exit", "status", "0]"]
    assert texts["toolu_2"] == "(no output)\n[exit status 3]"
    assert texts["toolu_4"] == "up\n[it runs]"
    assert "leads out of the root folder" in texts["toolu_5"]
    assert [each.get("is_error", False) for each in message["content"]] == [False] * 4 + [True]
    assert marked.running() == []


def test_a_command_gets_its_input_and_no_secret_of_the_host(desk: Desk) -> None:
    ran = desk.run(OPENAI)

    [message] = json.loads(ran.stdout)
    assert message["tool_call_id"] == "call_1"
    assert message["content"].startswith("given\n")
    assert "SECRET" not in ran.stdout
    assert (ran.returncode, ran.stderr) == (0, "")
