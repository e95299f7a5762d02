"""The file of answers: its operator's, read when it changes, never half written."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from pegboard import PluginLoadError
from pegboard_permissions.answers import Answer
from pegboard_permissions.store import Store
from pegboard_permissions.tables import StoreError

Desk = Callable[..., Any]
WRITE = Answer("files", None, "write")
MARK = b"\xef\xbb\xbf"
OPERATORS = """\
# mine

[[allow]]   # files may be read
plugin = "files"
tool = 'read'
boards = ["one", "team-*"]
"""
ADDING = """
import sys
from pathlib import Path
from pegboard_permissions.answers import Answer
from pegboard_permissions.store import Store

store = Store(Path(sys.argv[1]))
for number in range(20):
    store.add(Answer(sys.argv[2], None, f"tool_{number}"))
"""


def answers_in(store: Path) -> list[Any]:
    return tomlkit.parse(store.read_text()).unwrap()["allow"]


async def test_what_the_operator_wrote_stays_as_it_is(desk: Desk, store: Path) -> None:
    store.write_text(OPERATORS)
    store.chmod(0o640)
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = "always"
        await it.ends("write")

    assert store.read_text().startswith(OPERATORS)
    assert answers_in(store)[1:] == [{"plugin": "files", "tool": "write"}]
    assert store.stat().st_mode & 0o777 == 0o640


async def test_an_operator_may_narrow_an_answer_to_boards(desk: Desk, store: Path) -> None:
    store.write_text(OPERATORS)
    async with desk(default="ask", store=str(store)) as it:
        for board in ("one", "team-a", "two"):
            await it.ends("read", board)

    assert [each.board for each in it.people.asked] == ["two"]


async def test_a_change_holds_from_the_next_call_on(desk: Desk, store: Path) -> None:
    async with desk(default="ask", store=str(store)) as it:
        await it.ends("read")
        store.write_text(OPERATORS)
        await it.ends("read")
        store.unlink()
        await it.ends("read")

    assert len(it.people.asked) == 2


CHANGES = {
    "removed": lambda text: "# nothing is allowed\n",
    "narrowed": lambda text: text + 'boards = ["two"]\n',
    "deleted": lambda text: None,
}


def change(store: Path, text: str | None) -> None:
    if text is None:
        store.unlink()
    else:
        store.write_text(text)


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("rules", [[], [{"ask": [{"tool": "read", "arguments": {"path": "*"}}]}]])
async def test_an_always_that_the_operator_takes_back_is_asked_again_where_it_was_given(
    desk: Desk, store: Path, kind: str, rules: Any
) -> None:
    async with desk(default="ask", rules=rules, store=str(store)) as it:
        it.people.answer = "always"
        ends = [await it.ends("read", path="x"), await it.ends("read", path="x")]
        change(store, CHANGES[kind](store.read_text()))
        it.people.answer = "rejected"
        ends += [await it.ends("read", path="x") for _ in range(2)]

    assert ends == ["ok", "ok", "denied", "denied"]
    assert len(it.people.asked) == 3


async def test_an_always_that_was_narrowed_holds_on_the_boards_that_are_left(
    desk: Desk, store: Path
) -> None:
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = "always"
        await it.ends("read", "one")
        store.write_text(store.read_text() + 'boards = ["two"]\n')

        for board in ("two", "one", "one"):
            await it.ends("read", board)

    assert [each.board for each in it.people.asked] == ["one", "one"]


async def test_what_was_answered_for_the_board_outlives_a_change_of_the_file(
    desk: Desk, store: Path
) -> None:
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = "board"
        await it.ends("read")
        store.write_text("# emptied\n")
        await it.ends("read")

    assert len(it.people.asked) == 1


async def test_a_file_with_a_byte_order_mark_is_read_and_keeps_it(desk: Desk, store: Path) -> None:
    store.write_bytes(MARK + OPERATORS.encode())
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = "always"
        for tool in ("read", "write", "write"):
            await it.ends(tool)

    assert [each.tool for each in it.people.asked] == ["write"]
    assert store.read_bytes().startswith(MARK + OPERATORS.encode())
    assert store.read_bytes().count(MARK) == 1


def test_a_mistake_after_a_byte_order_mark_is_told_with_its_line(store: Path) -> None:
    store.write_bytes(MARK + b"# one\noops\n")

    with pytest.raises(StoreError, match=r"permissions\.toml:2: isn't TOML"):
        Store(store).current()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n[[allow]\n", r"permissions\.toml:2: isn't TOML"),
        ("[[allow]]\ntool = 'a'\n\n[[allow]]\ntol = 'b'\n", r"permissions\.toml:4: 'tol'"),
        ("[[allow]]\nplugin = 'a'\n", r"permissions\.toml:1: 'tool' must be a name"),
        ("[[allow]]\ntool = 'a'\nboards = 'b'\n", r":1: 'boards' must be a list of patterns"),
        ("[[allow]]\ntool = 'a'\narguments = { x = [] }\n", r":1: 'arguments' must be patterns"),
        ("x = 1\n\ndeny = 1\n", r"permissions\.toml:1: 'x' isn't known"),
        ("allow = 1\n", r"permissions\.toml:1: write \[\[allow\]\]"),
    ],
)
async def test_a_broken_file_is_an_error_at_loading_that_says_where(
    desk: Desk, store: Path, text: str, words: str
) -> None:
    store.write_text(text)

    with pytest.raises(PluginLoadError, match=words):
        async with desk(store=str(store)):
            pass


async def test_a_file_that_is_not_utf_8_is_an_error_with_its_line(desk: Desk, store: Path) -> None:
    store.write_bytes(b"# one\n# \xff\n")

    with pytest.raises(PluginLoadError, match=r"permissions\.toml:2: isn't UTF-8"):
        async with desk(store=str(store)):
            pass


async def test_a_folder_in_its_place_is_an_error(desk: Desk, store: Path) -> None:
    store.mkdir()

    with pytest.raises(PluginLoadError, match="isn't a regular file"):
        async with desk(store=str(store)):
            pass


async def test_once_the_file_is_broken_what_needs_an_answer_is_denied_until_it_is_mended(
    desk: Desk, store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.write_text(OPERATORS)
    async with desk(rules=[{"allow": ["run"]}], store=str(store)) as it:
        store.write_text(OPERATORS + "oops\n")
        broken = [await it.ends("read"), await it.ends("write"), await it.ends("run")]
        store.write_text(OPERATORS)
        mended = await it.ends("read")

    assert (broken, mended) == (["denied", "denied", "ok"], "ok")
    assert it.people.asked == []
    assert [each.getMessage() for each in caplog.records if "permissions.toml:7" in each.message]


async def test_a_file_that_cannot_be_written_leaves_the_answer_for_the_board(
    desk: Desk, store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Path(f"{store}.lock").mkdir()
    async with desk(default="ask", store=str(store)) as it:
        it.people.answer = "always"
        ends = [await it.ends("write") for _ in range(2)]

    assert (ends, len(it.people.asked)) == (["ok", "ok"], 1)
    assert "'always' holds for this board only" in caplog.text


def test_a_file_that_is_broken_is_not_written_over(store: Path) -> None:
    store.write_text("oops\n")

    with pytest.raises(StoreError):
        Store(store).add(WRITE)

    assert store.read_text() == "oops\n"


def test_a_yes_is_kept_once(store: Path) -> None:
    for _ in range(2):
        Store(store).add(WRITE)

    assert answers_in(store) == [{"plugin": "files", "tool": "write"}]


def test_entries_in_an_array_get_company_there(store: Path) -> None:
    store.write_text('allow = [\n  { tool = "a" },  # mine\n]\n')

    Store(store).add(WRITE)

    assert "# mine" in store.read_text()
    assert answers_in(store) == [{"tool": "a"}, {"plugin": "files", "tool": "write"}]


def test_a_link_stays_a_link(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.toml"
    target.write_text(OPERATORS)
    store.symlink_to(target)

    Store(store).add(WRITE)

    assert store.is_symlink()
    assert len(answers_in(target)) == 2


def test_processes_that_write_at_once_lose_nothing(store: Path) -> None:
    command = [sys.executable, "-c", ADDING, str(store)]
    running = [subprocess.Popen([*command, plugin]) for plugin in ("a", "b")]

    assert [each.wait(60) for each in running] == [0, 0]

    kept = {(each["plugin"], each["tool"]) for each in answers_in(store)}
    assert kept == {(plugin, f"tool_{number}") for plugin in "ab" for number in range(20)}
    assert not list(store.parent.glob(".*"))
