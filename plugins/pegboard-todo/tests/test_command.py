"""The command answers a provider's message, and the next one finds the list again."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

Asked = list[tuple[str, dict[str, object]]]

FIRST: Asked = [
    ("todo_add", {"texts": ["Read the notes", "Write the summary"]}),
    ("todo_update", {"id": 1, "status": "doing"}),
]
SECOND: Asked = [
    ("todo_update", {"id": 1, "status": "done"}),
    ("todo_update", {"id": 9, "status": "done"}),
    ("todo_list", {}),
]


def anthropic(asked: Asked) -> object:
    """A message with calls, in the shape of Anthropic."""
    blocks = [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
        for number, (name, arguments) in enumerate(asked)
    ]
    return {"role": "assistant", "content": blocks}


def openai(asked: Asked) -> object:
    """A message with calls, in the shape of OpenAI."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(asked)
    ]
    return {"role": "assistant", "tool_calls": calls}


def run(folder: Path, message: object, *words: str) -> Any:
    """What `pegboard run` says to a message."""
    (folder / "pegboard.toml").write_text('only = ["todo"]\n[plugins.todo]\npath = "lists.db"\n')
    (folder / "message.json").write_text(json.dumps(message))
    command = [sys.executable, "-m", "pegboard", "run", "message.json", *words]
    ran = subprocess.run(
        command, cwd=folder, env=os.environ, capture_output=True, text=True, timeout=60, check=False
    )
    return json.loads(ran.stdout)


def test_what_one_message_writes_the_next_one_finds(tmp_path: Path) -> None:
    first = run(tmp_path, anthropic(FIRST))
    second = run(tmp_path, openai(SECOND))

    texts = [each["content"][0]["text"] for each in first[0]["content"]]
    assert texts[1] == (
        "[>] 1: Read the notes\n[ ] 2: Write the summary\n(1 open, 1 doing, 0 done)"
    )
    assert [each["tool_call_id"] for each in second] == ["call_0", "call_1", "call_2"]
    assert second[1]["content"].startswith("Error: there is no item 9 on this list; ")
    assert second[2]["content"].startswith("[x] 1: Read the notes\n[ ] 2: ")


def test_each_board_of_the_command_has_a_list_of_its_own(tmp_path: Path) -> None:
    run(tmp_path, anthropic(FIRST), "--board", "one")

    other = run(tmp_path, anthropic([("todo_list", {})]), "--board", "two")

    assert other[0]["content"][0]["content"][0]["text"] == "(0 open, 0 doing, 0 done)"


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    run(tmp_path, anthropic(FIRST))

    names = {each.name for each in tmp_path.iterdir()}
    assert names == {"lists.db", "pegboard.toml", "message.json"}
