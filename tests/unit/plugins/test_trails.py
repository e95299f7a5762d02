"""Where links lead a path, whatever is or isn't there."""

import os
from pathlib import Path

import pytest
from pegboard.plugins.trails import trail_of


def test_a_path_without_links_leads_to_itself(tmp_path: Path) -> None:
    whole = str(tmp_path.resolve() / "no" / "such")

    trail = trail_of(whole)

    assert (trail.path, trail.end, trail.links) == (whole, whole, ())


def test_every_link_on_the_way_is_named_where_it_stands(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    (folder / "a/release-1").mkdir(parents=True)
    (folder / "current").symlink_to("a/../a/latest")
    (folder / "a/latest").symlink_to(folder / "a/release-1")
    (folder / "a/release-1/x.toml").symlink_to("y.toml")

    trail = trail_of(folder / "current/x.toml")

    links = ("current", "a/latest", "a/release-1/x.toml")
    assert trail.end == str(folder / "a/release-1/y.toml")
    assert trail.links == tuple(str(folder / each) for each in links)


def test_where_a_link_leads_is_what_the_system_says(tmp_path: Path) -> None:
    (tmp_path / "to").symlink_to("/")
    (tmp_path / "up").symlink_to("../..")

    for path in (tmp_path / "to/tmp/../x", tmp_path / "up/./x", tmp_path / "up/../../../../x"):
        assert trail_of(path).end == os.path.realpath(path)


@pytest.mark.parametrize("path", ["loop/x.toml", "self", "x" * 5000, "a\0b", "x/" * 3000])
def test_a_path_that_leads_nowhere_is_no_error(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("pool")
    (tmp_path / "pool").symlink_to("loop")
    (tmp_path / "self").symlink_to("self")

    trail = trail_of(f"{tmp_path}/{path}")

    assert set(trail.links) <= {str(tmp_path.resolve() / each) for each in ("loop", "pool", "self")}


def test_a_folder_that_nobody_may_look_into_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> str:
        raise PermissionError(13, "no", path)

    monkeypatch.setattr(os, "readlink", refuse)

    assert trail_of(tmp_path / "x").end == str(tmp_path / "x")


def test_a_working_folder_that_is_gone_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert trail_of("x.toml").end == "x.toml"
