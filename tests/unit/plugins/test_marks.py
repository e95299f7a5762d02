"""What tells that an installed plugin is another by now."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard.plugins.discovery import Found, discover
from pegboard.plugins.marks import mark_of
from pegboard.testing import Site, site_at


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder for distributions."""
    with site_at(tmp_path / "site") as site:
        yield site


def found(site: Site) -> Found:
    """The plugin that is installed there now."""
    return discover(path=[str(site.path)]).found["mine"]


def install(site: Site, version: str = "1.0", code: str = "") -> Path:
    """Put a distribution in the place of another."""
    site.uninstall("mine")
    return site.install(
        "mine", version, entry_points={"mine": "mark_mine"}, files={"mark_mine.py": code}
    )


def test_the_same_installed_again_has_the_same_mark(site: Site) -> None:
    install(site)
    before = mark_of(found(site))
    install(site)

    assert mark_of(found(site)) == before


@pytest.mark.parametrize("change", [{"version": "2.0"}, {"code": "V = 2"}], ids=["version", "file"])
def test_another_version_or_another_file_has_another_mark(
    site: Site, change: dict[str, str]
) -> None:
    install(site)
    before = mark_of(found(site))
    install(site, **change)

    assert mark_of(found(site)) != before


@pytest.mark.parametrize(
    ("file", "is_seen"),
    [("src/mark_mine.py", True), ("new.py", True), (".git/x.py", False), ("README.md", False)],
)
def test_the_sources_of_an_editable_install_tell_and_nothing_else(
    site: Site, tmp_path: Path, file: str, is_seen: bool
) -> None:
    project = tmp_path / "project"
    info = install(site)
    told = {"url": project.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(told))
    with (info / "RECORD").open("a") as record:
        record.write(f"{info.name}/direct_url.json,,\n")
    before = mark_of(found(site))
    (project / file).parent.mkdir(parents=True)
    (project / file).write_text("V = 2")

    assert (mark_of(found(site)) != before) is is_seen


def test_an_environment_inside_an_editable_project_does_not_tell(
    site: Site, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    info = install(site)
    told = {"url": project.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(told))
    with (info / "RECORD").open("a") as record:
        record.write(f"{info.name}/direct_url.json,,\n")
    (project / "env").mkdir(parents=True)
    (project / "env/pyvenv.cfg").write_text("")
    before = mark_of(found(site))
    (project / "env/installed.py").write_text("V = 2")

    assert mark_of(found(site)) == before
