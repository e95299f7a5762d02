"""The archives hold what users need, and nothing of the workshop."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
ALL = ["pegboard", "audit", "clock", "echo", "files", "permissions"]


def members(wheel: Path) -> set[str]:
    """The names of the files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in the source archive, without its top folder."""
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist"]
    subprocess.run([*command, "--directory", folder], cwd=REPOSITORY, check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


@pytest.mark.parametrize("name", ALL)
def test_a_wheel_says_that_it_is_typed_and_has_its_licence(
    wheels: dict[str, Path], name: str
) -> None:
    ends = {member.rpartition("/")[2] for member in members(wheels[name])}

    assert {"py.typed", "LICENSE"} <= ends


@pytest.mark.parametrize("name", ALL)
def test_a_wheel_has_one_package_and_its_metadata(wheels: dict[str, Path], name: str) -> None:
    package = "pegboard" if name == "pegboard" else f"pegboard_{name}"

    tops = {member.partition("/")[0] for member in members(wheels[name])}

    assert tops == {package, f"{package}-0.1.0.dist-info"}


@pytest.mark.parametrize("name", ALL)
def test_a_wheel_has_no_tests_and_no_caches(wheels: dict[str, Path], name: str) -> None:
    parts = {part for member in members(wheels[name]) for part in member.split("/")}

    assert not [part for part in parts if part.startswith("test_") or part.endswith(".pyc")]
    assert "tests" not in parts


def test_the_wheel_carries_the_message_of_the_demo(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["pegboard"]) as archive:
        texts = [archive.read(name) for name in archive.namelist() if name.endswith(".json")]

    assert any(b"tool_use" in text for text in texts)


def test_the_wheel_has_every_file_of_the_package(wheels: dict[str, Path]) -> None:
    package = REPOSITORY / "host/pegboard"
    paths = [path.relative_to(package) for path in package.rglob("*") if path.is_file()]

    files = {
        f"pegboard/{path.as_posix()}"
        for path in paths
        if path.suffix != ".pyc" and not any(part.startswith(".") for part in path.parts)
    }

    assert files == {name for name in members(wheels["pegboard"]) if name.startswith("pegboard/")}


def test_the_source_archive_can_be_built_from_and_has_nothing_more(sdist: set[str]) -> None:
    tops = {name.partition("/")[0] for name in sdist}

    assert {"pyproject.toml", "README.md", "LICENSE", "host", "PKG-INFO"} <= tops
    assert tops <= {"pyproject.toml", "README.md", "LICENSE", "host", "PKG-INFO", ".gitignore"}


def test_the_source_archive_has_every_file_of_the_package(
    sdist: set[str], wheels: dict[str, Path]
) -> None:
    built = {name for name in members(wheels["pegboard"]) if name.startswith("pegboard/")}

    assert {f"host/{name}" for name in built} <= sdist
