"""Upgrades that change more than code: entry points, distributions, settings."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import pytest
from pegboard import Config, Host, PluginConfig, SyncReport
from pegboard.testing import Site, site_at

TOOL = "from pegboard import tool\n@tool\ndef {name}() -> int:\n    return {v}\n"
DONE = SyncReport(reloaded=("moved",))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty folder of installed distributions."""
    with site_at(tmp_path / "site") as made:
        yield made


def put(
    site: Site, version: int, entry_points: Mapping[str, str], files: Mapping[str, str]
) -> None:
    """Put a version of the distribution `moved` in the place of another."""
    site.uninstall("moved")
    site.install("moved", f"{version}.0", entry_points=entry_points, files=files)


def imported() -> list[str]:
    """The names of the plugin's modules that are imported."""
    return sorted(name for name in sys.modules if name.startswith("moved"))


def put_first(site: Site) -> None:
    """Put the first version there."""
    files = {"moved_a.py": TOOL.format(name="where", v=1), "moved_b.py": ""}
    put(site, 1, {"moved": "moved_a"}, files)


async def test_an_entry_point_may_move_to_another_module_and_back(site: Site) -> None:
    put_first(site)
    deep = f"import sys\n{TOOL.format(name='where', v=2)}plugin = sys.modules[__name__]\n"
    async with Host(Config(only=["moved"])) as host:
        board = await host.board("b")
        files = {"moved_c/__init__.py": "", "moved_c/deep.py": deep}
        put(site, 2, {"moved": "moved_c.deep:plugin"}, files)
        seen = [(await host.sync(), (await board.call("where")).unwrap(), imported())]
        put_first(site)
        seen.append((await host.sync(), (await board.call("where")).unwrap(), imported()))

        assert seen == [(DONE, 2, ["moved_c", "moved_c.deep"]), (DONE, 1, ["moved_a"])]
        assert host.plugins["moved"].version == "1.0"


@pytest.mark.parametrize("module", ["moved_a", "moved_z"])
async def test_another_distribution_may_take_over_a_plugin(site: Site, module: str) -> None:
    put_first(site)
    async with Host(Config(only=["moved"])) as host:
        board = await host.board("b")
        site.uninstall("moved")
        files = {f"{module}.py": TOOL.format(name="where", v=2)}
        site.install("renamed", "2.0", entry_points={"moved": module}, files=files)
        report = await host.sync()
        info = host.plugins["moved"]

        assert (report, info.distribution, info.version) == (DONE, "renamed", "2.0")
        assert ((await board.call("where")).unwrap(), imported()) == (2, [module])
    assert imported() == []


FAILING = {
    "import": "raise OSError('no disk')\n",
    "lifespan": """
import contextlib
from pegboard import hookimpl
@hookimpl
@contextlib.contextmanager
def pegboard_lifespan(plugin):
    raise OSError("no disk")
    yield
""",
}


@pytest.mark.parametrize("more", FAILING.values(), ids=FAILING.keys())
async def test_of_two_plugins_neither_is_upgraded_if_one_fails(site: Site, more: str) -> None:
    def install(version: int, more: str = "") -> None:
        codes = {name: TOOL.format(name=name, v=version) for name in ("moved_a", "moved_b")}
        files = {"moved_a.py": codes["moved_a"], "moved_b.py": codes["moved_b"] + more}
        put(site, version, {"moved-a": "moved_a", "moved-b": "moved_b"}, files)

    install(1)
    async with Host(Config(only=["moved-a", "moved-b"])) as host:
        board = await host.board("b")
        seen = []
        for version, each in ((2, more), (3, "")):
            install(version, each)
            await host.sync()
            seen += [(await board.call(name)).unwrap() for name in ("moved_a", "moved_b")]

        assert seen == [1, 1, 3, 3]
        assert [host.plugins[each].error for each in ("moved-a", "moved-b")] == [None, None]


SETTINGS = """
import attrs
from pegboard import hookimpl, tool
@attrs.frozen
class Settings:
    {name}: int = 0
@hookimpl
def pegboard_settings():
    return Settings
@hookimpl
def pegboard_tools(plugin):
    @tool
    def where() -> int:
        return plugin.settings.{name}
    return [where]
"""


async def test_settings_that_the_new_version_knows_no_more_leave_the_old_one_until_they_change(
    site: Site,
) -> None:
    put(site, 1, {"moved": "moved_a"}, {"moved_a.py": SETTINGS.format(name="size")})
    config = Config(only=["moved"], plugins={"moved": PluginConfig({"size": 3})})
    async with Host(config) as host:
        board = await host.board("b")
        put(site, 2, {"moved": "moved_a"}, {"moved_a.py": SETTINGS.format(name="width")})
        seen = [(await host.sync(), (await board.call("where")).unwrap())]
        error = host.plugins["moved"].error
        config = attrs.evolve(config, plugins={"moved": PluginConfig({"width": 4})})
        done = attrs.evolve(await host.sync(config), changes=())
        seen.append((done, (await board.call("where")).unwrap()))

    assert seen == [(SyncReport(failed=("moved",)), 3), (DONE, 4)]
    assert "size isn't declared" in str(error)
