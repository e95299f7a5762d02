"""Files and folders that the system keeps from an ordinary user, through a host."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pegboard import Failure, Outcome

Call = Callable[..., Outcome]

NOBODY = 65534
MORE = {"files_write": {"content": "x"}, "files_edit": {"edits": [{"old": "one", "new": "x"}]}}


@pytest.fixture
def ordinary_root() -> Iterator[Path]:
    """A root of an ordinary user, who this process is while the test runs."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        is_privileged = os.geteuid() == 0
        if is_privileged:
            os.chown(root, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield root
        finally:
            for name in ("closed", "sealed"):
                (root / name).chmod(0o700)
            if is_privileged:
                os.seteuid(0)


@pytest.fixture
def guarded(ordinary_root: Path) -> Path:
    """A root with a file that can't be read, one that can't be written, and such folders."""
    for name in ("closed", "sealed"):
        (ordinary_root / name).mkdir()
        (ordinary_root / name / "file").write_text("one\n")
    (ordinary_root / "unreadable").write_text("one\n")
    (ordinary_root / "unreadable").chmod(0o000)
    (ordinary_root / "fixed").write_text("one\n")
    (ordinary_root / "fixed").chmod(0o444)
    (ordinary_root / "closed").chmod(0o000)
    (ordinary_root / "sealed").chmod(0o500)
    return ordinary_root


@pytest.mark.parametrize(
    ("tool", "path", "doing"),
    [
        ("files_read", "unreadable", "read"),
        ("files_edit", "unreadable", "read"),
        ("files_write", "unreadable", "written"),
        ("files_write", "fixed", "written"),
        ("files_list", "closed", "listed"),
        ("files_read", "closed/file", "reached"),
        ("files_write", "sealed/new", "written"),
        ("files_write", "sealed/a/b/new", "reached"),
    ],
)
def test_what_the_system_refuses_is_said_in_a_sentence(
    call: Call, guarded: Path, tool: str, path: str, doing: str
) -> None:
    outcome = call(tool, {"path": path, **MORE.get(tool, {})}, root=str(guarded))

    assert isinstance(outcome, Failure)
    assert outcome.message == f"'{path}' can't be {doing}: the host has no permission"
    assert (guarded / "fixed").read_text() == "one\n"
    assert [each.name for each in (guarded / "sealed").iterdir()] == ["file"]


def test_what_cannot_be_read_is_counted_and_stops_no_listing_and_no_search(
    call: Call, guarded: Path
) -> None:
    listing = call("files_list", {"depth": 3}, root=str(guarded)).unwrap()
    search = call("files_search", {"pattern": "one"}, root=str(guarded)).unwrap()

    assert listing["notes"] == ["folders that the host may not read: 1"]
    assert [each["path"] for each in search["matches"]] == ["fixed", "sealed/file"]
    assert search["notes"] == [
        "files that can't be read: 1",
        "folders that the host may not read: 1",
    ]
