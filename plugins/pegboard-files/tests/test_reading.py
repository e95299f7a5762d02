"""Listing and reading, through a host."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Outcome, Success, Text

Call = Callable[..., Outcome]


def test_a_listing_has_folders_and_files_with_their_sizes(call: Call, root: Path) -> None:
    (root / "a.txt").write_text("four")

    outcome = call("files_list", {"path": "."})

    assert outcome.unwrap() == {
        "path": ".",
        "entries": [
            {"path": "a.txt", "kind": "file", "size": 4},
            {"path": "notes", "kind": "folder", "size": None},
        ],
        "notes": [],
    }
    assert isinstance(outcome, Success)
    assert outcome.content == (Text("a.txt  4 bytes\nnotes/"),)


def test_without_a_path_the_root_is_listed(call: Call) -> None:
    assert [each["path"] for each in call("files_list", {}).unwrap()["entries"]] == ["notes"]


def test_a_deeper_listing_gives_paths_that_other_tools_take(call: Call) -> None:
    entries = call("files_list", {"path": "notes/..", "depth": 2}).unwrap()["entries"]

    assert [each["path"] for each in entries] == ["notes", "notes/overview.md"]
    assert call("files_read", {"path": entries[1]["path"]}).unwrap()["total_lines"] == 4


def test_folders_of_tools_are_listed_but_not_entered(call: Call, root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").touch()

    listing = call("files_list", {"depth": 3}).unwrap()

    assert [each["path"] for each in listing["entries"]][:2] == [".git", "notes"]
    assert listing["notes"] == ["folders that the settings leave out: 1"]
    assert len(call("files_list", {"path": ".git"}).unwrap()["entries"]) == 1


def test_a_long_listing_is_cut_and_says_so(call: Call, root: Path) -> None:
    for number in range(30):
        (root / f"{number:02}").touch()

    listing = call("files_list", {}, max_entries=10).unwrap()

    assert [each["path"] for each in listing["entries"]] == [f"{n:02}" for n in range(10)]
    assert listing["notes"] == ["only the first 10 entries are shown; list a folder further down"]


def test_a_file_is_not_listed_but_the_right_tool_is_named(call: Call) -> None:
    outcome = call("files_list", {"path": "notes/overview.md"})

    assert isinstance(outcome, Failure)
    assert outcome.message == (
        "'notes/overview.md' is not a folder; files_read gives the text of a file"
    )


def test_a_file_is_read_with_the_numbers_of_its_lines(call: Call) -> None:
    outcome = call("files_read", {"path": "notes/overview.md", "limit": 40})

    assert outcome.unwrap() == {
        "path": "notes/overview.md",
        "text": "# Overview\n\n- one\n- two\n",
        "first_line": 1,
        "last_line": 4,
        "total_lines": 4,
        "notes": [],
        "version": "a44502e3be6b865f",
        "image": None,
    }
    shown = "# Overview\n\n- one\n- two\n[version a44502e3be6b865f]"
    assert outcome.content == (Text(shown),)


@pytest.mark.parametrize(
    ("arguments", "text", "last"),
    [
        ({"offset": 3}, "- one\n- two\n", 4),
        ({"offset": 3, "limit": 1}, "- one\n", 3),
        ({"offset": 4, "limit": 10**30}, "- two\n", 4),
        ({"limit": 1}, "# Overview\n", 1),
        ({"limit": None}, "# Overview\n\n- one\n- two\n", 4),
    ],
)
def test_offset_and_limit_count_lines_from_one(
    call: Call, arguments: dict[str, int], text: str, last: int
) -> None:
    value = call("files_read", {"path": "notes/overview.md", **arguments}).unwrap()

    assert (value["text"], value["last_line"]) == (text, last)


def test_what_is_left_of_a_file_is_said_with_the_offset_to_go_on(call: Call) -> None:
    outcome = call("files_read", {"path": "notes/overview.md", "limit": 2})

    note = "up to line 2 of 4; read on with offset=3"
    assert outcome.unwrap()["notes"] == [note]
    version = "[version a44502e3be6b865f]"
    assert outcome.content == (Text(f"# Overview\n\n[{note}]\n{version}"),)


@pytest.mark.parametrize("offset", [5, 10**6, 10**30])
def test_an_offset_beyond_the_end_is_answered_with_the_number_of_lines(
    call: Call, offset: int
) -> None:
    outcome = call("files_read", {"path": "notes/overview.md", "offset": offset})

    assert isinstance(outcome, Failure)
    assert outcome.message == f"'notes/overview.md' has no line {offset}: it has 4 lines"


def test_an_empty_file_is_read(call: Call, root: Path) -> None:
    (root / "empty").touch()

    value = call("files_read", {"path": "empty"}).unwrap()

    assert (value["text"], value["last_line"], value["total_lines"]) == ("", 0, 0)


def test_a_long_file_is_cut_between_lines(call: Call, root: Path) -> None:
    (root / "long").write_text("".join(f"line {n}\n" for n in range(1, 101)))

    first = call("files_read", {"path": "long"}, max_bytes=100).unwrap()
    rest = call("files_read", {"path": "long", "offset": first["last_line"] + 1}).unwrap()

    assert first["text"].endswith("\n")
    assert len(first["text"]) <= 100
    assert (first["text"] + rest["text"]).encode() == (root / "long").read_bytes()


@pytest.mark.parametrize("most", range(16, 30))
def test_a_long_line_is_cut_between_characters(call: Call, root: Path, most: int) -> None:
    (root / "long").write_text("naïve café ☕🫖 " * 10)

    value = call("files_read", {"path": "long"}, max_bytes=most).unwrap()

    assert ("naïve café ☕🫖 " * 10).startswith(value["text"])
    assert most - 3 <= len(value["text"].encode()) <= most
    assert value["notes"] == [f"line 1 was cut after {most} bytes"]


def test_only_the_beginning_of_a_huge_file_is_looked_at(call: Call, root: Path) -> None:
    (root / "log").write_bytes("0123456789abcdé\n".encode() * 1000)

    value = call("files_read", {"path": "log", "offset": 58}, max_file_bytes=1000).unwrap()

    assert (value["text"], value["total_lines"]) == ("0123456789abcdé\n", None)
    assert value["notes"][-1] == "only the first 1000 of 17000 bytes are looked at"


def test_a_byte_order_mark_is_not_part_of_the_text(call: Call, root: Path) -> None:
    (root / "marked").write_bytes(b"\xef\xbb\xbfone\n")

    assert call("files_read", {"path": "marked"}).unwrap()["text"] == "one\n"


def test_a_link_to_another_place_below_the_root_is_followed(call: Call, root: Path) -> None:
    (root / "relative").symlink_to("notes/../notes/overview.md")
    (root / "notes" / "absolute").symlink_to(root / "notes")

    for path in ("relative", "notes/absolute/overview.md", "notes/absolute/absolute/../relative"):
        assert call("files_read", {"path": path}).unwrap()["path"] == "notes/overview.md"


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("notes/overveiw.md", "'notes/overview.md'"),
        ("nots/overview.md", "'notes'"),
        ("Notes/overview.md", "'notes'"),
        ("notes/Overview.md", "'notes/overview.md'"),
    ],
)
def test_a_missing_file_is_answered_with_near_names(call: Call, path: str, near: str) -> None:
    outcome = call("files_read", {"path": path})

    assert isinstance(outcome, Failure)
    assert outcome.message.startswith(f"'{path}' isn't there: ")
    assert outcome.message.endswith(f"did you mean {near}?")


def test_a_name_that_no_path_can_have_is_listed_and_marked(call: Call, root: Path) -> None:
    (root / "back\\slash").touch()

    listing = call("files_list", {}).unwrap()

    assert listing["entries"][0]["path"] == "back\\slash"
    assert listing["notes"] == ["names that can't be given back, shown with \\: 1"]
