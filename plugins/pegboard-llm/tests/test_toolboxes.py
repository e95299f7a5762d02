"""Toolboxes that llm plugins register."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from pegboard import Failure, Host

NOTES = '''
import sqlite3
import threading
import llm

made = []


class Notes(llm.Toolbox):
    """Notes in a database."""

    kind = "plain"

    def __init__(self, path: str, limit: int = 3, api_key: str = ""):
        made.append(path)
        self.limit, self.api_key = limit, api_key
        self.db = sqlite3.connect(path)
        self.db.execute("create table if not exists notes (text)")

    def __del__(self):
        if hasattr(self, "db"):
            self.db.close()

    def add(self, text: str) -> str:
        """Add a note."""
        self.db.execute("insert into notes values (?)", [text])
        return f"thread {threading.get_ident()}"

    def count(self) -> int:
        """Count the notes."""
        return min(self.limit, self.db.execute("select count(*) from notes").fetchone()[0])

    def key(this) -> str:
        return this.api_key

    @staticmethod
    def double(text: str) -> str:
        return text * 2

    def made(self) -> list:
        return made

    async def later(self) -> int:
        """Count the notes later, and how many were made."""
        return len(made) + 0 * self.count()

    def _private(self):
        pass


@llm.hookimpl
def register_tools(register):
    register(Notes)
'''
MEMORY = {"mine": {"Notes": {"path": ":memory:"}}}


async def call(host: Host, tool: str, board: str = "a", **arguments: Any) -> Any:
    """What a call gives."""
    outcome = await (await host.board(board)).call(tool, arguments)
    return outcome.message if isinstance(outcome, Failure) else outcome.value


async def test_its_public_methods_are_tools_named_as_llm_names_them(plugins: Any) -> None:
    plugins.install(NOTES)
    async with plugins.hosted(**MEMORY) as host:
        assert host.plugins["mine"].tools == (
            "Notes_add",
            "Notes_count",
            "Notes_double",
            "Notes_key",
            "Notes_later",
            "Notes_made",
        )
        assert host.tools["Notes_add"].description == "Add a note."
        assert list(host.tools["Notes_add"].parameters["properties"]) == ["text"]


async def test_it_is_made_with_its_table_of_the_configuration(plugins: Any, tmp_path: Path) -> None:
    plugins.install(NOTES)
    table = {"path": str(tmp_path / "notes.db"), "limit": 1}
    async with plugins.hosted(mine={"Notes": table}) as host:
        await call(host, "Notes_add", text="one")
        await call(host, "Notes_add", text="two")

        assert await call(host, "Notes_count") == 1
        assert (tmp_path / "notes.db").exists()


async def test_it_is_made_by_the_first_call_of_one_of_its_tools(plugins: Any) -> None:
    plugins.install(NOTES)
    async with plugins.hosted(**MEMORY) as host:
        import mine  # type: ignore[import-not-found]

        before = list(mine.made)
        await call(host, "Notes_count")
        await call(host, "Notes_count")

        assert (before, mine.made) == ([], [":memory:"])


async def test_it_lives_in_one_thread_for_all_boards(plugins: Any) -> None:
    plugins.install(NOTES)
    async with plugins.hosted(**MEMORY) as host:
        boards = [f"board-{n}" for n in range(4)]
        calls = [call(host, "Notes_add", board, text="a") for board in boards]
        threads = await asyncio.gather(*calls)

        assert len(set(threads)) == 1
        assert f"thread {threading.get_ident()}" not in threads
        assert (await call(host, "Notes_count"), await call(host, "Notes_later")) == (3, 1)


async def test_one_that_needs_what_is_not_configured_is_left_out_with_the_way_to_say_it(
    plugins: Any,
) -> None:
    plugins.install(NOTES)
    async with plugins.hosted() as host:
        info = host.plugins["mine"]

    assert (info.state, info.tools) == ("loaded", ())
    assert [(each.name, each.reason) for each in info.refused] == [
        ("Notes", "it needs path; give that in [plugins.mine.Notes] of the configuration")
    ]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"Notes": {"path": "a", "limt": 2}}, "did you mean 'limit'"),
        ({"Notes": {"path": 3}}, "$.Notes.path"),
        ({"Notes": {}}, "path"),
        ({"Nodes": {"path": "a"}}, "did you mean 'Notes'"),
    ],
)
async def test_a_mistake_in_its_table_fails_the_plugin_and_names_it(
    plugins: Any, table: dict[str, Any], told: str
) -> None:
    plugins.install(NOTES)
    async with plugins.hosted(mine=table) as host:
        assert host.plugins["mine"].state == "failed"
        assert told in (host.plugins["mine"].error or "")


async def test_a_parameter_that_is_a_key_by_its_name_is_a_secret(
    plugins: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_KEY", "sesame")
    plugins.install(NOTES)
    table = {"path": ":memory:", "api_key": {"env": "NOTES_KEY"}}
    async with plugins.hosted(mine={"Notes": table}) as host:
        assert await call(host, "Notes_key") == "sesame"
        assert await call(host, "Notes_double", text="a") == "aa"


async def test_one_that_can_not_be_made_fails_the_call_and_is_tried_again_by_the_next(
    plugins: Any, tmp_path: Path
) -> None:
    plugins.install(NOTES)
    folder = tmp_path / "later"
    async with plugins.hosted(mine={"Notes": {"path": str(folder / "a.db")}}) as host:
        first = await call(host, "Notes_count")
        folder.mkdir()

        assert first == "unable to open database file"
        assert await call(host, "Notes_count") == 0


async def test_unloading_on_one_host_tells_nothing_of_another_s_thread(plugins: Any) -> None:
    plugins.install(NOTES)
    async with plugins.hosted(**MEMORY) as one, plugins.hosted(**MEMORY) as two:
        for host in (one, two):
            await call(host, "Notes_count")
        report = await one.unload("mine")

        assert (report.errors, report.leaked) == ((), ())
        assert await call(two, "Notes_count") == 0


async def test_unloading_ends_its_thread_and_leaves_nothing(plugins: Any) -> None:
    plugins.install(NOTES)
    async with plugins.hosted(**MEMORY) as host:
        await call(host, "Notes_add", text="a")
        report = await host.unload("mine")
        names = [each.name for each in threading.enumerate()]

        assert (report.errors, report.leaked) == ((), ())
        assert "pegboard-llm-Notes" not in names


async def test_a_reload_makes_it_anew(plugins: Any) -> None:
    plugins.install(NOTES)
    async with plugins.hosted(**MEMORY) as host:
        await call(host, "Notes_add", text="a")
        info = await host.reload("mine")

        assert (info.generation, await call(host, "Notes_count")) == (2, 0)


async def test_loaded_on_each_board_it_holds_what_is_that_board_s_own(plugins: Any) -> None:
    plugins.install(NOTES)
    async with Host(discover=False) as host:
        for name in ("a", "b"):
            board = await host.board(name)
            await board.load("mine", settings=MEMORY["mine"])
        await call(host, "Notes_add", "a", text="one")

        assert [await call(host, "Notes_count", name) for name in ("a", "b")] == [1, 0]


@pytest.mark.parametrize(
    ("more", "name", "reason"),
    [
        ("register(Notes)", "mine.Notes", "another toolbox 'Notes' before it"),
        ("register(type('Notes', (Notes,), {}))", "mine.Notes", "another toolbox 'Notes' before"),
        ("register(llm.Tool(name='Notes_add', implementation=made.append))", "Notes_add", "before"),
    ],
)
async def test_a_name_that_is_registered_twice_is_offered_once_and_the_second_refused(
    plugins: Any, more: str, name: str, reason: str
) -> None:
    plugins.install(f"{NOTES}    {more}\n")
    async with plugins.hosted(**MEMORY) as host:
        [refused] = host.plugins["mine"].refused

        assert (refused.name, reason in refused.reason) == (name, True)
        assert await call(host, "Notes_count") == 0


async def test_one_under_two_names_is_offered_once_and_each_tool_refused_the_second_time(
    plugins: Any,
) -> None:
    plugins.install(f"{NOTES}    register(Notes, name='More')\n")
    more = {"Notes": MEMORY["mine"]["Notes"], "More": {"path": "never"}}
    async with plugins.hosted(mine=more) as host:
        info = host.plugins["mine"]

        assert tuple(each.name for each in info.refused) == info.tools
        assert {each.reason for each in info.refused} == {
            "the plugin has registered another of this name before it"
        }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pegboard", "so load it in code, with host.load('mine', settings={'pegboard': {…}})"),
        ("my-notes", "no table can have its name; its author can register it under another"),
    ],
)
async def test_one_whose_name_no_table_can_have_is_left_out_with_another_way(
    plugins: Any, name: str, told: str
) -> None:
    plugins.install(NOTES.replace("register(Notes)", f"register(Notes, name={name!r})"))
    async with plugins.hosted() as host:
        [refused] = host.plugins["mine"].refused

    assert (refused.name, told in refused.reason) == (name, True)


async def test_one_that_is_called_pegboard_is_made_with_what_the_program_gives(
    plugins: Any,
) -> None:
    plugins.install(NOTES.replace("register(Notes)", "register(Notes, name='pegboard')"))
    async with Host(discover=False) as host:
        await host.load("mine", settings={"pegboard": {"path": ":memory:"}})

        assert await call(host, "Notes_count") == 0
