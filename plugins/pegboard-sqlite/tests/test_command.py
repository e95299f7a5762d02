"""The command answers a provider's message over a real database."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

CONFIGURATION = """
only = ["sqlite"]

[plugins.sqlite]
writable = true
databases = { library = "library.sqlite3" }
"""
ASKED: list[tuple[str, dict[str, object]]] = [
    ("sqlite_schema", {"table": "books"}),
    ("sqlite_query", {"sql": "SELECT title FROM books WHERE year > ?", "parameters": [1915]}),
    ("sqlite_execute", {"sql": "DELETE FROM books WHERE author = 2"}),
    ("sqlite_query", {"sql": "SELECT count(*) FROM books", "database": "library"}),
    ("sqlite_query", {"sql": "DROP TABLE books"}),
    ("sqlite_query", {"sql": "SELECT * FROM book"}),
]
ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
        for number, (name, arguments) in enumerate(ASKED)
    ],
}
OPENAI = {
    "role": "assistant",
    "tool_calls": [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(ASKED)
    ],
}


def run(folder: Path, message: object) -> "subprocess.CompletedProcess[str]":
    """What `pegboard run` says to a message."""
    (folder / "pegboard.toml").write_text(CONFIGURATION)
    (folder / "message.json").write_text(json.dumps(message))
    command = [sys.executable, "-m", "pegboard", "run", "message.json"]
    return subprocess.run(
        command, cwd=folder, env=os.environ, capture_output=True, text=True, timeout=60, check=False
    )


def check(texts: list[str]) -> None:
    """See that every answer is right."""
    assert "  title TEXT not null" in texts[0].splitlines()
    assert texts[1] == '["title"]\n["Kristin"]\n["Landstrykere"]\n(2 rows)'
    assert texts[2] == "done; 2 rows affected"
    assert texts[3] == '["count(*)"]\n[2]\n(1 row)'
    assert (
        texts[4] == "Error: not allowed here: a change of the schema; use statements that only read"
    )
    assert texts[5].startswith("Error: SQLite refused: no such table: book; ")


def test_a_message_of_anthropic_is_answered(path: Path) -> None:
    ran = run(path.parent, ANTHROPIC)

    answer: Any = json.loads(ran.stdout)
    blocks = answer[0]["content"]
    assert [each["tool_use_id"] for each in blocks] == [f"toolu_{n}" for n in range(len(ASKED))]
    check([each["content"][0]["text"] for each in blocks])
    assert ran.returncode == 1
    assert ran.stderr.startswith("pegboard: 2 of 6 calls failed: ")


def test_a_message_of_openai_is_answered(path: Path) -> None:
    ran = run(path.parent, OPENAI)

    answers: Any = json.loads(ran.stdout)
    assert [each["tool_call_id"] for each in answers] == [f"call_{n}" for n in range(len(ASKED))]
    check([each["content"] for each in answers])


def test_nothing_is_left_beside_the_database(path: Path) -> None:
    run(path.parent, ANTHROPIC)

    names = {each.name for each in path.parent.iterdir()}
    assert names == {path.name, "pegboard.toml", "message.json"}
