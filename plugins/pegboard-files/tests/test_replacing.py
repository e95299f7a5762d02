"""Replacing a file, without a host: what goes wrong leaves the old file as it was."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pegboard import ToolError
from pegboard_files.reach import reach
from pegboard_files.regular import read_place, replace

Tree = Callable[[Path], object]
MOST = 1_000_000


@contextmanager
def small_files_only() -> Iterator[None]:
    """While the block runs, the system writes no file beyond a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("path", ["notes/overview.md", "notes/new.md", "a/b/new.md"])
def test_a_file_that_the_disk_does_not_take_changes_nothing(
    root: Path, tree: Tree, path: str
) -> None:
    before = tree(root)

    with (
        small_files_only(),
        pytest.raises(ToolError, match="can't be written: file too large"),
        reach(str(root), path, create=True) as place,
    ):
        replace(place, b"x" * 1000)

    assert tree(root) == before


@pytest.mark.parametrize("change", ["# Changed\n", "# Overview\n\n- one\n- too\n", None])
def test_a_file_that_changed_since_it_was_read_is_not_replaced(
    root: Path, tree: Tree, change: str | None
) -> None:
    file = root / "notes" / "overview.md"
    with reach(str(root), "notes/overview.md") as place:
        read = read_place(place, most=MOST)
        file.unlink()
        if change:
            file.write_text(change)
        before = tree(root)

        with pytest.raises(ToolError, match=r"changed while it was edited|removed in the meantime"):
            replace(place, b"x", expected=read.state)

    assert tree(root) == before


def test_a_root_that_is_gone_is_said_without_its_path(root: Path) -> None:
    root.rename(root.parent / "gone")

    with (
        pytest.raises(ToolError, match=r"^the root folder itself isn't there any more"),
        reach(str(root), "notes"),
    ):
        pass
