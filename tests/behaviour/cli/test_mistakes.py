"""A mistake of who types is one line that names it, exit status 2, and nothing done."""

from typing import Any

import pytest

CONFIGURED = 'boards = "configured"\n'
TABLES = 'unknown_boards = "refuse"\n[boards.researcher]\n[boards.editor]\n'
SETTINGS = """
import attrs
from pegboard import hookimpl, tool

@attrs.frozen
class Settings:
    root: str = "."

@tool
def look() -> str:
    open("looked", "w").close()
    return "seen"

@hookimpl
def pegboard_settings():
    return Settings

@hookimpl
def pegboard_tools():
    return [look]
"""

FILES: dict[str, str | bytes] = {
    "message.json": '{"role": "assistant", "content": []}',
    "tables.toml": TABLES,
    "configured.toml": CONFIGURED,
    "setting.toml": 'bolck = ["voice"]\n',
    "plugin.toml": '[plugins.viocer]\nroot = "."\n[plugins.voice]\n',
    "plugins.toml": '[plugins.voicee]\nroot = "."\n',
    "own.toml": '[plugins.look]\nrot = "."\n',
    "required.toml": 'required = ["vioce"]\n',
    "broken.toml": "block = [\n",
    "latin.toml": "# caf\xe9\n".encode("latin-1"),
    "latin.json": '{"value": "caf\xe9"}'.encode("latin-1"),
    "broken.json": '{"value": ',
    "empty.json": "",
    "odd.json": '{"colour": "red"}',
    "anthropic.json": '{"content": [{"type": "tool_use", "id": "1", "name": "look", "input": {}}]}',
    "custom.json": '{"role": "assistant", "tool_calls": [{"id": "c1", "type": "custom"}]}',
    "patch.json": '{"output": [{"type": "custom_tool_call", "call_id": "c2", "name": "look"}]}',
    "old.json": '{"content": null, "function_call": {"name": "look", "arguments": "{}"}}',
    "half.json": '{"output": [{"type": "function_call", "call_id": "c3", "status": "incomplete"}]}',
    "above.toml": '[boards.a]\nparent = "bose"\n[boards.base]\n',
    "twice.json": '{"name": "say", "name": "look", "arguments": {}}',
}

