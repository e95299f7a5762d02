"""Trying a plugin in another process: what is found there, and that nothing happens here."""

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard import Config, PluginConfig, PluginLoadError, Secret
from pegboard.configuration import read_config
from pegboard.plugins.loads import Plan
from pegboard.plugins.rehearsal import try_out
from pegboard.plugins.sources import by_name, from_file
from pegboard.registry import Owner, Registry

SETTINGS = """
import datetime
import attrs
from pegboard import Secret, hookimpl, tool
@attrs.frozen
class Settings:
    size: int = 0
    day: datetime.date = datetime.date(2020, 1, 1)
    key: Secret = Secret("none")
@hookimpl
def pegboard_settings():
    return Settings
@hookimpl
def pegboard_tools(plugin):
    raise ValueError(f"{plugin.settings.size} {plugin.settings.day} {plugin.settings.key.reveal()}")
"""
LIFESPAN = """
import contextlib
from pegboard import hookimpl
@hookimpl
@contextlib.contextmanager
def pegboard_lifespan():
    raise OSError("entered")
    yield
@hookimpl
def pegboard_tools():
    raise OSError("asked")
"""
TOOL = "from pegboard import tool\n@tool\ndef give() -> int:\n    return 1\n"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """The file of a plugin."""
    yield tmp_path / "rehearsed.py"
    assert "rehearsed" not in sys.modules


def plan_of(file: Path, code: str, *, settings: Any = None, **options: Any) -> Plan:
    """What to load from a file with this code."""
    file.write_text(code)
    said = PluginConfig(**options)
    given = said.settings if settings is None else settings
    return Plan(Owner("rehearsed"), from_file(file), Registry().root, given, said)


def said_of(plan: Plan, config: Config | None = None) -> str:
    """Why a plan can't be loaded."""
    with pytest.raises(PluginLoadError) as caught:
        try_out(plan, config or Config())
    return str(caught.value)


def test_a_plugin_that_can_be_loaded_is_not_complained_of(file: Path) -> None:
    try_out(plan_of(file, TOOL), Config())


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = ", "SyntaxError"),
        ("raise OSError('no disk')", "importing 'rehearsed' raised OSError: no disk"),
        ("import os\nos._exit(7)", "rehearsing 'rehearsed' ended with 7"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("from pegboard import hookimpl\n@hookimpl\ndef pegboard_tool(): ...", "'pegboard_tools'"),
        (TOOL.replace("int:", "object:").replace("()", "(x)"), "'x'"),
    ],
    ids=["syntax", "import", "death", "exit", "hook", "tool"],
)
def test_what_would_fail_here_fails_there(file: Path, code: str, words: str) -> None:
    assert words in said_of(plan_of(file, code))


def test_a_plugin_with_a_lifespan_is_neither_entered_nor_asked_for_tools(file: Path) -> None:
    try_out(plan_of(file, LIFESPAN), Config())


def test_settings_are_there_as_they_are_here(file: Path) -> None:
    settings = {"size": 3, "day": dt.date(2026, 12, 1), "key": Secret("k")}

    said = said_of(plan_of(file, SETTINGS, settings=settings))

    assert "ValueError: 3 2026-12-01 k" in said


def test_mistakes_in_settings_are_told_with_file_and_line(file: Path, tmp_path: Path) -> None:
    toml = tmp_path / "pegboard.toml"
    toml.write_text("[plugins.rehearsed]\nsize = 'large'\n")
    config = read_config(toml)
    options = config.plugin("rehearsed")
    file.write_text(SETTINGS)
    plan = Plan(Owner("rehearsed"), from_file(file), Registry().root, options.settings, options)

    assert f"{toml}:2" in said_of(plan, config)


def test_a_new_name_for_a_tool_that_is_not_there_is_told(file: Path) -> None:
    plan = plan_of(file, TOOL, rename={"giev": "give"})

    assert "rename names 'giev'" in said_of(plan)


def test_a_module_is_tried_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rehearsed_module.py").write_text("raise OSError('there')")
    monkeypatch.syspath_prepend(tmp_path)
    options = PluginConfig()
    source = by_name("rehearsed_module")

    said = said_of(Plan(Owner("m"), source, Registry().root, options.settings, options))

    assert "OSError: there" in said
