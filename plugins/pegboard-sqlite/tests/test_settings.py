"""Settings and the moment of loading, through a host."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pegboard_sqlite
import pytest
from pegboard import Host, Outcome, PluginLoadError
from pegboard.testing import check_plugin

TestPlugin = check_plugin(
    "sqlite",
    settings=lambda folder: {"databases": {"main": str(folder / "main.db")}, "writable": True},
    arguments={
        "sqlite_query": [{"sql": "SELECT 1"}, {"sql": "SELECT ?", "parameters": [1]}],
        "sqlite_execute": [{"sql": "DELETE FROM t", "parameters": {"a": "b"}}],
    },
)

Call = Callable[..., Outcome]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_rows", 0),
        ("max_bytes", 2**40),
        ("max_cell_bytes", 1),
        ("max_seconds", 0.0),
        ("max_seconds", float("inf")),
        ("max_value_bytes", -1),
        ("writable", "yes"),
        ("databases", {"a": 1}),
        ("databases", ["a"]),
        ("databases", {"": "a.db"}),
        ("databases", {"a b": "a.db"}),
        ("databases", {"main": ""}),
        ("databases", {"main": ":memory:"}),
        ("databases", {"main": "file:a.db?mode=rwc"}),
        ("databases", {"main": "a\0b"}),
        ("databases", {"main": "~nobody-of-that-name/a.db"}),
        ("database", {"main": "a.db"}),
    ],
)
def test_a_setting_that_cannot_be_held_is_an_error_that_names_it(
    call: Call, setting: str, value: object
) -> None:
    with pytest.raises(PluginLoadError, match=setting):
        call("sqlite_schema", {}, **{setting: value})


def test_without_a_database_there_is_no_tool() -> None:
    async def tools() -> list[str]:
        async with Host(discover=False) as host:
            await host.load(pegboard_sqlite)
            return list((await host.board("tests")).tools)

    assert asyncio.run(tools()) == []


def test_a_model_is_told_the_names_of_the_databases_and_nothing_of_their_paths(
    path: Path,
) -> None:
    async def texts() -> list[str]:
        async with Host(discover=False) as host:
            given = {"databases": {"first": str(path), "second": str(path)}}
            await host.load(pegboard_sqlite, settings=given)
            return [each.description for each in (await host.board("tests")).definitions()]

    told = asyncio.run(texts())

    assert all(each.endswith(" Databases: first, second.") for each in told)
    assert str(path.parent) not in "".join(told)


def test_a_path_begins_in_the_folder_of_the_configuration(path: Path) -> None:
    text = '[plugins.sqlite.databases]\nlibrary = "library.sqlite3"\n'
    (path.parent / "pegboard.toml").write_text(f'only = ["sqlite"]\n{text}')

    async def main() -> Outcome:
        async with Host(path.parent / "pegboard.toml") as host:
            return await (await host.board("tests")).call("sqlite_query", {"sql": "SELECT 1"})

    assert asyncio.run(main()).unwrap()["rows"] == [[1]]
