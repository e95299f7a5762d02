"""Modules that a plugin treats in its own way come, go and are upgraded like any others."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pegboard import Config, Host
from pegboard_versions import Versions, gauged, versions_at


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


OBJECT = """
import sys
from pegboard import hookimpl, tool
class Gauge:
    @hookimpl
    def pegboard_tools(self):
        @tool
        def version() -> int:
            return {v}
        return [version]
sys.modules[__name__] = Gauge()
"""
COPY = """
import sys, types
from pegboard import tool
@tool
def version() -> int:
    return {v}
copied = types.ModuleType(__name__)
copied.__dict__.update({{name: value for name, value in globals().items() if name != "__file__"}})
sys.modules[__name__] = copied
"""
GONE = """
import sys
from pegboard import hookimpl, tool
@tool
def version() -> int:
    return {v}
@hookimpl
def pegboard_tools():
    sys.modules.pop("gauge", None)
    return [version]
"""
LAZY = """
import importlib, sys
from pegboard import tool
V = {v}
def __getattr__(name):
    if name == "late":
        return importlib.import_module("gauge.late")
    raise AttributeError(name)
@tool
def version() -> int:
    import gauge
    assert gauge.late.V == V
    return V
"""
MISSING = """
import sys
from pegboard import tool
sys.modules["gauge.later"] = None
@tool
def version() -> int:
    return {v}
"""
ODD = {"object": OBJECT, "copy": COPY, "gone": GONE, "lazy": LAZY, "missing": MISSING}


@pytest.mark.parametrize("code", ODD.values(), ids=ODD.keys())
async def test_the_version_that_is_told_is_the_one_that_runs(versions: Versions, code: str) -> None:
    versions.install(1, code=code.format(v=1))
    async with Host(Config(only=["gauge"])) as host:
        board = await host.board("b")
        versions.install(2, code=code.format(v=2))
        first = (await board.call("version")).unwrap()
        await host.reload("gauge")
        second = (await board.call("version")).unwrap()
        leaked = (await host.unload("gauge")).leaked
        versions.install(3, code=code.format(v=3))
        info = await host.load("gauge")

        assert (first, second, leaked, info.version) == (1, 2, (), "3.0")
        assert (await board.call("version")).unwrap() == 3
    assert not [name for name in sys.modules if name.partition(".")[0] == "gauge"]


async def test_what_a_version_says_is_missing_the_next_one_may_have(versions: Versions) -> None:
    versions.install(1, code=MISSING.format(v=1))
    async with Host(Config(only=["gauge"])) as host:
        board = await host.board("b")
        versions.install(2, more="\nimport gauge.later\n")
        await host.reload("gauge")

        assert (await board.call("version")).unwrap() == [2, 2, 2]


def asked(*_: object) -> Any:
    """Be asked, by who should not."""
    raise RuntimeError("asked")


async def test_objects_in_modules_are_not_asked_what_they_are(versions: Versions) -> None:
    silent: Any = type("Silent", (type,), {"__getattribute__": asked, "__dict__": property(asked)})
    async with gauged(versions) as (host, _, _):
        module = sys.modules["gauge"]
        module.__dict__.update(
            kind=silent("Kind", (), {}),
            proxy=type("Proxy", (), {"__class__": property(asked)})(),
            __cached__=type("Text", (str,), {"__eq__": asked, "__hash__": asked})("x"),
        )
        sys.modules["a_stranger"] = stranger = ModuleType("a_stranger")
        stranger.__file__ = module.__dict__["__cached__"]
        del module
        report = await host.unload("gauge")
        del sys.modules["a_stranger"]

    assert (report.errors, report.leaked) == ((), ())


ONE = "from pegboard import tool\n@tool\ndef one() -> int:\n    return {v}\n"
TWO = """
import shared_space.one
from pegboard import tool
from shared_space import one
@tool
def two() -> list[int]:
    return [shared_space.one.V, one.V]
"""


def install_one(versions: Versions, version: int) -> None:
    """Put a version of the first of two distributions in the place of another."""
    versions.site.uninstall("space-one")
    versions.site.install(
        "space-one",
        f"{version}.0",
        entry_points={"one": "shared_space.one"},
        files={"shared_space/one.py": f"V = {version}\n{ONE.format(v=version)}"},
    )


async def test_of_a_package_that_two_distributions_share_each_goes_by_itself(
    versions: Versions,
) -> None:
    install_one(versions, 1)
    files = {"shared_space/two.py": TWO}
    versions.site.install("space-two", entry_points={"two": "shared_space.two"}, files=files)
    async with Host(Config(only=["one", "two"])) as host:
        board = await host.board("b")
        install_one(versions, 2)
        report = await host.sync()
        values = [(await board.call(name)).unwrap() for name in ("one", "two")]
        await host.reload("two")
        values.append((await board.call("two")).unwrap())

        assert (report.reloaded, values) == (("one",), [2, [2, 1], [2, 2]])
    assert not [name for name in sys.modules if name.startswith("shared_space.")]
    sys.modules.pop("shared_space", None)


async def test_what_a_plugin_adds_to_the_import_path_is_named(
    versions: Versions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    versions.install(1, more=f"\nimport sys\nsys.path.append({str(tmp_path)!r})\n")
    async with Host(Config(only=["gauge"])) as host:
        report = await host.unload("gauge")

    assert report.leaked == (f"sys.path {tmp_path}",)


async def test_a_package_that_another_plugin_imports_stays_whole(versions: Versions) -> None:
    code = "import gauge.part\nfrom pegboard import tool\n@tool\ndef read() -> int:\n    return "
    files = {"reader.py": code + "gauge.part.V\n"}
    versions.site.install("reader", entry_points={"reader": "reader"}, files=files)
    versions.install(1)
    async with Host(Config(only=["gauge", "reader"])) as host:
        board = await host.board("b")
        report = await host.unload("gauge")

        assert (await board.call("read")).unwrap() == 1
        assert report.leaked == ("module gauge.part", "module gauge")
    assert "gauge" not in sys.modules
