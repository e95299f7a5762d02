"""What hosts of one process see of each other's loads."""

import gc
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import PluginLoadError
from pegboard.plugins.holding import File, Holder, Holding, grounds_held, held
from pegboard.plugins.modules import Ground
from pegboard.testing import site_at

FILES = {"held_demo/__init__.py": "V = 1\n", "held_demo/part.py": "V = 1\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a package that is imported."""
    with site_at(tmp_path / "site") as site:
        site.install("held-demo", files=FILES)
        importlib.import_module("held_demo.part")
        yield site.path


@pytest.fixture
def ground(folder: Path) -> Ground:
    """Where the package comes from."""
    return Ground(frozenset(str(folder / file) for file in FILES))


def held_by(holder: Holder, ground: Ground) -> Holding:
    """A load of that ground."""
    holding = Holding(ground, "plugin 'demo'")
    holder.hold(holding)
    holding.note({})
    return holding


def test_a_file_that_is_gone_or_another_is_not_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_text("1")
    before, absent = File.now(str(path)), File.now(str(tmp_path / "two"))
    seen = [before.is_on_disk, absent.is_on_disk]
    path.write_text("22")

    assert (seen, before.is_on_disk) == ([True, False], False)


def test_modules_stay_while_another_holds_them(ground: Ground) -> None:
    one, other = Holder(), Holder()
    first, second = held_by(one, ground), held_by(other, ground)
    one.release(first)
    between = "held_demo.part" in sys.modules
    other.release(second)

    assert (between, "held_demo.part" in sys.modules) == (True, False)
    assert list(second.taken) == ["held_demo", "held_demo.part"]
    assert held() == []


def test_modules_that_were_handed_over_stay(ground: Ground) -> None:
    holder = Holder()
    holding = held_by(holder, ground)
    holding.is_handed_over = True
    holder.release(holding)

    assert ("held_demo" in sys.modules, grounds_held()) == (True, [])


@pytest.mark.parametrize(("is_ours", "words"), [(True, "reload it"), (False, "unload it there")])
def test_who_has_what_was_there_before_is_told(
    ground: Ground, folder: Path, is_ours: bool, words: str
) -> None:
    holder = Holder()
    holding = held_by(holder, ground)
    asking = holder if is_ours else Holder()
    asking.check(ground)
    (folder / "held_demo/part.py").write_text("V = 22\n")
    asking.check(Ground(frozenset({str(folder / "held_demo/__init__.py")})))
    asking.check(ground, but=[holding])
    with pytest.raises(PluginLoadError, match=rf"'demo' is loaded.*'held_demo.part'.*{words}"):
        asking.check(ground)

    holder.release(holding)


def test_what_a_dropped_host_has_left_is_swept_away(ground: Ground, folder: Path) -> None:
    holder = Holder()
    holding = held_by(holder, ground)
    (folder / "held_demo/part.py").write_text("V = 22\n")
    del holding
    gc.collect()
    Holder().check(ground)

    assert "held_demo" not in sys.modules
    assert holder not in sys.meta_path
