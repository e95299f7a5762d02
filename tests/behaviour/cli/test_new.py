"""`pegboard new` writes a package that works, or says why not and writes nothing."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

FILES = [
    ".gitignore",
    "README.md",
    "pyproject.toml",
    "src/pegboard_my_dice/__init__.py",
    "src/pegboard_my_dice/py.typed",
    "tests/test_my_dice.py",
]

REFUSED = {
    "capitals": ("Dice", ["'Dice'", "did you mean 'dice'?"]),
    "white space": ("my dice", ["did you mean 'my-dice'?"]),
    "an underscore": ("my_dice", ["did you mean 'my-dice'?"]),
    "other letters": ("caf\xe9", ["'caf\\xe9'", "did you mean 'cafe'?"]),
    "a digit first": ("6-dice", ["did you mean 'dice'?"]),
    "a distribution": ("pegboard-dice", ["names a distribution", "did you mean 'dice'?"]),
    "a module": ("pegboard_dice", ["names a distribution", "did you mean 'dice'?"]),
    "a path": ("../dice", ["did you mean 'dice'?"]),
    "nothing": ("", ["''", "lower-case letters"]),
    "nothing that could be kept": ("???", ["'???'"]),
    "too much": ("x" * 41, ["at most 40"]),
    "the name of a plugin": ("voice", ["'voice'", "pegboard-voice 1.0"]),
    "the name of a plugin, written otherwise": ("deep-voice", ["pegboard-low 1.0"]),
    "the name of a distribution": ("low", ["the distribution pegboard-low 1.0"]),
    "the name of a built-in plugin": ("deadline", ["built-in"]),
}


def below(folder: Path) -> list[str]:
    """The files below a folder."""
    found = (each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
    return sorted(found)


def test_the_package_of_a_plugin_is_written_and_its_files_are_listed(desk: Any) -> None:
    ran = desk.answer("new", "my-dice")

    assert ran.status == 0
    assert below(desk.work / "pegboard-my-dice") == FILES
    assert sorted(ran.out.splitlines()) == [f"pegboard-my-dice/{each}" for each in FILES]
    assert "pip install -e '.[test]'" in ran.err


def test_the_names_in_the_package_are_those_of_the_plugin(desk: Any) -> None:
    desk.answer("new", "my-dice")

    folder = desk.work / "pegboard-my-dice"
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == "pegboard-my-dice"
    assert project["entry-points"] == {"pegboard": {"my-dice": "pegboard_my_dice"}}
    assert project["dependencies"] == ["attrs>=25.1", "pegboard>=0.1"]
    assert not [each for each in FILES if "$" in (folder / each).read_text()]


def test_the_tool_of_the_package_can_be_called(desk: Any) -> None:
    desk.answer("new", "my-dice")
    source = (desk.work / "pegboard-my-dice/src/pegboard_my_dice/__init__.py").read_text()
    desk.install("my_dice", source, entry="[pegboard]\nmy-dice = pegboard_my_dice\n")

    ran = desk.answer("call", "my_dice_greet", '{"name": "Ada"}')

    assert (ran.status, ran.out, ran.err) == (0, "Hello, Ada!\n", "")


def test_json_says_what_was_written_and_where(desk: Any) -> None:
    ran = desk.answer("new", "my-dice", "--directory", "a/b", "--json")

    told = ran.json
    assert sorted(told.pop("files")) == FILES == below(desk.work / "a/b")
    expected = {"plugin": "my-dice", "distribution": "pegboard-my-dice", "directory": "a/b"}
    assert told == expected


def test_an_empty_folder_is_written_into(desk: Any) -> None:
    (desk.work / "mine").mkdir()

    ran = desk.answer("new", "my-dice", "--directory", "mine")

    assert (ran.status, below(desk.work / "mine")) == (0, FILES)


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_there_is_never_written_over(desk: Any, kind: str) -> None:
    place = desk.work / "pegboard-my-dice"
    place.mkdir() if kind == "folder" else place.write_text("mine")
    kept = desk.write("pegboard-my-dice/notes.md", "mine") if kind == "folder" else place

    ran = desk.answer("new", "my-dice")

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "--directory" in ran.err
    assert kept.read_text() == "mine"


@pytest.mark.parametrize("what", REFUSED)
def test_a_name_that_can_t_be_had_is_refused_with_one_that_can(desk: Any, what: str) -> None:
    name, words = REFUSED[what]
    desk.install("low", "", entry="[pegboard]\ndeep_voice = pegboard_low\n")

    ran = desk.answer("new", name)

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert [each for each in words if each not in ran.err] == []
    assert below(desk.work) == []


def test_nothing_is_left_where_not_everything_could_be_written(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def full(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "test_my_dice.py":
            raise OSError(28, os.strerror(28))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", full)

    ran = desk.answer("new", "my-dice", "--directory", "a/b")

    assert (ran.status, ran.out) == (2, "")
    assert "'a/b' can't be written: No space left on device" in ran.err
    assert list(desk.work.iterdir()) == []
