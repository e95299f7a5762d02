"""Which plugins are installed, read without importing any of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.plugins.discovery import discover, normalised, read_entry_points
from pegboard.testing import Site


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[pegboard]\na = m\n", [("a", "m", "")]),
        ("[pegboard]\na=m:x.y\n", [("a", "m", "x.y")]),
        ("[pegboard]\na = pkg.mod : obj [extra]\n", [("a", "pkg.mod", "obj")]),
        ("# c\n[other]\nx = y\n\n[ pegboard ]\n; c\na = m\n[third]\nb = m\n", [("a", "m", "")]),
        ("[console_scripts]\npegboard = m:f\n", []),
    ],
)
def test_the_entry_points_of_our_group_are_read(
    text: str, found: list[tuple[str, str, str]]
) -> None:
    assert read_entry_points(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "a = m",
        "[pegboard]\na",
        "[pegboard]\na = 1/2",
        "[pegboard]\na = m\na = n",
        "[pegboard]\n../x = m",
        "[pegboard]\n= m",
        "[other]\nrubbish\n[pegboard]\na = m",
    ],
)
def test_what_is_malformed_is_an_error_that_says_where(text: str) -> None:
    with pytest.raises(ValueError, match="entry_points"):
        read_entry_points(text)


@given(st.text(max_size=200))
def test_no_text_does_more_than_fail_with_a_value_error(text: str) -> None:
    try:
        found = read_entry_points(text)
    except ValueError:
        return

    assert all(len(each) == 3 for each in found)


@pytest.mark.parametrize("spelling", ["Demo_Tool", "demo-tool", "demo.tool", "DEMO--tool"])
def test_spellings_of_one_distribution_are_one(spelling: str) -> None:
    assert normalised(spelling) == "demo-tool"


def test_the_first_on_the_path_counts_and_the_other_is_reported(tmp_path: Path) -> None:
    first, second = Site(tmp_path / "a"), Site(tmp_path / "b")
    first.install("Demo_Tool", "2.0", entry_points={"new": "m"}, files={"m.py": ""})
    second.install("demo-tool", "1.0", entry_points={"old": "m"}, files={"m.py": ""})

    seen = discover(path=[str(first.path), str(second.path)])

    assert [(each.name, each.version) for each in seen.found.values()] == [("new", "2.0")]
    assert [problem.distribution for problem in seen.problems] == ["demo-tool"]


@pytest.mark.parametrize("metadata", ["", "Name: x\n", "Version: 1\n"])
def test_metadata_without_a_name_or_version_is_reported(tmp_path: Path, metadata: str) -> None:
    site = Site(tmp_path)
    site.install("odd", entry_points={"odd": "m"}, metadata=metadata, files={"m.py": ""})
    site.install("good", entry_points={"good": "m2"}, files={"m2.py": ""})

    seen = discover(path=[str(tmp_path)])

    assert list(seen.found) == ["good"]
    assert len(seen.problems) == 1


def test_metadata_that_is_no_text_costs_only_itself(tmp_path: Path) -> None:
    site = Site(tmp_path)
    info = site.install("odd", entry_points={"odd": "m"}, files={"m.py": ""})
    (info / "entry_points.txt").write_bytes(b"[pegboard]\n\xff = m\n")
    site.install("good", entry_points={"good": "m2"}, files={"m2.py": ""})

    seen = discover(path=[str(tmp_path)])

    assert list(seen.found) == ["good"]
    assert "odd" in seen.problems[0].path


def test_a_relative_folder_on_the_path_gives_the_paths_that_modules_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Site(tmp_path / "site").install("one", entry_points={"one": "one"}, files={"one.py": ""})
    monkeypatch.chdir(tmp_path)

    found = discover(path=["site"]).found["one"]

    assert found.location == tmp_path / "site"
    assert tmp_path / "site" / "one.py" in found.files
