"""Searching, through a host."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Outcome, Text

Call = Callable[..., Outcome]


def found(outcome: Outcome) -> list[tuple[str, int]]:
    """Where a search found something."""
    return [(each["path"], each["line"]) for each in outcome.unwrap()["matches"]]


def test_lines_that_match_are_found_in_all_folders(call: Call, root: Path) -> None:
    (root / "b").mkdir()
    (root / "b" / "c.txt").write_text("zero\none\r\n")

    outcome = call("files_search", {"pattern": "one$"})

    assert outcome.unwrap() == {
        "matches": [
            {"path": "b/c.txt", "line": 2, "text": "one"},
            {"path": "notes/overview.md", "line": 3, "text": "- one"},
        ],
        "files_searched": 2,
        "notes": [],
    }
    assert outcome.content == (Text("b/c.txt:2: one\nnotes/overview.md:3: - one"),)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pattern": "- (one|two)"}, [3, 4]),
        ({"pattern": "OVERVIEW"}, []),
        ({"pattern": "OVERVIEW", "ignore_case": True}, [1]),
        ({"pattern": "(one|two)", "plain": True}, []),
        ({"pattern": "# O", "plain": True}, [1]),
        ({"pattern": "^$"}, [2]),
        ({"pattern": "one", "path": "notes"}, [3]),
        ({"pattern": "one", "path": "notes/overview.md"}, [3]),
        ({"pattern": "one", "glob": "*.md"}, [3]),
        ({"pattern": "one", "glob": "**/*.md"}, [3]),
        ({"pattern": "one", "glob": "notes/*"}, [3]),
        ({"pattern": "one", "glob": "*.txt"}, []),
    ],
)
def test_a_search_can_be_made_narrower(
    call: Call, arguments: dict[str, object], lines: list[int]
) -> None:
    assert [line for _, line in found(call("files_search", arguments))] == lines


def test_links_are_not_entered_so_that_nothing_is_found_twice(call: Call, root: Path) -> None:
    (root / "again").symlink_to("notes")
    (root / "notes" / "round").symlink_to("..")
    (root / "overview").symlink_to("notes/overview.md")

    assert found(call("files_search", {"pattern": "one"})) == [("notes/overview.md", 3)]


def test_what_was_not_searched_is_counted(call: Call, root: Path) -> None:
    (root / "binary").write_bytes(b"one\0")
    (root / "latin").write_bytes(b"caf\xe9 one\n")
    (root / "node_modules").mkdir()
    (root / "wide").write_text("x" * 20_000 + "one\n" + "one\n")

    value = call("files_search", {"pattern": "one"}).unwrap()

    assert [each["path"] for each in value["matches"]] == ["latin", "notes/overview.md", "wide"]
    assert value["notes"] == [
        "binary files that were not searched: 1",
        "lines searched only in their first 10000 bytes: 1",
        "folders that the settings leave out: 1",
    ]


def test_many_matches_are_cut_and_long_lines_too(call: Call, root: Path) -> None:
    (root / "many").write_text(("é" * 1000 + "\n") * 10)

    value = call("files_search", {"pattern": "é"}, max_matches=3).unwrap()

    assert [each["text"] for each in value["matches"]] == ["é" * 300 + "..."] * 3
    assert value["notes"] == ["only the first 3 matches are shown; ask more exactly"]


@pytest.mark.parametrize("pattern", ["", "(", "(?=x)", "a{1000}{1000}", "x" * 1001, "\\1"])
def test_a_pattern_that_is_no_expression_is_refused_with_the_reason(
    call: Call, pattern: str
) -> None:
    outcome = call("files_search", {"pattern": pattern})

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "invalid_pattern"


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "(a*)*b"])
def test_a_pattern_that_other_engines_never_finish_ends_in_time(
    call: Call, root: Path, pattern: str
) -> None:
    (root / "hard").write_text(("a" * 9_000 + "!\n") * 10)
    began = time.monotonic()

    call("files_search", {"pattern": pattern}, max_seconds=2).unwrap()

    assert time.monotonic() - began < 4


def test_a_search_ends_when_its_time_is_over(call: Call, root: Path) -> None:
    (root / "long").write_text("a\n" * 1_000_000)

    value = call("files_search", {"pattern": "b"}, max_seconds=0.01).unwrap()

    assert value["notes"] == ["stopped after 0.01 s; search a folder further down"]
