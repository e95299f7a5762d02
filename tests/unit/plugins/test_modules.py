"""Which modules are a plugin's own."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from pegboard.plugins.discovery import discover
from pegboard.plugins.modules import Ground, ground_of
from pegboard.testing import site_at


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project."""
    return tmp_path.resolve() / "project"


@pytest.fixture
def ground(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """That of an editable install whose environment lies inside its project."""
    monkeypatch.setattr(sys, "prefix", str(project / ".venv"))
    monkeypatch.setattr(sys, "exec_prefix", str(project / ".venv"))
    with site_at(tmp_path / "site") as site:
        info = site.install("pegboard-mine", entry_points={"mine": "pegboard_mine"})
        told = {"url": project.as_uri(), "dir_info": {"editable": True}}
        (info / "direct_url.json").write_text(json.dumps(told))
        with (info / "RECORD").open("a") as record:
            record.write(f"{info.name}/direct_url.json,,\n")
        return ground_of(discover(path=[str(site.path)]).found["mine"])


def module_at(path: Path) -> ModuleType:
    """A module that says that it comes from a file."""
    module = ModuleType("somewhere")
    module.__file__ = str(path)
    return module


def test_what_lies_in_the_project_of_an_editable_install_is_the_plugin_s(
    ground: Ground, project: Path
) -> None:
    assert ground.owns("somewhere", module_at(project / "src/pegboard_mine/part.py"))
    assert not ground.owns("somewhere", module_at(project.parent / "elsewhere.py"))


def test_an_environment_inside_the_project_is_not_the_plugin_s(
    ground: Ground, project: Path
) -> None:
    installed = project / ".venv/lib/python3/site-packages/attr/__init__.py"

    assert not ground.owns("somewhere", module_at(installed))
