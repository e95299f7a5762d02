"""Deleting, through a host."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pegboard import Failure, Outcome, Text, ToolCall
from pegboard_files import removal

Calls = Callable[[list[ToolCall]], list[Outcome]]
Tree = Callable[[Path], object]
Delete = Callable[..., Outcome]

FILE = "notes/overview.md"
NAMES_IN = removal.names_in


@pytest.fixture
def delete(changes: Calls) -> Delete:
    """`delete(path)` gives the outcome."""

    def delete(path: str, **more: object) -> Outcome:
        return changes([ToolCall("1", "files_delete", {"path": path, **more})])[0]

    return delete


def test_a_file_is_deleted(delete: Delete, root: Path) -> None:
    outcome = delete(FILE)

    value = outcome.unwrap()
    assert (value["path"], value["kind"], value["count"]) == (FILE, "file", 1)
    assert outcome.content == (Text(f"the file {FILE} is deleted"),)
    assert list((root / "notes").iterdir()) == []


def test_an_empty_folder_is_deleted(delete: Delete, root: Path) -> None:
    (root / "empty").mkdir()

    assert delete("empty/").unwrap()["kind"] == "folder"
    assert not (root / "empty").exists()


def test_a_folder_that_is_not_empty_is_kept_unless_it_is_asked_for(
    delete: Delete, root: Path
) -> None:
    outcome = delete("notes")

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "not_empty"
    assert outcome.message == (
        "'notes' can't be deleted: it is a folder that isn't empty; set recursive to delete it "
        "with everything in it"
    )
    assert (root / FILE).exists()


def test_a_folder_goes_with_everything_in_it_and_no_link_is_followed(
    delete: Delete, root: Path, outside: Path, tree: Tree
) -> None:
    (root / "work" / ".git" / "deep").mkdir(parents=True)
    (root / "work" / ".git" / "deep" / "file").touch()
    (root / "work" / "out").symlink_to(outside)
    (root / "work" / "in").symlink_to("../notes")
    os.mkfifo(root / "work" / "pipe")
    before = tree(outside)

    assert delete("work", recursive=True).unwrap()["count"] == 7
    assert sorted(each.name for each in root.iterdir()) == ["notes"]
    assert (root / FILE).exists()
    assert tree(outside) == before


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("target", ["notes", "../root_secret", "missing", "link"])
def test_of_a_link_only_the_link_goes(
    delete: Delete, root: Path, outside: Path, target: str, recursive: bool
) -> None:
    (root / "link").symlink_to(target)

    assert delete("link", recursive=recursive).unwrap()["kind"] == "link"
    assert not (root / "link").is_symlink()
    assert (root / FILE).exists()
    assert (outside / "secret.txt").exists()


@pytest.mark.parametrize("path", [".", "", "notes/..", "./notes/../.", "root_link/../../root"])
@pytest.mark.parametrize("recursive", [False, True])
def test_the_root_is_never_deleted(
    delete: Delete, root: Path, path: str, recursive: bool, tree: Tree
) -> None:
    before = tree(root)

    outcome = delete(path, recursive=recursive)

    assert outcome.details["code"] in {"is_root", "not_found"}
    assert tree(root) == before


def test_a_link_to_the_root_is_a_link(delete: Delete, root: Path) -> None:
    (root / "notes" / "up").symlink_to("..")

    assert delete("notes/up", recursive=True).unwrap()["kind"] == "link"
    assert delete("notes/up/..", recursive=True).is_error
    assert (root / FILE).exists()


def test_a_folder_that_holds_too_much_is_kept_whole(
    delete: Delete, root: Path, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "MOST", 20)
    for number in range(21):
        (root / "notes" / f"{number}").touch()
    before = tree(root)

    outcome = delete("notes", recursive=True)

    assert outcome.message.startswith("'notes' holds more than 20 entries, and nothing was deleted")
    assert tree(root) == before


def test_a_database_in_use_keeps_its_folder(delete: Delete, root: Path, tree: Tree) -> None:
    with closing(sqlite3.connect(root / "notes" / "a.db", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE t (x)")
        before = tree(root)

        outcomes = [delete("notes", recursive=True), delete("notes/a.db"), delete("notes/a.db-wal")]

        assert all("belongs to a database that is in use" in each.message for each in outcomes)
        assert tree(root) == before


def test_a_removal_that_the_system_stops_says_what_is_gone(
    delete: Delete, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "notes" / "fixed").mkdir()
    remove_folder = removal.Removal.remove_folder

    def refuse(self: removal.Removal, name: str, *, at: int) -> None:
        if name == "fixed":
            raise PermissionError(13, "no")
        remove_folder(self, name, at=at)

    monkeypatch.setattr(removal.Removal, "remove_folder", refuse)
    monkeypatch.setattr(removal, "names_in", lambda folder: sorted(NAMES_IN(folder))[::-1])

    message = delete("notes", recursive=True).message

    assert "can't be deleted: the host has no permission; 1 entries in it are gone" in message


def test_a_removal_ends_when_its_call_is_cancelled(root: Path) -> None:
    for number in range(10):
        (root / "notes" / f"{number}").touch()
    looks = iter(range(5))

    def look_up() -> None:
        if next(looks, None) is None:
            raise InterruptedError

    with removal_place(root) as place, pytest.raises(InterruptedError):
        removal.Removal(look_up)._remove_tree(place.name, at=place.folder, level=1)
    assert len(list((root / "notes").iterdir())) == 11 - 5


def removal_place(root: Path) -> removal.Place:
    """The folder `notes` of the root, as the tool reaches it."""
    from pegboard_files.reach import reach

    return reach(str(root), "notes", follow=False)
