"""`pegboard warm` in an image, and what starts from it: other users, no home, nothing writable."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard_strangers import Image, image_of
from pegboard_wheels import write_wheel

LOUD = '''
import sys
from pegboard import tool

print("imported", file=sys.stderr)

@tool
def shout(value: str) -> str:
    """Shout."""
    return value.upper()
'''
FIRST = ("audit", "clock", "echo", "files", "permissions")


@pytest.fixture(scope="module")
def ready(
    installed: Path,
    wheels: dict[str, Path],
    pip: Callable[..., None],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A virtual environment with the first plugins, and one that says when it is imported."""
    folder = tmp_path_factory.mktemp("ready") / "venv"
    shutil.copytree(installed, folder, symlinks=True, copy_function=os.link)
    files = {"loud.py": LOUD}
    loud = write_wheel(folder.parent, "loud", "1.0", files=files, plugin="loud = loud")
    packed = [wheels[name] for name in FIRST]
    pip("--python", folder / "bin" / "python", "install", "--no-index", "--no-deps", *packed, loud)
    return folder


@pytest.fixture
def image(ready: Path) -> Iterator[Image]:
    """An image of it, which was installed only now."""
    with image_of(ready) as made:
        (made.packages / "loud-1.0.dist-info").touch()
        yield made


def tools_of(ran: Any) -> set[str]:
    """The names of the tools in a list."""
    return {each["name"] for each in json.loads(ran.stdout)}


def test_the_next_start_reads_it_as_another_user_without_a_home(image: Image) -> None:
    warmed = image.pegboard("warm", "--json")
    image.close()
    ran = image.stranger("tools", "--json")
    told = json.loads(warmed.stdout)

    assert "imported\n" in warmed.stderr
    assert (told["is_settled"], told["failed"]) == (True, [])
    assert {"loud", "clock", "echo"} <= set(told["deferred"]) <= set(told["plugins"])
    assert Path(told["path"]).is_relative_to(image.cache)
    assert ({"shout", "clock_now"} <= tools_of(ran), "imported" in ran.stderr) == (True, False)


def test_everything_works_as_another_user_where_nothing_was_written(image: Image) -> None:
    image.close()

    listed = image.stranger("tools", "--json")
    called = image.stranger("call", "shout", '{"value": "pi"}')

    assert {"shout", "clock_now", "echo", "files_read"} <= tools_of(listed)
    assert "there is no home folder to keep the record in; set path" in listed.stderr
    assert (called.stdout, called.stderr) == ("PI\n", "imported\n")


def test_it_says_how_many_plugins_are_in_it_and_where_it_is(image: Image) -> None:
    ran = image.pegboard("warm")

    path, _, rest = ran.stdout.partition(": ")
    assert Path(path).is_file()
    assert rest == "plugins: 6, 4 of them shown without being imported\n"


def test_bytecode_is_there_whatever_python_was_told_to_leave(image: Image) -> None:
    module = image.packages / "loud.py"
    kept = image.packages / "__pycache__"
    for each in kept.glob("loud.*"):
        each.unlink()

    image.pegboard("warm", PYTHONDONTWRITEBYTECODE="1")

    assert module.is_file()
    assert [each.name.partition(".")[0] for each in kept.glob("loud.*")] == ["loud"]
    assert "as installed" in image.pegboard("verify").stdout


def test_a_plugin_that_fails_is_said_and_is_no_success(image: Image) -> None:
    (image.packages / "loud.py").unlink()
    (image.packages / "loud.py").write_text("raise OSError('no disk')\n")

    ran = image.pegboard("warm", "--json", expect=1)

    assert json.loads(ran.stdout)["failed"] == ["loud"]
    assert "plugin 'loud' could not be loaded: " in ran.stderr
    assert "OSError: no disk" in ran.stderr


@pytest.mark.parametrize(
    ("cache", "said"),
    [
        ("", "there is no folder to write to: PEGBOARD_CACHE is empty"),
        ("unset", "PEGBOARD_CACHE names none, and there is no home folder"),
        ("/dev/null/x", "nothing can be written to /dev/null/x: "),
    ],
)
def test_where_nothing_can_be_written_that_is_said_in_one_line(
    image: Image, cache: str, said: str
) -> None:
    ran = image.stranger("warm", PEGBOARD_CACHE=cache, expect=2)

    assert (ran.stdout, len(ran.stderr.splitlines())) == ("", 1)
    assert said in ran.stderr
