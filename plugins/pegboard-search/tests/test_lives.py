"""The life of the plugin: loaded and unloaded under calls, upgraded, and run by the command."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pegboard_search
import pytest
from pegboard import Config, Failure, Host, Tool
from pegboard.testing import check_plugin

Made = Callable[..., Tool]
CYCLES = 100

TestPlugin = check_plugin("search", arguments={"tools_search": [{"query": "files", "limit": 3}]})


async def test_a_hundred_loads_and_unloads_under_calls_leave_nothing(made: Made) -> None:
    async with Host(discover=False) as host:
        for number in range(60):
            host.register(made(f"zebra_{number}", "Count zebras."))
        boards = [await host.board(each) for each in "ab"]
        for number in range(CYCLES):
            await host.load(pegboard_search, name="search")
            searches = [each.call("tools_search", {"query": "zebra"}) for each in boards * 3]
            running = [asyncio.create_task(each) for each in searches]
            for _ in range(number % 7):
                await asyncio.sleep(0)
            report = await host.unload("search")
            ended = await asyncio.gather(*running)
            assert (report.still_running, report.errors, report.leaked) == ((), (), ())
            failures = [each for each in ended if isinstance(each, Failure)]
            assert {each.code for each in failures} <= {"unknown_tool"}
            assert len(boards[0].definitions()) == 60


async def test_boards_come_and_go_while_the_plugin_does(made: Made) -> None:
    async def visit(host: Host, number: int) -> None:
        async with host.board(f"b{number}") as board:
            await board.call("tools_search", {"query": "zebra"})

    async with Host(discover=False) as host:
        host.register(made("zebra", "Count zebras."))
        for number in range(20):
            visits = [visit(host, 5 * number + each) for each in range(5)]
            await asyncio.gather(host.load(pegboard_search, name="search"), *visits)
            report = await host.unload("search")
            assert (report.still_running, report.errors, report.leaked) == ((), (), ())


async def test_an_upgrade_keeps_what_was_found(made: Made) -> None:
    async with Host(Config(only=["search"])) as host:
        for name in ("zebra", "horse"):
            host.register(made(name, f"Count {name}s."))
        board = await host.board("case")
        await board.call("tools_search", {"query": "zebras"})
        before = board.definitions(), board.revision
        info = await host.reload("search")
        after = board.definitions(), board.revision
        (await board.call("tools_search", {"query": "horses"})).unwrap()

        assert (info.generation, before) == (2, after)
        names = [each.name for each in board.definitions()]
        assert names == ["zebra", "horse", "tools_search"]


def anthropic(calls: list[tuple[str, Any]]) -> Any:
    """A message of Anthropic's shape."""
    blocks = [
        {"type": "tool_use", "id": f"toolu_{number:02}", "name": name, "input": given}
        for number, (name, given) in enumerate(calls)
    ]
    return {"role": "assistant", "content": blocks}


def openai(calls: list[tuple[str, Any]]) -> Any:
    """A message of OpenAI's shape."""
    made = [
        {
            "id": f"call_{number:02}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }
        for number, (name, given) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


CALLS = [
    ("tools_search", {"query": "read the text of a file"}),
    ("files_read", {"path": "notes.md"}),
    ("tools_search", {"query": "what time is it in Tokyo"}),
    ("tools_search", {"query": '"; DROP TABLE tools; -- \u2603'}),
    ("tools_search", {"query": "\u2603"}),
    ("files_write", {"path": "new.md", "content": "x"}),
]
CONFIGURATION = """
only = ["search", "files", "clock"]
deny = ["files_write"]

[plugins.files]
root = "root"

[tools."files_*"]
defer_loading = true

[tools.clock_now]
defer_loading = true
"""


@pytest.mark.parametrize("shape", [anthropic, openai])
def test_a_message_of_a_provider_finds_tools_and_calls_them(tmp_path: Path, shape: Any) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/notes.md").write_text("# Notes\n")
    (tmp_path / "pegboard.toml").write_text(CONFIGURATION)
    (tmp_path / "message.json").write_text(json.dumps(shape(CALLS)))
    command = [sys.executable, "-m", "pegboard", "run", "message.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    answered = json.loads(done.stdout)
    results = answered[0]["content"] if shape is anthropic else answered
    texts = [json.dumps(each) for each in results]

    assert done.returncode == 1, done.stderr
    assert "files_read" in texts[0]
    assert "files_write" not in "".join(texts[:5])
    assert "# Notes" in texts[1]
    assert "clock_now" in texts[2]
    assert "no tool was found" in texts[3]
    assert "there is no word in query" in texts[4]
    assert "unknown tool" in texts[5]
    assert sorted(each.name for each in tmp_path.rglob("*")) == [
        "message.json",
        "notes.md",
        "pegboard.toml",
        "root",
    ]
