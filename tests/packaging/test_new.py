"""What `pegboard new` writes can be installed, tested, built, published and used as it is."""

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def for_authors(
    installed: Path, pip: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A virtual environment with pegboard and what building a package takes."""
    folder = tmp_path_factory.mktemp("authors") / "venv"
    shutil.copytree(installed, folder, symlinks=True, copy_function=os.link)
    pip("--python", folder / "bin/python", "install", "editables", "hatchling", "pytest")
    return folder


@pytest.fixture
def author(environment: Any, for_authors: Path) -> Any:
    """A new package, and the environment inside it where its author works."""
    environment.pegboard("new", "dice-box")
    project = environment.work / "pegboard-dice-box"
    shutil.copytree(for_authors, project / ".venv", symlinks=True, copy_function=os.link)
    return type(environment)(project / ".venv", project)


@pytest.fixture
def wheel(author: Any, pip: Callable[..., None]) -> Path:
    """The wheel of the package, as its author publishes it."""
    project = author.work
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", project / "dist"]
    pip("--python", author.python, "wheel", *options, project)
    return next((project / "dist").iterdir())


def test_the_tests_of_a_new_package_pass_once_it_is_installed(
    author: Any, pip: Callable[..., None], run: Callable[..., str]
) -> None:
    options = ["install", "--no-build-isolation", "--editable", f"{author.work}[test]"]
    pip("--python", author.python, *options)

    printed = run(author.python, "-m", "pytest", "-W", "error", "-rA", cwd=author.work)

    assert "PASSED tests/test_dice_box.py::TestPlugin::test_every_tool_is_described" in printed
    assert "PASSED tests/test_dice_box.py::test_the_greeting_can_be_set" in printed
    assert "FAILED" not in printed


def test_the_wheel_of_a_new_package_holds_its_code_and_nothing_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert names == {"pegboard_dice_box/__init__.py", "pegboard_dice_box/py.typed"}


def test_the_published_wheel_of_a_new_package_offers_its_tool_elsewhere(
    environment: Any, wheel: Path, pip: Callable[..., None]
) -> None:
    index = ["--no-index", "--find-links", wheel.parent]
    pip("--python", environment.python, "install", *index, "pegboard-dice-box")

    tools = json.loads(environment.pegboard("tools", "--json"))
    greeted = environment.pegboard("call", "dice_box_greet", '{"name": "Ada"}')

    assert [(each["name"], each["plugin"]) for each in tools] == [("dice_box_greet", "dice-box")]
    assert greeted == "Hello, Ada!\n"


def test_the_name_of_an_installed_package_is_taken(environment: Any, wheel: Path) -> None:
    environment.install(wheel)

    environment.pegboard("new", "dice-box", "--directory", "another", expect=2)

    assert not (environment.work / "another").exists()
