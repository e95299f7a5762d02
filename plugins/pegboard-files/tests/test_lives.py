"""The life of the plugin: loaded and unloaded under calls, and run by the command."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pegboard_files
import pytest
from pegboard import Host, Outcome
from pegboard.testing import check_plugin

CYCLES = 100


def everything(folder: Path) -> dict[str, object]:
    """Settings with which every tool is there."""
    return {"root": str(folder), "move": True, "delete": True, "fallback_encoding": "cp1252"}


TestEveryTool = check_plugin("files", settings=everything)


async def test_a_hundred_loads_and_unloads_under_calls_leave_nothing(
    root: Path, ripgrep: str
) -> None:
    settings = everything(root) | {"ripgrep": ripgrep, "fallback_encoding": None}
    calls = [
        ("files_search", {"pattern": "one"}),
        ("files_write", {"path": "a/file", "content": "one\n" * 100}),
        ("files_glob", {"pattern": "**"}),
        ("files_move", {"path": "a", "to": "b"}),
        ("files_delete", {"path": "b", "recursive": True}),
    ]
    async with Host(discover=False) as host:
        board = await host.board("tests")
        for number in range(CYCLES):
            await host.load(pegboard_files, name="files", settings=settings)
            running = [asyncio.create_task(board.call(*each)) for each in calls]
            await asyncio.sleep(0.001 * (number % 5))
            report = await host.unload("files")
            ended: list[Outcome] = await asyncio.gather(*running)
            assert (report.still_running, report.errors, report.leaked) == ((), (), ())
            assert all(not each.is_error or each.code != "crashed" for each in ended)


MESSAGE = {
    "role": "assistant",
    "content": [
        {"type": "tool_use", "id": f"toolu_{number:02}", "name": f"files_{name}", "input": given}
        for number, (name, given) in enumerate(
            [
                ("glob", {"pattern": "**/*.md"}),
                ("read", {"path": "notes/overview.md"}),
                ("read", {"path": "dot.png"}),
                ("search", {"pattern": "^- t"}),
                ("write", {"path": "new/a.md", "content": "# A\n"}),
                ("edit", {"path": "new/a.md", "edits": [{"old": "A", "new": "B"}]}),
                ("move", {"path": "new/a.md", "to": "new/b.md"}),
                ("read", {"path": "new/b.md"}),
                ("delete", {"path": "notes", "recursive": True}),
                ("read", {"path": "../secret.txt"}),
                ("write", {"path": "new/b.md", "content": "x", "version": "0123456789abcdef"}),
                ("list", {"path": ".", "depth": 2}),
            ]
        )
    ],
}


@pytest.fixture
def answered(root: Path, tmp_path: Path) -> Any:
    """What `pegboard run` answers to a message of Anthropic's shape, on real files."""
    (root / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "secret.txt").write_text("SECRET\n")
    table = '[plugins.files]\nroot = "root"\nmove = true\ndelete = true\n'
    (tmp_path / "pegboard.toml").write_text(f'only = ["files"]\n{table}')
    (tmp_path / "message.json").write_text(json.dumps(MESSAGE))
    command = [sys.executable, "-m", "pegboard", "run", "message.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    return done.returncode, json.loads(done.stdout)[0]["content"]


def test_a_message_of_a_provider_is_answered_on_real_files(answered: Any, root: Path) -> None:
    status, results = answered

    assert status == 1
    assert [each["tool_use_id"][-2:] for each in results if each.get("is_error")] == ["09", "10"]
    assert sorted(each.name for each in root.rglob("*")) == ["b.md", "dot.png", "new"]
    assert (root / "new" / "b.md").read_text() == "# B\n"
    assert "SECRET" not in json.dumps(results)


def test_a_model_sees_a_picture_a_version_and_what_to_do(answered: Any) -> None:
    _, results = answered

    assert results[2]["content"][0]["source"]["media_type"] == "image/png"
    assert "[version " in results[1]["content"][0]["text"]
    assert "read it again" in json.dumps(results[10])
    assert "notes/overview.md" in json.dumps(results[0])
