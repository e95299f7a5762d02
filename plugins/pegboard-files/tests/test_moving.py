"""Moving, through a host."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Outcome, Text, ToolCall
from pegboard_files import moving, renaming

Call = Callable[..., Outcome]
Calls = Callable[[list[ToolCall]], list[Outcome]]
Tree = Callable[[Path], object]

FILE = "notes/overview.md"
WAYS = {"in one step": renaming.NO_REPLACING, "after a look": {}}


@pytest.fixture
def move(changes: Calls) -> Callable[[str, str], Outcome]:
    """`move(path, to)` gives the outcome."""
    return lambda path, to: changes([ToolCall("1", "files_move", {"path": path, "to": to})])[0]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the two ways in which an entry is renamed, whatever this system has."""
    monkeypatch.setattr(renaming, "NO_REPLACING", WAYS[request.param])


Move = Callable[[str, str], Outcome]


@pytest.mark.usefixtures("way")
def test_a_file_is_moved_and_missing_folders_are_made(move: Move, root: Path) -> None:
    outcome = move(FILE, "a/b/c.md")

    assert outcome.unwrap() == {"path": FILE, "to": "a/b/c.md", "kind": "file"}
    assert outcome.content == (Text(f"the file {FILE} is a/b/c.md now"),)
    assert (root / "a" / "b" / "c.md").read_text().startswith("# Overview")
    assert not (root / FILE).exists()


@pytest.mark.usefixtures("way")
def test_a_folder_is_moved_with_everything_in_it(move: Move, root: Path) -> None:
    assert move("notes/", "texts/").unwrap()["kind"] == "folder"
    assert [each.name for each in (root / "texts").iterdir()] == ["overview.md"]


def test_a_folder_that_is_named_by_steps_up_is_moved_itself(move: Move, root: Path) -> None:
    (root / "notes" / "inner").mkdir()

    assert move("notes/inner/..", "texts").unwrap()["path"] == "notes"
    assert (root / "texts" / "inner").is_dir()


def test_a_link_is_moved_itself_wherever_it_leads(move: Move, root: Path, outside: Path) -> None:
    (root / "link").symlink_to(outside)

    assert move("link", "notes/link").unwrap()["kind"] == "link"
    assert (root / "notes" / "link").readlink() == outside
    assert (outside / "secret.txt").exists()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("to", ["taken", "notes", "full", "link", "dangling", "."])
@pytest.mark.parametrize("path", ["file", "folder"])
def test_nothing_is_ever_replaced(move: Move, root: Path, tree: Tree, path: str, to: str) -> None:
    (root / "file").write_text("file")
    (root / "folder").mkdir()
    (root / "taken").write_text("taken")
    (root / "full").mkdir()
    (root / "link").symlink_to("taken")
    (root / "dangling").symlink_to("nothing")
    before = tree(root)

    outcome = move(path, to)

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "exists"
    assert tree(root) == before


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("path", "to", "code"),
    [
        ("notes", "notes/inner", "into_itself"),
        ("notes", "notes/new/deep", "into_itself"),
        ("notes", "notes", "same_place"),
        (FILE, "notes/../notes/overview.md", "same_place"),
        (".", "x", "is_root"),
        ("notes/..", "x", "is_root"),
        ("notes/overview.md/", "x", "not_a_folder"),
        (FILE, "x/", "not_a_folder"),
        ("missing", "x", "not_found"),
        (FILE, "notes/overview.md/x", "not_found"),
        (FILE, "../x", "outside_root"),
        ("../root_secret/secret.txt", "x", "outside_root"),
        (FILE, "/x", "invalid_path"),
    ],
)
def test_a_move_that_makes_no_sense_is_refused_and_leaves_no_folder(
    move: Move, root: Path, outside: Path, tree: Tree, *, path: str, to: str, code: str
) -> None:
    before = tree(root.parent)

    outcome = move(path, to)

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == code
    assert tree(root.parent) == before


@pytest.mark.usefixtures("way")
def test_a_name_may_change_in_its_capitals_only(move: Move, root: Path) -> None:
    move(FILE, "notes/Overview.md").unwrap()

    assert [each.name for each in (root / "notes").iterdir()] == ["Overview.md"]


@pytest.mark.parametrize(("known", "is_same"), [({"a"}, True), ({"a", "A"}, False)])
def test_a_change_of_capitals_is_one_entry_only_where_the_system_knows_it_by_both_names(
    root: Path, monkeypatch: pytest.MonkeyPatch, known: set[str], is_same: bool
) -> None:
    (root / "a").touch()
    (root / "A").hardlink_to(root / "a")
    monkeypatch.setattr(moving, "names_in", lambda folder: known)
    with (
        moving.reach(str(root), "a", follow=False) as source,
        moving.reach(str(root), "A", follow=False) as target,
    ):
        assert moving._is_same_entry(source, target) is is_same


def test_two_names_of_one_file_stay_two(move: Move, root: Path) -> None:
    (root / "a").touch()
    (root / "A").hardlink_to(root / "a")

    assert move("a", "A").details["code"] == "exists"


def test_a_file_keeps_its_mode_its_time_and_its_other_names(move: Move, root: Path) -> None:
    (root / FILE).chmod(0o750)
    (root / "other").hardlink_to(root / FILE)
    before = (root / FILE).stat()

    move(FILE, "moved").unwrap()

    assert os.path.samestat((root / "moved").stat(), (root / "other").stat())
    assert (root / "moved").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(("tool", "setting"), [("files_move", "move"), ("files_delete", "delete")])
def test_a_tool_that_an_operator_has_to_want_is_there_only_then(
    call: Call, tool: str, setting: str
) -> None:
    arguments = {"path": "missing", "to": "x"} if setting == "move" else {"path": "missing"}

    codes = [
        call(tool, arguments, **settings).code
        for settings in ({}, {setting: True, "read_only": True}, {setting: True})
    ]

    assert codes == ["unknown_tool", "unknown_tool", "tool_error"]


def test_what_the_host_may_not_move_is_said_in_a_sentence(
    move: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, to: str, *, at: int, into: int) -> None:
        raise OSError(18, "EXDEV")

    monkeypatch.setattr(moving, "rename", refuse)

    assert "the two places are on different file systems" in move(FILE, "x").message


if sys.platform == "linux":

    def test_this_system_renames_in_one_step(root: Path) -> None:
        folder = os.open(root, os.O_RDONLY)
        (root / "a").touch()
        (root / "b").touch()

        try:
            assert renaming._rename_at_once("a", "b", at=folder, into=folder) == 17
            assert renaming._rename_at_once("a", "c", at=folder, into=folder) == 0
        finally:
            os.close(folder)
