"""The command answers messages of providers, on real files."""

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Asked = tuple[str, dict[str, object]]
Answers = dict[str, str]
Answered = Callable[[str], tuple[int, Answers]]

ASKED: list[Asked] = [
    ("glob", {"pattern": "**/*.md"}),
    ("read", {"path": "notes/overview.md"}),
    ("read", {"path": "dot.png"}),
    ("search", {"pattern": "^- t", "glob": "*.{md,txt}"}),
    ("write", {"path": "new/a.md", "content": "# A\n"}),
    ("edit", {"path": "new/a.md", "edits": [{"old": "A", "new": "B"}]}),
    ("move", {"path": "new/a.md", "to": "new/b.md"}),
    ("read", {"path": "new/b.md"}),
    ("delete", {"path": "notes", "recursive": True}),
    ("read", {"path": "../secret.txt"}),
    ("write", {"path": "new/b.md", "content": "x", "version": "0123456789abcdef"}),
    ("list", {"path": ".", "depth": 2}),
]
TABLE = 'only = ["files"]\n[plugins.files]\nroot = "root"\nmove = true\ndelete = true\n'


def anthropic(calls: list[Asked]) -> object:
    """A message with calls, in the shape of Anthropic's Messages."""
    blocks = [
        {"type": "tool_use", "id": f"id_{number:02}", "name": f"files_{name}", "input": given}
        for number, (name, given) in enumerate(calls)
    ]
    return {"role": "assistant", "content": blocks}


def openai(calls: list[Asked]) -> object:
    """The same, in the shape of OpenAI's Chat Completions."""
    called = [
        {"id": f"id_{number:02}", "type": "function", "function": written(*each)}
        for number, each in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": called}


def responses(calls: list[Asked]) -> object:
    """The same, in the shape of OpenAI's Responses."""
    called = [
        {"type": "function_call", "call_id": f"id_{number:02}", **written(*each)}
        for number, each in enumerate(calls)
    ]
    return {"output": called}


def written(name: str, given: dict[str, object]) -> dict[str, str]:
    """A call as OpenAI writes it: the arguments are text."""
    return {"name": f"files_{name}", "arguments": json.dumps(given)}


SHAPES = {"anthropic": anthropic, "openai": openai, "responses": responses}


def answers_in(printed: Any) -> Answers:
    """The answers of any shape, as text, by the ids of their calls."""
    results = printed[0]["content"] if printed[0].get("role") == "user" else printed
    keys = ("tool_use_id", "tool_call_id", "call_id")
    ids = [next(each[key] for key in keys if key in each)[-2:] for each in results]
    return dict(zip(ids, map(json.dumps, results), strict=True))


@pytest.fixture
def answered(root: Path, tmp_path: Path) -> Answered:
    """`answered(provider)` gives the status of `pegboard run`, and what it answers."""
    (root / "dot.png").write_bytes(PNG)
    (tmp_path / "secret.txt").write_text("SECRET\n")
    (tmp_path / "pegboard.toml").write_text(TABLE)

    def answered(provider: str) -> tuple[int, Answers]:
        (tmp_path / "message.json").write_text(json.dumps(SHAPES[provider](ASKED)))
        command = [sys.executable, "-m", "pegboard", "run", "message.json"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        return done.returncode, answers_in(json.loads(done.stdout))

    return answered


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6364f8"
    "cf500f0003860180a5f4d1e60000000049454e44ae426082"
)


PICTURE = b64encode(PNG).decode()
NO_PICTURE = f"dot.png: image/png, {len(PNG)} bytes"


@pytest.mark.parametrize(
    ("provider", "picture"),
    [("anthropic", PICTURE), ("openai", NO_PICTURE), ("responses", PICTURE)],
    ids=SHAPES,
)
def test_a_message_of_a_provider_is_answered_on_real_files(
    answered: Answered, root: Path, provider: str, picture: str
) -> None:
    status, answers = answered(provider)

    assert status == 1
    assert list(answers) == [f"{number:02}" for number in range(len(ASKED))]
    assert sorted(each.name for each in root.rglob("*")) == ["b.md", "dot.png", "new"]
    assert (root / "new" / "b.md").read_text() == "# B\n"
    seen = {"00": "notes/overview.md", "01": "- one", "02": picture, "03": "overview.md:4: - two"}
    said = {"01": "[version ", "09": "leads out of the root folder", "10": "read it again"}
    assert all(text in answers[each] for each, text in [*seen.items(), *said.items()])
    assert "SECRET" not in str(answers)
