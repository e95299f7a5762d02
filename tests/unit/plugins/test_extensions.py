"""Extension modules: what a process can't have anew is said, and never claimed."""

import importlib
import sys
from collections.abc import Iterator
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType

import pytest
from pegboard import PluginLoadError
from pegboard.plugins.extensions import Lasting, check_extensions, why_not_twice
from pegboard.plugins.holding import File, Holding
from pegboard.plugins.modules import Ground
from pegboard.plugins.sources import Source


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of an extension module."""
    file = tmp_path / "extension_demo.so"
    file.write_bytes(b"one")
    return file


def extension(file: Path) -> ModuleType:
    """What looks like a module that was loaded from it."""
    module = ModuleType("extension_demo")
    module.__file__ = str(file)
    module.__loader__ = ExtensionFileLoader("extension_demo", str(file))
    return module


@pytest.fixture
def ground(file: Path) -> Iterator[Ground]:
    """Where the module comes from, which is imported."""
    sys.modules["extension_demo"] = extension(file)
    yield Ground(frozenset({str(file)}))
    sys.modules.pop("extension_demo", None)


def test_a_file_that_has_changed_needs_a_restart(ground: Ground, file: Path) -> None:
    holding = Holding(ground)
    holding.note({})
    file.write_bytes(b"another")

    with pytest.raises(PluginLoadError, match=r"restart needed: .*'extension_demo'"):
        check_extensions(holding)


def test_a_file_that_has_not_changed_needs_none(ground: Ground) -> None:
    holding = Holding(ground)
    holding.note({})

    check_extensions(holding)


def test_one_that_was_imported_since_needs_a_restart(ground: Ground) -> None:
    with pytest.raises(PluginLoadError, match="restart needed"):
        check_extensions(Holding(ground))


def test_one_that_refuses_a_second_import_is_named(ground: Ground) -> None:
    def refuse() -> object:
        raise ImportError("cannot load module more than once per process")

    said = why_not_twice(Source("demo", refuse, ground))

    assert said is not None
    assert said.startswith("restart needed: 'extension_demo'")
    assert "more than once per process" in said


def test_one_that_gives_the_functions_of_the_first_import_is_named(
    ground: Ground, file: Path
) -> None:
    functions = {"same": len}

    def again() -> object:
        sys.modules["extension_demo"] = module = extension(file)
        vars(module).update(functions)
        return module

    vars(sys.modules["extension_demo"]).update(functions)

    assert "can't be imported twice" in str(why_not_twice(Source("demo", again, ground)))


def test_a_plugin_without_extension_modules_can_be_imported_twice() -> None:
    assert why_not_twice(Source("demo", object, Ground())) is None


@pytest.fixture
def lasting(monkeypatch: pytest.MonkeyPatch) -> Lasting:
    """What a process knows of extension modules, as long as the test runs."""
    lasting = Lasting()
    monkeypatch.setattr(sys, "meta_path", [lasting, *sys.meta_path])
    return lasting


def test_one_that_can_not_be_loaded_again_says_restart_needed(
    lasting: Lasting, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(file.parent)
    lasting.note("extension_demo", File.now(str(file)))

    with pytest.raises(ImportError, match=r"restart needed: .*'extension_demo' can't be .* twice"):
        importlib.import_module("extension_demo")


def test_one_whose_file_has_changed_says_restart_needed_whatever_was_noted_later(
    lasting: Lasting, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(file.parent)
    lasting.note("extension_demo", File.now(str(file)))
    file.write_bytes(b"another")
    lasting.note("extension_demo", File.now(str(file)))

    with pytest.raises(ImportError, match=r"restart needed: .*'extension_demo' has changed"):
        importlib.import_module("extension_demo")


def test_a_module_of_its_name_in_another_place_is_another(
    lasting: Lasting, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lasting.note("extension_demo", File.now(str(file)))
    elsewhere = file.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "extension_demo.py").write_text("V = 1\n")
    monkeypatch.syspath_prepend(elsewhere)

    assert importlib.import_module("extension_demo").V == 1
    del sys.modules["extension_demo"]
