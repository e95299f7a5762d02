"""How much output is given back, and where the rest is kept."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pegboard import Outcome
from pegboard_shell.kept import Kept
from pegboard_shell.printed import Printed

Call = Callable[..., Outcome]
LINES = "i=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i+1)); done"


def test_short_output_is_given_whole_and_kept_nowhere(call: Call, root: Path) -> None:
    value = call({"command": "echo short"}).unwrap()

    assert (value["output"], value["size"], value["kept"]) == ("short\n", 6, None)
    assert [each.name for each in root.iterdir()] == ["inner"]


def test_of_long_output_both_ends_are_given_and_the_whole_is_kept(call: Call, root: Path) -> None:
    value = call({"command": LINES}, answer_bytes=512).unwrap()

    output, whole = value["output"], (root / value["kept"]).read_text()
    assert output.startswith("line 0\nline 1\n")
    assert output.endswith("line 998\nline 999\n")
    assert "bytes are left out here" in output
    assert len(output) < 600
    assert whole == "".join(f"line {number}\n" for number in range(1000))
    assert value["notes"] == [f"the whole output is in {value['kept']}"]
    assert value["size"] == len(whole)


def test_git_does_not_see_what_is_kept(call: Call, root: Path) -> None:
    call({"command": LINES}, answer_bytes=512)

    assert (root / ".shell" / ".gitignore").read_text() == "*\n"


def test_only_so_many_files_are_kept_and_the_oldest_go(kept: Kept, root: Path) -> None:
    names = [write(kept, b"x" * 10) for _ in range(8)]

    left = kept_files(root)
    assert len(left) == 3
    assert names[-1] in left


def test_the_files_together_are_only_so_large(kept: Kept, root: Path) -> None:
    for _ in range(8):
        write(kept, b"x" * 100)

    assert sum((root / "deep" / "kept" / each).stat().st_size for each in kept_files(root)) <= 250


def test_a_file_that_is_still_written_is_not_taken_away(kept: Kept, root: Path) -> None:
    first = kept.begin()

    for _ in range(5):
        write(kept, b"x")

    assert first.name in kept_files(root)
    kept.end(first)


def test_other_files_in_the_folder_are_left_alone(kept: Kept, root: Path) -> None:
    write(kept, b"x")
    (root / "deep" / "kept" / "0.txt").write_text("mine")

    for _ in range(5):
        write(kept, b"x")

    assert (root / "deep" / "kept" / "0.txt").read_text() == "mine"


def test_a_link_in_the_place_of_the_folder_is_not_followed(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root" / "deep").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="deep"):
        kept.begin()

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_command_is_ended_if_its_output_can_not_be_kept(call: Call, root: Path) -> None:
    (root / ".shell").write_text("in the way")

    value = call({"command": "yes"}, answer_bytes=512).unwrap()

    assert value["ended"] == "disk"
    assert value["notes"] == ["ended because the disk doesn't take what it writes"]
    assert value["output"].startswith("y\ny\n") or value["output"] == ""


@pytest.mark.parametrize("most", range(3, 12))
def test_text_is_only_cut_between_characters(kept: Kept, most: int) -> None:
    printed = Printed(kept, 1000, 100)
    printed.add("aé☕𝄞é".encode())

    pieces, at = [], 0
    while at < printed.size:
        piece = printed.from_(at, most=most + 1)
        pieces.append(piece.text)
        at = piece.after

    assert "".join(pieces) == "aé☕𝄞é"


@pytest.fixture
def kept(root: Path) -> Kept:
    """A folder for three files of 100 bytes, or 250 bytes."""
    return Kept(str(root), ("deep", "kept"), most_files=3, most_bytes=250, largest=100)


def write(kept: Kept, data: bytes) -> str:
    """Keep a file; gives its name."""
    file = kept.begin()
    os.write(file.descriptor, data)
    kept.end(file)
    return file.name


def kept_files(root: Path) -> list[Any]:
    """The names of the kept files."""
    return sorted(each.name for each in (root / "deep" / "kept").glob("2*-*.txt"))
