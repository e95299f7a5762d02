"""Which files of the cache are believed."""

import os
from pathlib import Path

import pytest
from pegboard import cache

STRANGER = 54321


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of somebody who could write this program too."""
    path = tmp_path / "kept"
    path.write_text("text")
    path.chmod(0o644)
    return path


def test_what_the_owner_of_the_program_wrote_is_believed_by_every_user(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Path(cache.__file__).stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)

    assert cache.read_own(str(file)) == ("text" if file.stat().st_uid in (owner, 0) else None)


def test_what_a_stranger_wrote_is_not_believed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = file.stat()
    foreign = os.stat_result((*found[:4], STRANGER, *found[5:10]))
    monkeypatch.setattr(os, "fstat", lambda _: foreign)

    assert cache.read_own(str(file)) is None


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_what_a_group_or_everybody_may_write_is_not_believed(file: Path, mode: int) -> None:
    file.chmod(mode)

    assert cache.read_own(str(file)) is None