MISTAKES = {
    "an unknown command": ("tool", ["unknown command 'tool'", "'tools'"]),
    "an unknown option": ("tools --jsn", ["--jsn", "--json"]),
    "an option before the command": ("--versoin", ["'--versoin'", "'--version'"]),
    "a missing argument": ("explain", ["missing argument", "NAME"]),
    "a word too many": ("tools extra", ["extra"]),
    "an unknown tool to call": ("call loook", ["unknown tool 'loook'", "'look'"]),
    "an unknown tool to explain": ("explain loook", ["unknown tool 'loook'", "'look'"]),
    "an unknown board": (
        "tools --config tables.toml --board reseacher",
        ["unknown board 'reseacher'", "'researcher'"],
    ),
    "no board where each has a name": (
        "call look --config tables.toml",
        ["--board", "'researcher'", "'editor'"],
    ),
    "a name that no board can have": ("tools --board */*", ["'*/*'", "board"]),
    "no board at all": ("tools --config configured.toml", ["--board", "none"]),
    "an unknown configuration file": ("call look --config tabels.toml", ["'tables.toml'"]),
    "a folder as configuration": ("call look --config .", ["directory"]),
    "a configuration that isn't TOML": ("call look --config broken.toml", ["broken.toml", "TOML"]),
    "a configuration that isn't UTF-8": ("call look --config latin.toml", ["latin.toml"]),
    "an unknown setting": (
        "call look --config setting.toml",
        ["setting.toml:1", "bolck", "block"],
    ),
    "an unknown setting of a plugin": (
        "call look --config own.toml",
        ["own.toml:2", "rot", "root"],
    ),
    "an unknown plugin": (
        "call look --config plugins.toml",
        ["plugins.toml:1", "'voicee'", "'voice'"],
    ),
    "an unknown plugin that is required": (
        "call look --config required.toml",
        ["required.toml:1", "'vioce'", "'voice'"],
    ),
    "arguments that aren't JSON": ("call look {", ["JSON", "line 1"]),
    "arguments in an unknown file": ("call look @brokn.json", ["'brokn.json'", "'broken.json'"]),
    "arguments that aren't UTF-8": ("call look @latin.json", ["latin.json", "UTF-8"]),
    "an unknown message": ("run mesage.json", ["'mesage.json'", "'message.json'"]),
    "a folder as message": ("run .", ["'.'", "directory"]),
    "a message that isn't JSON": ("run broken.json", ["broken.json", "JSON"]),
    "an empty message": ("run empty.json", ["empty.json"]),
    "a message that repeats a key": ("run twice.json", ["twice.json", "'name'", "repeated"]),
    "a message of no known shape": ("run odd.json", ["colour", "--format", "anthropic"]),
    "an unknown format": ("run message.json --format antropic", ["'antropic'", "'anthropic'"]),
    "a message of another format": ("run odd.json --format openai", ["colour"]),
    "a call of another format": (
        "run anthropic.json --format openai",
        ["content[0]", "anthropic", "openai"],
    ),
    "a call of a custom tool": ("run custom.json", ["'c1'", "custom"]),
    "a call of a custom tool in a response": ("run patch.json", ["'c2'", "custom_tool_call"]),
    "a call in the old form": ("run old.json", ["function_call", "old form"]),
    "a call that was cut off": ("run half.json", ["'c3'", "incomplete"]),
    "an unknown parent": ("tools --config above.toml", ["above.toml:2", "bose", "'base'"]),
}


@pytest.fixture
def full(desk: Any) -> Any:
    """A desk with files that hold mistakes, and a plugin that notes when its tool runs."""
    desk.install("look", SETTINGS)
    for name, text in FILES.items():
        desk.write(name, text)
    return desk


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_one_line_that_names_it_with_exit_status_2(full: Any, what: str) -> None:
    line, words = MISTAKES[what]

    ran = full.answer(*line.split())

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1), ran
    assert [each for each in words if each not in ran.err] == []
    assert "Traceback" not in ran.err
    assert not (full.work / "looked").exists()


def test_every_mistake_of_a_configuration_has_a_line_of_its_own(full: Any) -> None:
    full.write("many.toml", 'bolck = ["a"]\nstop_grace = "long"\n')

    ran = full.answer("tools", "--config", "many.toml")

    assert (ran.status, ran.err.count("\n")) == (2, 2)
    assert "many.toml:1" in ran.err
    assert "many.toml:2" in ran.err


def test_wrong_settings_don_t_keep_plugins_from_being_listed(full: Any) -> None:
    ran = full.answer("plugins", "--config", "own.toml", "--json")

    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert {"look": "failed", "voice": "loaded"}.items() <= {
        each["name"]: each["state"] for each in ran.json
    }.items()


def test_a_required_plugin_that_fails_is_exit_status_1(full: Any) -> None:
    full.install("broken", "raise OSError('no such luck')")
    full.write("broken.toml", 'required = ["broken"]\n')

    ran = full.answer("tools", "--config", "broken.toml")

    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "no such luck" in ran.err


def test_blocking_what_is_not_installed_is_said_and_stops_nothing(full: Any) -> None:
    full.write("block.toml", 'block = ["voicee"]\nonly = ["voice", "look", "loook"]\n')

    ran = full.answer("call", "say", '{"value": "Pi"}', "--config", "block.toml")

    assert (ran.status, ran.out) == (0, "Pi\n")
    first, second = ran.err.splitlines()
    assert first.endswith("block.toml:1: no plugin 'voicee' is installed; did you mean 'voice'?")
    assert second.endswith(
        "block.toml:2: no plugin 'loook' is installed; did you mean 'look' or 'clock'?"
    )
