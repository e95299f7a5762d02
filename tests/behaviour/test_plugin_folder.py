"""A plugin learns where relative paths of its settings begin."""

import os
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Config, Host, PluginContext, hookimpl
from pegboard_versions import versions_at


@attrs.frozen
class Settings:
    """The settings of the plugin."""

    path: str = "."


class Nosy:
    """A plugin that keeps what it is told."""

    def __init__(self) -> None:
        self.folders: list[Path] = []

    @hookimpl
    def pegboard_settings(self) -> type[Settings]:
        """Its settings."""
        return Settings

    @hookimpl
    def pegboard_tools(self, plugin: PluginContext) -> list[Any]:
        """Look, and have no tool."""
        self.folders.append(plugin.folder)
        return []


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose folder `here` is the working folder."""
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


async def folder_of(config: Path | Config | None, settings: object = None) -> Path:
    """What a plugin is told that is loaded on a host with a configuration."""
    nosy = Nosy()
    async with Host(config, discover=False) as host:
        await host.load(nosy, name="nosy", settings=settings)
    return nosy.folders[-1]


@pytest.mark.parametrize("written", ["there/pegboard.toml", "here/../there/pegboard.toml"])
@pytest.mark.parametrize(
    "text",
    [
        "[plugins.nosy]\n",
        '[plugins.nosy]\npath = "x"\n',
        'plugins.nosy.path = "x"\n',
        'plugins = { nosy = { path = "x" } }\n',
        "[plugins.nosy.pegboard]\neager = true\n",
    ],
)
async def test_it_is_the_folder_of_the_file_that_has_its_table(
    desk: Path, written: str, text: str
) -> None:
    (desk / "there/pegboard.toml").write_text(text)

    found = await folder_of(Path("..", written))

    assert (found.is_absolute(), found.samefile(desk / "there")) == (True, True)


@pytest.mark.parametrize("table", ["", "[plugins.other]\n", "max_nesting = 9\n"])
async def test_without_a_table_it_is_the_working_folder(desk: Path, table: str) -> None:
    (desk / "there/pegboard.toml").write_text(table)

    assert await folder_of(desk / "there/pegboard.toml") == desk / "here"
    assert await folder_of(None) == desk / "here"


@pytest.mark.parametrize("settings", [{"path": "x"}, Settings("x"), {}])
async def test_for_settings_of_the_program_it_is_the_working_folder(
    desk: Path, settings: object
) -> None:
    (desk / "there/pegboard.toml").write_text('[plugins.nosy]\npath = "y"\n')

    assert await folder_of(desk / "there/pegboard.toml", settings) == desk / "here"


async def test_a_working_folder_that_is_gone_stops_no_plugin(desk: Path) -> None:
    os.chdir(desk / "there")
    (desk / "there").rmdir()
    try:
        found = await folder_of(None)
    finally:
        os.chdir(desk / "here")

    assert found == Path()


NOSY = """
import attrs
from pegboard import hookimpl, tool

@attrs.frozen
class Settings:
    path: str = "."

@hookimpl
def pegboard_settings():
    return Settings

@hookimpl
def pegboard_tools(plugin):
    @tool
    async def where() -> str:
        "Say where."
        return str(plugin.folder)
    return [where]
"""


async def test_it_stays_the_same_over_a_reload(desk: Path) -> None:
    file = desk / "there/pegboard.toml"
    file.write_text('[plugins.gauge]\npath = "x"\n')
    with versions_at(desk) as versions:
        versions.install(1, code=NOSY)
        async with Host(file, discover=False) as host:
            await host.load("gauge")
            board = await host.board("a")
            before = (await board.call("where")).unwrap()
            await host.reload("gauge")
            after = (await board.call("where")).unwrap()

    assert (before, after) == (str(desk / "there"), str(desk / "there"))
