"""Commands start below the root, whatever the path says and whoever swaps folders."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pegboard import Failure, Outcome, ToolError
from pegboard_shell.folders import open_folder

Call = Callable[..., Outcome]


@pytest.fixture
def outside(root: Path) -> Path:
    """A folder beside the root, and links that lead to it and elsewhere."""
    folder = root.parent / "root_outside"
    folder.mkdir()
    (root / "out").symlink_to(folder)
    (root / "inner" / "up").symlink_to("../..")
    (root / "in").symlink_to(root / "inner")
    (root / "loop").symlink_to("loop")
    (root / "file").touch()
    return folder


@pytest.mark.parametrize("tool", ["shell_run", "shell_start"])
@pytest.mark.parametrize("cwd", [".", "inner", "missing"])
async def test_without_the_root_nothing_runs_and_with_it_again_all_does(
    hosted: Any, root: Path, tool: str, cwd: str
) -> None:
    async with hosted() as host:
        board = await host.board("tests")
        shutil.rmtree(root)

        refused = await board.call(tool, {"command": "true", "cwd": cwd})
        root.mkdir()

        assert refused.details == {"code": "no_root"}
        assert "the root folder, below which commands run, is gone" in refused.message
        (await board.call(tool, {"command": "true"})).unwrap()


@pytest.mark.parametrize(
    ("cwd", "path"), [("inner", "inner"), (".", "."), ("in", "inner"), ("inner/..", "."), ("", ".")]
)
def test_a_command_runs_in_the_folder_that_is_named(
    call: Call, root: Path, outside: Path, cwd: str, path: str
) -> None:
    value = call({"command": "pwd", "cwd": cwd}).unwrap()

    assert value["output"] == f"{(root / path).resolve()}\n"
    assert value["cwd"] == path


@pytest.mark.parametrize(
    ("cwd", "code"),
    [
        ("..", "outside_root"),
        ("../root_outside", "outside_root"),
        ("out", "outside_root"),
        ("inner/up", "outside_root"),
        ("inner/up/root_outside", "outside_root"),
        ("inner/../../root_outside", "outside_root"),
        ("/", "invalid_path"),
        ("/proc/self/cwd", "invalid_path"),
        ("inner\0", "invalid_path"),
        ("x" * 300, "invalid_path"),
        ("x/" * 3_000, "invalid_path"),
        ("missing", "not_found"),
        ("~", "not_found"),
        ("$HOME", "not_found"),
        ("missing/../..", "not_found"),
        ("file", "not_a_folder"),
        ("loop", "refused"),
    ],
)
def test_any_other_path_is_refused_and_nothing_runs(
    call: Call, root: Path, outside: Path, cwd: str, code: str
) -> None:
    outcome = call({"command": f"touch {root}/ran", "cwd": cwd})

    assert isinstance(outcome, Failure)
    assert outcome.details["code"] == code
    assert outcome.message.isprintable()
    assert len(outcome.message) < 300
    assert not (root / "ran").exists()


@contextmanager
def swapping(place: Path, target: Path) -> Iterator[list[int]]:
    """While the block runs, a folder and a link to another one change places all the time."""
    done, swaps, aside = threading.Event(), [0], place.with_name("aside")

    def swap() -> None:
        while not done.is_set():
            place.rename(aside)
            place.symlink_to(target)
            swaps[0] += 1
            place.unlink()
            aside.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield swaps
    finally:
        done.set()
        thread.join()


def test_a_link_that_is_swapped_in_meanwhile_leads_nowhere(root: Path, outside: Path) -> None:
    opened = []

    with swapping(root / "inner", outside) as swaps:
        while swaps[0] < 500:
            try:
                opened.append(open_folder(str(root), "inner").descriptor)
            except ToolError:
                continue
            assert not os.path.samestat(os.fstat(opened[-1]), outside.stat())
            os.close(opened.pop())

    assert opened == []


def test_a_folder_that_is_swapped_after_the_look_is_refused(
    root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = Path.resolve

    def resolved(path: Path, *, strict: bool = False) -> Path:
        real = resolve(path, strict=strict)
        (root / "inner").rename(root / "aside")
        (root / "inner").symlink_to(outside)
        return real

    monkeypatch.setattr(Path, "resolve", resolved)
    with pytest.raises(ToolError, match="not a folder, or a link took its place"):
        open_folder(str(root), "inner")
