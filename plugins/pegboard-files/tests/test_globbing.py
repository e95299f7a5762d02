"""Finding files by their names, through a host."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import Failure, Outcome, Text
from pegboard_files.globs import Glob

Call = Callable[..., Outcome]

FILES = ["a.py", "b.txt", "src/a.py", "src/test_a.py", "src/deep/down/c.py", "[x]/y.md", ".hidden"]


@pytest.fixture
def tree_of(root: Path) -> Path:
    """The root, with some files in some folders."""
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


@pytest.mark.usefixtures("tree_of")
@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.py", ["a.py"]),
        ("./*.py", ["a.py"]),
        ("**/*.py", ["a.py", "src/a.py", "src/deep/down/c.py", "src/test_a.py"]),
        ("src/**/*.py", ["src/a.py", "src/deep/down/c.py", "src/test_a.py"]),
        (
            "src/**",
            ["src/a.py", "src/deep", "src/deep/down", "src/deep/down/c.py", "src/test_a.py"],
        ),
        ("**", None),
        ("**/down/*", ["src/deep/down/c.py"]),
        ("*", [".hidden", "[x]", "a.py", "b.txt", "notes", "src"]),
        ("*/", ["[x]", "notes", "src"]),
        ("**/d*/", ["src/deep", "src/deep/down"]),
        ("?.py", ["a.py"]),
        ("[!a].*", ["b.txt"]),
        ("[a-b].*", ["a.py", "b.txt"]),
        ("[[]x]/*", ["[x]/y.md"]),
        ("*.{py,txt}", ["a.py", "b.txt"]),
        ("{src/,}{test_,}a.py", ["a.py", "src/a.py", "src/test_a.py"]),
        (
            "{src,notes}/**/*.{py,md}",
            ["notes/overview.md", "src/a.py", "src/deep/down/c.py", "src/test_a.py"],
        ),
        ("{a", []),
        ("A.PY", []),
        ("src", ["src"]),
        (".*", [".hidden"]),
        ("a**y", ["a.py"]),
        ("***", None),
    ],
)
def test_a_pattern_finds_the_paths_that_fit_it(
    call: Call, pattern: str, paths: list[str] | None
) -> None:
    entries = call("files_glob", {"pattern": pattern}).unwrap()["entries"]

    every = [each["path"] for each in call("files_list", {"depth": 9}).unwrap()["entries"]]
    assert [each["path"] for each in entries] == (every if paths is None else paths)


@pytest.mark.usefixtures("tree_of")
def test_a_pattern_begins_below_the_folder_that_is_named(call: Call) -> None:
    outcome = call("files_glob", {"pattern": "*.py", "path": "src/deep/.."})

    assert outcome.unwrap() == {
        "entries": [
            {"path": "src/a.py", "kind": "file", "size": 0},
            {"path": "src/test_a.py", "kind": "file", "size": 0},
        ],
        "notes": [],
    }
    assert outcome.content == (Text("src/a.py  0 bytes\nsrc/test_a.py  0 bytes"),)


@pytest.mark.parametrize(
    ("pattern", "more"),
    [
        ("*.py", "; '**/*.py' looks in all folders below too"),
        ("x/", "; '**/x/' looks in all folders below too"),
        ("src/*.py", ""),
        ("**/*.py", ""),
    ],
)
def test_nothing_found_is_said_and_where_else_to_look(call: Call, pattern: str, more: str) -> None:
    content = call("files_glob", {"pattern": pattern}).content

    assert content == (Text(f"(nothing fits the pattern{more})"),)


def test_what_is_left_out_is_said(call: Call, root: Path) -> None:
    (root / "node_modules").mkdir()
    for number in range(5):
        (root / f"{number}").touch()

    few = call("files_glob", {"pattern": "?"}, max_entries=3).unwrap()
    short = call("files_glob", {"pattern": "**"}, max_seconds=1e-9).unwrap()
    skipped = call("files_glob", {"pattern": "**/x"}).unwrap()

    assert few["notes"] == ["only the first 3 entries are shown; ask more exactly"]
    assert short["notes"] == ["stopped after 1e-09 s; search a folder further down"]
    assert skipped["notes"] == ["folders that the settings leave out: 1"]


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "/",
        "/etc/*",
        "../*",
        "a/../b",
        "a\\*",
        "\0",
        "x" * 201,
        "[z-a]",
        ".",
        "./",
        "{" + "a," * 99,
    ],
)
def test_a_pattern_that_no_path_can_fit_is_refused_or_finds_nothing(
    call: Call, pattern: str
) -> None:
    outcome = call("files_glob", {"pattern": pattern})

    if isinstance(outcome, Failure):
        assert outcome.details["code"] == "invalid_pattern"
        assert outcome.message.isprintable()
    else:
        assert outcome.unwrap()["entries"] == []


names = st.text(alphabet="ab.*?[]!-\n{},é", min_size=1, max_size=6)


@given(pattern=names.filter(lambda each: not {*"{}"} & {*each}), name=names)
def test_within_one_name_a_pattern_means_what_it_means_elsewhere(pattern: str, name: str) -> None:
    if not pattern.strip("./") or "[]" in pattern or "[!" in pattern or "-" in pattern:
        return
    assert Glob(pattern).fits(name) == fnmatchcase(name, pattern.replace("[^", "[[]^"))
