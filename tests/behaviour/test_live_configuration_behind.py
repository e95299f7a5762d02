"""Plugins that can't follow a configuration: told of by every sync, and before one, too."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Config, Host, PluginConfig, SyncReport, WatchReport
from pegboard.testing import Site, site_at
from pegboard_live import host_of

MOODY = """
import contextlib, pathlib
import attrs
from pegboard import hookimpl, tool
@attrs.frozen
class Settings:
    file: str
    size: int = 0
@hookimpl
def pegboard_settings():
    return Settings
@hookimpl
@contextlib.contextmanager
def pegboard_lifespan(plugin):
    if plugin.settings.size and not pathlib.Path(plugin.settings.file).exists():
        raise OSError("no disk")
    yield
@tool
def moody() -> int:
    return 1
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder of distributions."""
    with site_at(tmp_path / "site") as site:
        site.install("moody", entry_points={"moody": "moody"}, files={"moody.py": MOODY})
        yield site


def limits(calls: int, **others: Any) -> Config:
    """A configuration that allows so many calls."""
    table = PluginConfig({"rules": [{"calls": calls}]})
    return Config(plugins={"limits": table}, **others)


def told(report: SyncReport) -> tuple[tuple[str, ...], list[tuple[str, bool]]]:
    """What has failed, and the keys that are told."""
    return report.failed, [(each.path, each.is_applied) for each in report.changes]


BEHIND = (("limits",), [("plugins.limits.settings", False)])


@pytest.mark.parametrize("before", [Config(), limits(1)], ids=["it comes", "it is there"])
async def test_what_is_not_followed_is_told_by_every_sync_until_it_is_or_is_taken_back(
    before: Config,
) -> None:
    async with host_of(before) as host:
        reports = [await host.sync(limits(0)) for _ in range(3)]
        more = await host.sync(limits(0, max_nesting=3))
        back = await host.sync(attrs.evolve(before, max_nesting=3))
        quiet = await host.sync(attrs.evolve(before, max_nesting=3))
        await host.sync(limits(0, max_nesting=3))
        followed = [await host.sync(limits(2, max_nesting=3)) for _ in range(2)]

    assert [told(each) for each in reports] == [BEHIND] * 3
    assert told(more) == (("limits",), [*BEHIND[1], ("max_nesting", True)])
    assert (told(back), quiet) == (((), []), SyncReport())
    assert told(followed[0]) == ((), [("plugins.limits.settings", True)])
    assert followed[1] == SyncReport()


async def test_a_sync_tries_again_what_may_succeed_by_now(site: Site, tmp_path: Path) -> None:
    def config(size: int) -> Config:
        options = PluginConfig({"file": str(tmp_path / "disk"), "size": size})
        return Config(only=["moody"], plugins={"moody": options})

    async with Host(config(0)) as host:
        reports = [await host.sync(config(1)) for _ in range(2)]
        (tmp_path / "disk").write_text("")
        reports += [await host.sync(config(1)) for _ in range(2)]

    behind = (("moody",), [("plugins.moody.settings", False)])
    assert [told(each) for each in reports[:2]] == [behind, behind]
    assert told(reports[2]) == ((), [("plugins.moody.settings", True)])
    assert (reports[2].reloaded, reports[3]) == (("moody",), SyncReport())


@pytest.mark.parametrize("before", [Config(), limits(1)], ids=["it comes", "it is there"])
async def test_a_dry_run_tells_of_settings_that_a_built_in_plugin_refuses(before: Config) -> None:
    async with host_of(before) as host:
        dry = [await host.sync(limits(0), dry_run=True)]
        real = await host.sync(limits(0))
        dry.append(await host.sync(limits(0), dry_run=True))
        fine = await host.sync(limits(3), dry_run=True)

    assert [attrs.evolve(each, errors=()) for each in dry] == [real, real]
    assert "must be at least 1" in dry[0].errors[0]
    assert told(real) == BEHIND
    assert told(fine) == ((), [("plugins.limits.settings", True)])


async def test_a_dry_run_tells_of_settings_that_a_loaded_plugin_refuses(
    site: Site, tmp_path: Path
) -> None:
    good = Config(only=["moody"], plugins={"moody": PluginConfig({"file": "x"})})
    wrong = attrs.evolve(good, plugins={"moody": PluginConfig({"file": "x", "size": "big"})})
    async with Host(good) as host:
        dry = await host.sync(wrong, dry_run=True)
        real = await host.sync(wrong)
        site.uninstall("moody")
        site.install("moody", "2.0", entry_points={"moody": "moody"}, files={"moody.py": MOODY})
        other = await host.sync(wrong, dry_run=True)

    assert told(dry) == told(real) == (("moody",), [("plugins.moody.settings", False)])
    assert "size" in dry.errors[0]
    assert (other.failed, other.errors) == ((), ())


async def test_who_watches_is_told_each_mistake_once_while_it_stays_the_same(
    tmp_path: Path,
) -> None:
    file, seen = tmp_path / "pegboard.toml", list[WatchReport]()
    text = "max_nesting = {}\n[[plugins.limits.rules]]\ncalls = {}\n"
    file.write_text(text.format(5, 1))
    async with Host(file, discover=False) as host, host.watch(on_sync=seen.append):
        for nesting, calls in ((5, 0), (6, 0), (7, 0), (8, 2)):
            file.write_text(text.format(nesting, calls))
            async with asyncio.timeout(10):
                while host.config.max_nesting != nesting or len(seen) < nesting - 4:
                    await asyncio.sleep(0.02)

    assert [len(each.errors) for each in seen] == [1, 0, 0, 0]
    assert [each.sync.failed for each in seen] == [("limits",), (), (), ()]
    assert [each.sync.reloaded for each in seen] == [(), (), (), ("limits",)]
