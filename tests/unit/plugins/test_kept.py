"""What a plugin had not imported when it was loaded comes from what was there then."""

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard.plugins.discovery import discover
from pegboard.plugins.holding import Holding
from pegboard.plugins.kept import Kept, KeptFinder, sources_to_keep
from pegboard.plugins.sources import Source, from_file, installed
from pegboard.testing import Site, site_at

FILES = {
    "kept_demo/__init__.py": "V = 1\n",
    "kept_demo/late.py": "V = 1\n",
    "kept_demo/deep/__init__.py": "V = 1\n",
    "kept_demo/deep/er.py": "V = 1\n",
    "kept_demo/not-a-module.py": "V = 1\n",
    "kept_beside.py": "V = 1\n",
}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder with a package of which one module is imported."""
    with site_at(tmp_path / "site") as site:
        site.install("kept-demo", entry_points={"kept": "kept_demo"}, files=FILES)
        importlib.import_module("kept_demo")
        yield site


@pytest.fixture
def source(site: Site) -> Source:
    """The plugin."""
    return installed(discover(path=[str(site.path)]).found["kept"])


@pytest.fixture
def finder(source: Source) -> Iterator[KeptFinder]:
    """What finds the sources of the plugin that are kept."""
    finder, holding = KeptFinder(), Holding(source.ground)
    holding.note(sources_to_keep(source))
    finder.hold(holding)
    yield finder
    finder.drop(holding)


def test_what_is_kept_are_the_modules_that_are_not_imported(source: Source) -> None:
    kept = sources_to_keep(source)

    assert sorted(name for name in kept if isinstance(kept[name], Kept)) == [
        *("kept_beside", "kept_demo.deep", "kept_demo.deep.er", "kept_demo.late"),
    ]


@pytest.mark.usefixtures("finder")
@pytest.mark.parametrize("name", ["kept_demo.late", "kept_demo.deep.er", "kept_beside"])
def test_a_module_is_what_it_was_whatever_is_there_by_now(site: Site, name: str) -> None:
    for file in FILES:
        (site.path / file).write_text("V = 2\n")

    assert importlib.import_module(name).V == 1


@pytest.mark.usefixtures("finder")
def test_a_module_is_what_it_was_when_its_file_is_gone(site: Site) -> None:
    shutil.rmtree(site.path / "kept_demo")

    module = importlib.import_module("kept_demo.deep.er")

    assert module.V == 1
    assert sys.modules["kept_demo.deep"].__path__ == [str(site.path / "kept_demo/deep")]


@pytest.mark.usefixtures("finder")
def test_no_bytecode_is_written_of_what_is_kept(site: Site) -> None:
    (site.path / "kept_demo/late.py").write_text("V = 2\n")

    importlib.import_module("kept_demo.late")

    assert not list(site.path.glob("kept_demo/__pycache__/late*"))


def test_the_finder_is_among_the_others_only_while_it_holds_something(source: Source) -> None:
    finder, holding = KeptFinder(), Holding(source.ground)
    seen = [finder in sys.meta_path]
    finder.hold(holding)
    seen.append(finder in sys.meta_path)
    finder.drop(holding)
    seen.append(finder in sys.meta_path)

    assert seen == [False, True, False]


def test_of_a_file_nothing_else_is_kept(tmp_path: Path) -> None:
    for name in ("kept_one.py", "kept_two.py"):
        (tmp_path / name).write_text("")

    assert sources_to_keep(from_file(tmp_path / "kept_one.py")).keys() <= {"kept_one"}
