"""Who may read what `pegboard warm` has written, and what it says where something is missing."""

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard_strangers import Image, image_of
from pegboard_wheels import write_wheel

LOUD = """
import sys
from pegboard import tool

print("imported", file=sys.stderr)

@tool
def shout() -> str:
    "Shout."
    return "PI"
"""
masks = pytest.mark.parametrize("umask", [0o027, 0o077], ids=oct)


@pytest.fixture(scope="module")
def ready(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with a plugin that says when it is imported, without its bytecode."""
    folder = tmp_path_factory.mktemp("shared") / "venv"
    shutil.copytree(installed, folder, symlinks=True, copy_function=os.link)
    files = {"loud/__init__.py": LOUD}
    wheel = write_wheel(folder.parent, "loud", "1.0", files=files, plugin="loud = loud")
    shutil.unpack_archive(wheel, next(folder.glob("lib/python*/site-packages")), "zip")
    return folder


@pytest.fixture
def image(ready: Path) -> Iterator[Image]:
    """An image of it."""
    with image_of(ready) as made:
        yield made


def modes(*paths: Path) -> list[str]:
    """The permissions of files and folders."""
    return [oct(stat.S_IMODE(each.stat().st_mode)) for each in paths]


@masks
def test_every_user_reads_what_was_written_whatever_the_umask(image: Image, umask: int) -> None:
    cache = image.folder / "a" / "b" / "cache"
    warmed = image.pegboard("warm", "--json", umask=umask, PEGBOARD_CACHE=str(cache))
    image.close()
    ran = image.stranger("tools", "--json", PEGBOARD_CACHE=str(cache))

    path = Path(json.loads(warmed.stdout)["path"])
    above = [each for each in path.parents if each.is_relative_to(image.folder / "a")]
    bytecode = image.packages / "loud" / "__pycache__"
    assert [int(each, 8) & 0o555 for each in modes(*above)] == [0o555] * len(above)
    assert [int(each, 8) & 0o444 for each in modes(path, *bytecode.iterdir())] == [0o444] * 2
    assert int(modes(bytecode)[0], 8) & 0o555 == 0o555
    assert ([each["name"] for each in json.loads(ran.stdout)], ran.stderr) == (["shout"], "")


@masks
def test_nobody_is_let_in_who_was_not_before(image: Image, umask: int) -> None:
    own, hidden = image.folder / "own", image.packages / "loud" / "__init__.py"
    own.mkdir(mode=0o700)
    hidden.unlink()  # a link to a file that other tests have too
    hidden.write_text(LOUD)
    hidden.chmod(0o600)

    image.pegboard("warm", umask=umask, PEGBOARD_CACHE=str(own / "cache"))

    (bytecode,) = (hidden.parent / "__pycache__").iterdir()
    assert modes(own, own / "cache", bytecode) == ["0o700", "0o755", "0o600"]


def test_bytecode_that_can_not_be_written_is_said_and_is_no_failure(image: Image) -> None:
    image.cache.mkdir()
    image.close()
    image.cache.chmod(0o777)
    bare = str(image.packages / "loud")

    ran = image.stranger("warm")
    told = json.loads(image.stranger("warm", "--json").stdout)

    assert "bytecode could not be written in " in ran.stderr
    assert bare in told["unwritten"]


def test_a_plugin_that_only_names_and_nobody_has_is_no_success(image: Image) -> None:
    (image.folder / "pegboard.toml").write_text('only = ["loud", "nonesuch"]\n')

    ran = image.pegboard("warm", "--json", expect=1)

    assert json.loads(ran.stdout)["missing"] == ["nonesuch"]
    assert "pegboard.toml:1: no plugin 'nonesuch' is installed" in ran.stderr


def test_a_required_plugin_that_nobody_has_is_no_success_and_no_mistake(image: Image) -> None:
    (image.folder / "pegboard.toml").write_text('required = ["lound"]\n')

    ran = image.pegboard("warm", expect=1)

    said = "pegboard: pegboard.toml:1: no plugin 'lound' is installed; did you mean 'loud'?\n"
    assert (ran.stdout, ran.stderr.endswith(said)) == ("", True)
