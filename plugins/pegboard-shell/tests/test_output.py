"""How much output is given back, and where the rest is kept."""

import asyncio
import os
import re
import resource
from collections.abc import Callable, Iterator
from os import mkfifo
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


IN_THE_WAY: dict[str, Callable[[Path], object]] = {
    "a file": lambda root: (root / ".shell").write_text("in the way"),
    "a link": lambda root: (root / ".shell").symlink_to(root / "inner"),
    "a link to itself": lambda root: (root / ".shell").symlink_to(".shell"),
    "a folder no more": lambda root: (root / ".shell").symlink_to(root / "missing"),
}


@pytest.mark.parametrize("stand", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_a_command_whose_output_cannot_be_kept_runs_to_its_end_and_both_ends_are_given(
    call: Call, root: Path, stand: Callable[[Path], object]
) -> None:
    stand(root)

    value = call({"command": f"{LINES}; exit 3"}, answer_bytes=512).unwrap()

    assert (value["ended"], value["exit_status"], value["kept"]) == ("exited", 3, None)
    assert value["output"].startswith("line 0\nline 1\n")
    assert value["output"].endswith("line 998\nline 999\n")
    [note] = value["notes"]
    assert note.startswith("what is left out is lost, since the host can't write below .shell: ")
    assert list((root / "inner").iterdir()) == []


async def test_a_job_whose_output_cannot_be_kept_gives_its_last_part(
    hosted: Any, root: Path
) -> None:
    (root / ".shell").write_text("in the way")
    async with hosted(answer_bytes=512) as host:
        board = await host.board("tests")
        await board.call("shell_start", {"command": LINES})
        await until_ended(board)

        first, last = [
            (await board.call("shell_read", {"job": "job-1", "since": since})).unwrap()
            for since in (0, 600)
        ]

    assert (first["since"], first["output"][:14]) == (0, "line 0\nline 1\n")
    assert last["since"] == last["size"] - 512
    assert last["output"].endswith("line 998\nline 999\n")
    assert "what is left out is lost" in last["notes"][-1]


async def until_ended(board: Any) -> None:
    """Wait for the end of a job."""
    async with asyncio.timeout(60):
        while (await board.call("shell_list")).unwrap()[0]["state"] == "running":
            await asyncio.sleep(0.01)


@pytest.fixture
def small_disk() -> Iterator[None]:
    """No file of this process may have more than 1000 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_becomes_full_ends_no_command(call: Call, small_disk: None, root: Path) -> None:
    value = call({"command": LINES}, answer_bytes=512).unwrap()

    assert (value["ended"], value["exit_status"], value["kept"]) == ("exited", 0, None)
    assert value["output"].endswith("line 998\nline 999\n")
    assert "but for the first 1000 bytes in .shell/" in value["notes"][0]


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_piece_stands_where_it_says(kept: Kept, small_disk: None, is_whole: bool) -> None:
    printed = Printed(kept, 10_000, 100)
    whole = ("aé☕𝄞\n" * (80 if is_whole else 200)).encode()
    for begin in range(0, len(whole), 70):
        printed.add(whole[begin : begin + 70])

    pieces = [printed.from_(since, most=40) for since in range(printed.size)]

    assert bool(list(printed.notes)) is not is_whole
    assert all(whole[it.since : it.after].decode() == it.text for it in pieces)
    assert all(it.after > since for since, it in enumerate(pieces))
    assert pieces[-1].after == len(whole)
    printed.close()


def test_what_is_left_out_is_left_out_between_lines(call: Call) -> None:
    value = call({"command": LINES}, answer_bytes=600).unwrap()

    lines = [each for each in value["output"].splitlines() if not each.startswith("[... ")]
    assert set(lines) <= {f"line {number}" for number in range(1000)}
    left_out = int(re.findall(r"\[\.\.\. (\d+) bytes", value["output"])[0])
    assert left_out + sum(len(each) + 1 for each in lines) == value["size"]


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_what_only_looks_like_a_kept_file_is_left_alone(kept: Kept, root: Path, kind: str) -> None:
    write(kept, b"x")
    odd = root / "deep" / "kept" / "20000101T000000-00000000.txt"
    make = {"folder": odd.mkdir, "link": lambda: odd.symlink_to(root), "pipe": lambda: mkfifo(odd)}
    make[kind]()

    names = [write(kept, b"x" * 100) for _ in range(5)]

    assert {odd.name, names[-1]} <= set(kept_files(root))


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
