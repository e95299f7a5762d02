"""Setting modules aside, and putting them back where they were."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard.plugins.aside import set_aside
from pegboard.plugins.modules import Ground
from pegboard.testing import site_at

FILES = {"aside_demo/__init__.py": "V = 1\n", "aside_demo/part.py": "V = 1\n"}
OURS = ["aside_demo", "aside_demo.part"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a package that is imported, and its bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    with site_at(tmp_path / "site") as site:
        site.install("aside-demo", files=FILES)
        importlib.import_module("aside_demo.part")
        yield site.path


@pytest.fixture
def ground(folder: Path) -> Ground:
    """Where the package comes from."""
    return Ground(frozenset(str(folder / file) for file in FILES))


def test_modules_that_are_set_aside_are_imported_anew(folder: Path, ground: Ground) -> None:
    before = sys.modules["aside_demo.part"]
    (folder / "aside_demo/part.py").write_text("V = 22\n")

    set_aside([ground], others=[])
    after = importlib.import_module("aside_demo.part")

    assert (before.V, after.V) == (1, 22)


def test_putting_back_restores_modules_and_the_places_where_they_hung(ground: Ground) -> None:
    before = {name: sys.modules[name] for name in OURS}
    aside = set_aside([ground], others=[])
    importlib.import_module("aside_demo.part")

    aside.put_back()

    assert {name: sys.modules[name] for name in OURS} == before
    assert before["aside_demo"].part is before["aside_demo.part"]


def test_putting_back_removes_what_only_the_successor_has(folder: Path, ground: Ground) -> None:
    more = folder / "aside_demo/more.py"
    more.write_text("V = 2\n")
    both = Ground(ground.files | {str(more)})
    aside = set_aside([both], others=[])
    importlib.import_module("aside_demo.more")

    aside.put_back()

    assert "aside_demo.more" not in sys.modules
    assert not hasattr(sys.modules["aside_demo"], "more")


def test_modules_that_belong_to_another_plugin_stay(folder: Path, ground: Ground) -> None:
    part = sys.modules["aside_demo.part"]
    other = Ground(frozenset({str(folder / "aside_demo/part.py")}))

    aside = set_aside([ground], others=[other])

    assert list(aside.modules) == ["aside_demo"]
    assert sys.modules["aside_demo.part"] is part
