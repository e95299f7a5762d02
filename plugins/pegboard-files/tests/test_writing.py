"""Writing and editing, through a host."""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Outcome

Call = Callable[..., Outcome]
Tree = Callable[[Path], object]


def edit(old: str, new: str, **more: object) -> dict[str, object]:
    """The arguments of one edit of the overview."""
    return {"path": "notes/overview.md", "edits": [{"old": old, "new": new, **more}]}


def test_a_file_is_written_character_for_character(call: Call, root: Path) -> None:
    content = "# Summary\r\n\n- naïve café ☕\0 \N{ZERO WIDTH NO-BREAK SPACE}"

    outcome = call("files_write", {"path": "summary.md", "content": content})

    assert outcome.unwrap() | {"patch": None} == {
        "path": "summary.md",
        "size": len(content.encode()),
        "is_new": True,
        "version": "79b97d1161fdc311",
        "patch": None,
    }
    assert (root / "summary.md").read_bytes() == content.encode()


def test_missing_folders_are_made_for_a_file(call: Call, root: Path) -> None:
    call("files_write", {"path": "a/b/c.txt", "content": "x"}).unwrap()

    assert (root / "a" / "b" / "c.txt").read_text() == "x"


def test_a_write_that_fails_leaves_no_folder_and_no_file(
    call: Call, root: Path, tree: Tree
) -> None:
    before = tree(root)

    outcome = call("files_write", {"path": "a/b/", "content": "x"})

    assert isinstance(outcome, Failure)
    assert tree(root) == before


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_mode_when_it_is_written_again(call: Call, root: Path, mode: int) -> None:
    (root / "run").touch()
    (root / "run").chmod(mode)

    assert not call("files_write", {"path": "run", "content": "x"}).unwrap()["is_new"]
    assert stat.S_IMODE((root / "run").stat().st_mode) == mode


def test_a_new_file_has_the_mode_that_the_process_gives(call: Call, root: Path) -> None:
    (root / "made").touch()

    call("files_write", {"path": "written", "content": ""}).unwrap()

    assert (root / "written").stat().st_mode == (root / "made").stat().st_mode


def test_writing_through_a_link_changes_the_file_and_keeps_the_link(call: Call, root: Path) -> None:
    (root / "link").symlink_to("notes/new.md")

    assert call("files_write", {"path": "link", "content": "x"}).unwrap()["path"] == "notes/new.md"
    assert (root / "link").is_symlink()
    assert (root / "notes" / "new.md").read_text() == "x"


def test_writing_a_hard_link_leaves_the_other_name_alone(
    call: Call, root: Path, outside: Path
) -> None:
    os.link(outside / "secret.txt", root / "hard")

    call("files_write", {"path": "hard", "content": "x"}).unwrap()

    assert (outside / "secret.txt").read_text() == "SECRET\n"


def test_a_text_that_is_too_long_is_refused_and_not_cut(call: Call, root: Path) -> None:
    outcome = call("files_write", {"path": "big", "content": "é" * 51}, max_file_bytes=100)

    assert isinstance(outcome, Failure)
    assert "102 bytes, and 100 are allowed" in outcome.message
    assert not (root / "big").exists()


def test_a_reader_sees_the_old_text_or_the_new_one(
    call: Call, root: Path, names: Callable[[Path], list[str]]
) -> None:
    file, seen, done = root / "file", set(), threading.Event()
    file.write_text("a" * 100_000)

    def read() -> None:
        while not done.is_set():
            seen.add(file.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for letter in "bcdefgh":
        call("files_write", {"path": "file", "content": letter * 100_000}).unwrap()
    done.set()
    reader.join()

    assert seen <= {letter * 100_000 for letter in "abcdefgh"}
    assert names(root) == ["file", "notes"]


def test_only_the_tools_that_read_are_there_if_the_settings_say_so(call: Call) -> None:
    for name in ("files_write", "files_edit"):
        outcome = call(name, {"path": "a", "content": "x"}, read_only=True)

        assert isinstance(outcome, Failure)
        assert outcome.code == "unknown_tool"


def test_an_edit_replaces_exactly_the_old_text(call: Call, root: Path) -> None:
    value = call("files_edit", edit("- one\n", "- 1.0 (.*)\\1\n")).unwrap()

    assert value["replaced"] == [1]
    assert (root / "notes/overview.md").read_text() == "# Overview\n\n- 1.0 (.*)\\1\n- two\n"


def test_several_edits_are_done_one_after_another(call: Call, root: Path) -> None:
    edits = [
        {"old": "one", "new": "two"},
        {"old": "two", "new": "three", "everywhere": True},
        {"old": "# Overview\n\n", "new": ""},
    ]

    value = call("files_edit", {"path": "notes/overview.md", "edits": edits}).unwrap()

    assert value["replaced"] == [1, 2, 1]
    assert (root / "notes/overview.md").read_text() == "- three\n- three\n"


@pytest.mark.parametrize(
    ("old", "code"),
    [("three", "not_there"), ("- ", "ambiguous"), ("- one\n\n", "not_there"), ("ONE", "not_there")],
)
def test_an_edit_that_is_not_exact_changes_nothing(
    call: Call, root: Path, tree: Tree, old: str, code: str
) -> None:
    before = tree(root)
    edits = [{"old": "one", "new": "1"}, {"old": old, "new": "x"}]

    outcome = call("files_edit", {"path": "notes/overview.md", "edits": edits})

    assert isinstance(outcome, Failure)
    assert outcome.message.startswith("edit 2 of 'notes/overview.md' can't be done: its old text")
    assert outcome.details["code"] == code
    assert tree(root) == before


@pytest.mark.parametrize("edits", [[], [{"old": "", "new": "x"}], [{"old": "x"}], "x"])
def test_edits_without_an_old_text_are_invalid_arguments(call: Call, edits: object) -> None:
    outcome = call("files_edit", {"path": "notes/overview.md", "edits": edits})

    assert isinstance(outcome, Failure)
    assert outcome.code == "invalid_arguments"


def test_a_file_whose_lines_end_in_crlf_keeps_them(call: Call, root: Path) -> None:
    (root / "notes/overview.md").write_bytes(b"one\r\ntwo\r\nthree\r\n")

    call("files_edit", edit("one\ntwo", "1\n2\n2.5")).unwrap()

    assert (root / "notes/overview.md").read_bytes() == b"1\r\n2\r\n2.5\r\nthree\r\n"


def test_line_ends_are_taken_as_they_are_where_they_differ(call: Call, root: Path) -> None:
    (root / "notes/overview.md").write_bytes(b"one\r\ntwo\nthree\r\n")

    outcome = call("files_edit", edit("one\ntwo", "1"))
    call("files_edit", edit("two\n", "2\n")).unwrap()

    assert outcome.is_error
    assert (root / "notes/overview.md").read_bytes() == b"one\r\n2\nthree\r\n"


def test_a_file_that_is_too_large_to_be_read_whole_is_not_edited(call: Call, root: Path) -> None:
    outcome = call("files_edit", edit("one", "1"), max_file_bytes=16)

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "too_large"
