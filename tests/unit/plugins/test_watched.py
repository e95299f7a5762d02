from pathlib import Path

import pytest
from pegboard.plugins.watched import Watched


def watched(folder: Path) -> Watched:
    """A project, an import folder and a configuration file, of which the last isn't there."""
    for each in ("src", "site"):
        (folder / each).mkdir(exist_ok=True)
    return Watched(
        code=frozenset({str(folder / "src")}),
        sites=frozenset({str(folder / "site")}),
        metadata=frozenset({str(folder / "site/gauge-1.0.dist-info")}),
        files=frozenset({str(folder / "later/pegboard.toml")}),
    )


@pytest.mark.parametrize(
    "path",
    [
        "src/module.py",
        "src/fast.so",
        "site/other-1.0.dist-info",
        "site/~auge-1.0.dist-info",
        "site/gauge-1.0.dist-info/RECORD",
        "later/pegboard.toml",
        "later",
    ],
)
def test_what_may_change_something_counts(tmp_path: Path, path: str) -> None:
    assert watched(tmp_path).concerns(str(tmp_path / path), is_there=True)


@pytest.mark.parametrize(
    "path",
    [
        "src/.module.py.swp",
        "src/.#module.py",
        "src/.hidden.py",
        "src/module.py~",
        "src/notes.txt",
        "src/__pycache__",
        "src/4913",
        "src/inner/module.py",
        "site/module.py",
        "site/__pycache__",
        "src",
        "later/other.toml",
    ],
)
def test_what_changes_nothing_doesn_t_count(tmp_path: Path, path: str) -> None:
    assert not watched(tmp_path).concerns(str(tmp_path / path), is_there=True)


def test_a_new_folder_of_code_counts(tmp_path: Path) -> None:
    known = watched(tmp_path)
    (tmp_path / "src/parts").mkdir()

    assert known.concerns(str(tmp_path / "src/parts"), is_there=False)


def test_a_folder_that_came_or_went_counts(tmp_path: Path) -> None:
    assert watched(tmp_path).concerns(str(tmp_path / "src"), is_there=False)


def test_the_nearest_folder_stands_for_one_that_isn_t_there(tmp_path: Path) -> None:
    folders = {str(tmp_path / each) for each in ("src", "site")} | {str(tmp_path)}

    assert watched(tmp_path).folders >= folders


def test_all_folders_above_a_single_file_are_heard_of_and_no_others(tmp_path: Path) -> None:
    folders = {str(each) for each in (tmp_path, *tmp_path.parents)}

    assert Watched(files=frozenset({str(tmp_path / "pegboard.toml")})).folders == folders


def test_what_pip_has_not_finished_is_named(tmp_path: Path) -> None:
    known = watched(tmp_path)
    bare, aside = tmp_path / "site/bare-1.0.dist-info", tmp_path / "site/~ther"
    for each in (bare, aside, tmp_path / "site/whole-1.0.dist-info"):
        each.mkdir()
    (tmp_path / "site/whole-1.0.dist-info/RECORD").touch()

    assert known.unfinished() == {str(bare), str(aside)}
