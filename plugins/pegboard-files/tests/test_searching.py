"""Searching, through a host."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pegboard import Failure, Outcome, Text

Call = Callable[..., Outcome]

OVER_AT_ONCE = 1e-9


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
        ({"pattern": "one", "glob": "notes/"}, [3]),
        ({"pattern": "one", "glob": "./notes/*.{md,txt}"}, [3]),
        ({"pattern": "one", "glob": "*.{txt,md}"}, [3]),
        ({"pattern": "one", "glob": "**/*.{txt,md}"}, [3]),
        ({"pattern": "one", "glob": "overview.md", "path": "notes"}, [3]),
        ({"pattern": "one", "glob": "notes/**/*.md", "path": "notes"}, [3]),
        ({"pattern": "one", "glob": "over*", "path": "notes"}, [3]),
        ({"pattern": "one", "glob": ""}, [3]),
        ({"pattern": "one", "glob": "*/*/*.md"}, []),
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


def test_the_same_pattern_finds_the_same_files_in_a_search_as_by_their_paths(
    call: Call, root: Path
) -> None:
    for name in ("a.py", "src/a.py", "src/deep/b.py", "src/c.ts", "src/[id].ts"):
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).write_text("one\n")

    for glob in ("src/*.py", "src/**", "**/*.py", "src/**/*.{py,ts}", "src/?.py", "src/[[]id].ts"):
        searched = call("files_search", {"pattern": "one", "glob": glob}).unwrap()["matches"]
        entries = call("files_glob", {"pattern": glob}).unwrap()["entries"]
        assert [each["path"] for each in searched] == [
            each["path"] for each in entries if each["kind"] == "file"
        ]


def test_a_glob_that_fits_no_file_is_said(call: Call) -> None:
    value = call("files_search", {"pattern": "one", "glob": "*.txt"}).unwrap()

    assert (value["files_searched"], value["notes"]) == (0, ["no file there fits the glob"])


@pytest.mark.parametrize("glob", ["../*", "/notes/*", "\0", "a\\*"])
def test_a_glob_that_no_file_can_fit_is_refused_with_the_reason(call: Call, glob: str) -> None:
    outcome = call("files_search", {"pattern": "one", "glob": glob})

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "invalid_pattern"
    assert outcome.message.startswith("the glob '")


@pytest.mark.parametrize(
    ("pattern", "plain"),
    [("one\n", True), ("one\n- two", True), ("one\\n- two", False), ("one\n", False)],
)
def test_a_pattern_that_asks_for_a_line_break_is_refused_for_no_line_has_one(
    call: Call, pattern: str, *, plain: bool
) -> None:
    outcome = call("files_search", {"pattern": pattern, "plain": plain})

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == "invalid_pattern"
    assert "the pattern has a line break" in outcome.message


@pytest.mark.parametrize(
    ("pattern", "plain"),
    [("o[^\\n]e", False), ("o[^\n]e", False), ("(\\\\n)?one", False), ("\\name", True)],
)
def test_what_only_looks_like_a_line_break_is_none(
    call: Call, root: Path, pattern: str, *, plain: bool
) -> None:
    (root / "notes" / "overview.md").write_text("one \\name\n")

    value = call("files_search", {"pattern": pattern, "plain": plain}).unwrap()

    assert [each["line"] for each in value["matches"]] == [1]


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

    value = call("files_search", {"pattern": pattern}, max_seconds=600).unwrap()

    assert value["notes"] == []


@pytest.mark.parametrize("path", [".", "long"])
@pytest.mark.parametrize("program", ["own", "ripgrep"])
def test_a_search_ends_when_its_time_is_over(
    call: Call, root: Path, ripgrep: str, *, path: str, program: str
) -> None:
    (root / "long").write_text("a\n" * 1_000)
    settings = {"search_with": program, "ripgrep": ripgrep, "max_matches": 10_000}

    arguments = {"pattern": "a", "path": path}
    value = call("files_search", arguments, max_seconds=OVER_AT_ONCE, **settings).unwrap()

    assert value["notes"] == ["stopped after 1e-09 s; search a folder further down"]
    assert len(value["matches"]) < 1_000
