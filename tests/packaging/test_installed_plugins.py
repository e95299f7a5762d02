"""What pip installs is found, loaded, called, unloaded, and gone when pip has removed it."""

import json
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import asyncio, json
from pegboard import Host, ToolCall

async def main():
    async with Host() as host:
        board = await host.board("one")
        before = {{name: info.state for name, info in host.plugins.items()}}
        tools = sorted(board.tools)
        outcome = await board.call(ToolCall(id="call-1", name={tool!r}, arguments={arguments!r}))
        report = await host.unload({plugin!r})
        after = await board.call(ToolCall(id="call-2", name={tool!r}, arguments={arguments!r}))
        print(json.dumps({{
            "before": before, "tools": tools, "after_tools": sorted(board.tools),
            "after": {{name: info.state for name, info in host.plugins.items()}},
            "is_error": outcome.is_error, "text": outcome.content[0].text,
            "left": [*report.still_running, *report.errors, *report.leaked], "code": after.code,
        }}))

asyncio.run(main())
"""

CALLS = {
    "clock": ("clock_now", {"timezone": "Europe/Oslo"}, "Europe/Oslo"),
    "echo": ("echo", {"value": "Pi"}, "Pi"),
    "files": ("files_read", {"path": "note.txt"}, "a note"),
}


@pytest.fixture(params=sorted(CALLS))
def lived(request: pytest.FixtureRequest, environment: Any, wheels: dict[str, Path]) -> Any:
    """What a program sees of one installed plugin, and the environment that it ran in."""
    plugin = request.param
    tool, arguments, words = CALLS[plugin]
    environment.install(wheels[plugin])
    (environment.work / "note.txt").write_text("a note\n")
    program = PROGRAM.format(plugin=plugin, tool=tool, arguments=arguments)
    return plugin, tool, words, environment.script(program), environment


def test_an_installed_plugin_is_found_loaded_called_and_unloaded_and_gone_once_removed(
    lived: Any,
) -> None:
    plugin, tool, words, seen, environment = lived

    environment.uninstall(f"pegboard-{plugin}")

    assert seen["before"][plugin] == "loaded"
    assert tool in seen["tools"]
    assert words in seen["text"]
    assert not seen["is_error"]
    assert (seen["after"][plugin], seen["code"]) == ("unloaded", "unknown_tool")
    assert tool not in seen["after_tools"]
    assert seen["left"] == []
    assert plugin not in environment.pegboard("plugins", "--json")


def test_all_first_plugins_are_listed_by_the_command(
    environment: Any, wheels: dict[str, Path]
) -> None:
    environment.install(wheels["clock"], wheels["echo"], wheels["files"])

    tools = json.loads(environment.pegboard("tools", "--json"))

    names = {tool["name"] for tool in tools}
    files = {"files_edit", "files_list", "files_read", "files_search", "files_write"}
    assert names >= {"clock_now", "echo", *files}


def test_the_demo_ends_well_with_a_table(environment: Any, wheels: dict[str, Path]) -> None:
    environment.install(wheels["clock"], wheels["echo"], wheels["files"])

    printed = environment.pegboard("demo")

    assert "files_read" in printed
    assert "clock_now" in printed


DECIDED = """
import asyncio, json
from pathlib import Path
import pegboard_audit
from pegboard import Host

async def main():
    async with Host("pegboard.toml") as host:
        board = await host.board("one")
        outcomes = [await board.call("echo", {"value": value}) for value in ("Pi", "Tau")]
        states = {name: info.state for name, info in host.plugins.items()}
    calls = pegboard_audit.read("audit.sqlite3")
    seen = [[call.distribution, call.code] for call in calls]
    print(json.dumps([states, [each.is_error for each in outcomes], seen]))

asyncio.run(main())
"""


def test_installed_permissions_decide_and_an_installed_audit_records(
    environment: Any, wheels: dict[str, Path]
) -> None:
    environment.install(wheels["audit"], wheels["echo"], wheels["permissions"])
    (environment.work / "pegboard.toml").write_text(
        'required = ["audit", "permissions"]\n[plugins.audit]\npath = "audit.sqlite3"\n'
        "[[plugins.permissions.rules]]\nallow = ['echo']\n"
        "deny = [{ distribution = 'pegboard-echo', arguments = { value = 'tau' } }]\n"
    )

    states, failed, calls = environment.script(DECIDED)

    assert [states[name] for name in ("audit", "echo", "permissions")] == ["loaded"] * 3
    assert failed == [False, True]
    assert calls == [["pegboard-echo", "success"], ["pegboard-echo", "denied"]]
