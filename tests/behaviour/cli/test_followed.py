"""What `install` is told of plugins, whoever is first: a host that watches, or its own sync."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Config, Host
from pegboard.cli.followed import NextStart, RunningHost
from pegboard.cli.standings import Changes
from pegboard.configuration import read_config
from pegboard.testing import Site, site_at
from pegboard_control import short_folder
from pegboard_locked import accept_installed

GOOD = """
from pegboard import tool

@tool
def {name}_roll() -> int:
    "Roll."
    return {number}
"""
BROKEN = "raise OSError('no disk')\n"
orders = pytest.mark.parametrize("is_watcher_faster", [True, False], ids=["watcher", "own"])


@attrs.frozen
class Place:
    """A site, and a configuration whose socket has a short path."""

    site: Site
    folder: Path

    def put(self, name: str, version: str, code: str = GOOD, **files: str) -> None:
        """Install a distribution with one plugin in the place of what it was."""
        self.site.uninstall(f"{name}-dist")
        own = {f"{name}.py": code.format(name=name, number=version[0])}
        own |= {f"{key}.py": text for key, text in files.items()}
        self.site.install(f"{name}-dist", version, entry_points={name: name}, files=own)

    def config(self, text: str) -> Config:
        """The configuration with this text."""
        path = self.folder / "pegboard.toml"
        path.write_text(f'{text}\ncontrol = "s"\n')
        return read_config(path)

    @property
    def lock(self) -> Path:
        """Where the lock file is."""
        return self.folder / "pegboard.lock"


Follow = Callable[..., Awaitable[Changes]]


@asynccontextmanager
async def followed(config: Config, *, is_watcher_faster: bool) -> AsyncIterator[Follow]:
    """What `install` does around a change, with a host that has followed it before or hasn't."""
    async with Host(config) as host:
        follower = RunningHost(config.control or Path(), config)

        async def change(do: Callable[[], object], *named: str) -> Changes:
            before = await follower.look()
            do()
            if is_watcher_faster:
                await host.sync()
            return await follower.follow(before, named)

        yield change


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place with nothing in it."""
    with site_at(tmp_path / "site") as site, short_folder() as folder:
        yield Place(site, folder)


@orders
async def test_an_upgrade_that_is_not_accepted_is_quarantined(
    place: Place, is_watcher_faster: bool
) -> None:
    place.put("dice", "1.0")
    await accept_installed(place.lock, only=("dice",))
    config = place.config('only = ["dice"]\nlock = "pegboard.lock"')

    async with followed(config, is_watcher_faster=is_watcher_faster) as change:
        changes = await change(lambda: place.put("dice", "2.0"), "dice-dist")
        again = await change(lambda: None, "dice-dist")
        others = await change(lambda: None, "x")

    assert (changes.reloaded, changes.failed, list(changes.quarantined)) == ((), {}, ["dice"])
    assert "accept it with `pegboard lock`" in changes.quarantined["dice"]
    assert (again, others) == (changes, Changes())
    assert not changes.are_good


@orders
@pytest.mark.parametrize("was_there", [True, False])
async def test_what_can_not_be_imported_has_failed(
    place: Place, is_watcher_faster: bool, was_there: bool
) -> None:
    if was_there:
        place.put("dice", "1.0")
    config = place.config('only = ["dice"]')

    async with followed(config, is_watcher_faster=is_watcher_faster) as change:
        changes = await change(lambda: place.put("dice", "2.0", BROKEN), "dice-dist")
        again = await change(lambda: None, "dice-dist")
        mended = await change(lambda: place.put("dice", "3.0"), "dice-dist")

    assert list(changes.failed) == list(again.failed) == ["dice"]
    assert "no disk" in changes.failed["dice"]
    assert (changes.reloaded, changes.loaded, again.reloaded) == ((), (), ())
    mine = (("dice",), ()) if was_there else ((), ("dice",))
    assert (mended.reloaded, mended.loaded) == mine
    assert mended.are_good


@orders
async def test_what_comes_and_is_kept_out_or_hidden_is_said(
    place: Place, is_watcher_faster: bool
) -> None:
    place.put("dice", "1.0")
    config = place.config('only = ["dice"]')

    def come() -> None:
        place.put("cube", "1.0")
        entries = {"dice": "evil"}
        place.site.install("evil", "1.0", entry_points=entries, files={"evil.py": "x = 1"})

    async with followed(config, is_watcher_faster=is_watcher_faster) as change:
        changes = await change(come)
        again = await change(lambda: None, "evil", "cube-dist")

    told = "evil 1.0 is hidden by dice-dist 1.0; `prefer` chooses"
    assert changes.kept_out == {"cube": f"'only' ({place.folder}/pegboard.toml:1)"}
    assert (changes.hidden, changes.reloaded, changes.failed) == ({"dice": told}, (), {})
    assert again == changes


async def test_without_a_host_whatever_the_lock_file_does_not_accept_is_said(place: Place) -> None:
    place.put("dice", "1.0")
    await accept_installed(place.lock, only=("dice",))
    config = place.config('only = ["dice", "evil"]\nlock = "pegboard.lock"')

    changes = await without_host(config, lambda: place.put("evil", "1.0", dice="x = 1\n"))
    again = await without_host(config, lambda: None, "dice-dist")
    others = await without_host(config, lambda: None)

    assert sorted(changes.quarantined) == ["dice", "evil"]
    assert (list(again.quarantined), others) == (["dice"], Changes())


async def test_without_a_host_what_is_kept_out_or_hidden_is_said(place: Place) -> None:
    config = place.config('block = ["cube", "none"]\nstate = "state.json"')
    (place.folder / "state.json").write_text('{"version": 1, "block": ["odd"], "deny": []}')

    def come() -> None:
        for name in ("cube", "odd", "limits"):
            place.put(name, "1.0")

    changes = await without_host(config, come)
    again = await without_host(config, lambda: None, "cube-dist", "odd-dist", "limits-dist")

    assert changes.kept_out == {
        "cube": f"'block' ({place.folder}/pegboard.toml:1)",
        "odd": "an operator; `pegboard ctl load` takes that back",
    }
    assert changes.hidden == {"limits": "limits-dist 1.0 is hidden by the built-in plugin"}
    assert again == changes


async def without_host(config: Config, do: Callable[[], object], *named: str) -> Any:
    """What a change comes to where no host runs."""
    follower = NextStart(config)
    before = await follower.look()
    do()
    return await follower.follow(before, named)
