"""A host is killed at random moments while it writes; what it starts with again is whole.

`PEGBOARD_KILLS` says how often, 4 times unless given.
"""

import asyncio
import json
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import attrs
import pytest
from pegboard import ControlError
from pegboard_audit import read, read_events
from pegboard_operated import Operated, Place, place_to_operate

KILLS = int(os.environ.get("PEGBOARD_KILLS", "4"))
TURNS = ["crunch", "mail", "weather"]


@pytest.fixture
def place() -> Iterator[Place]:
    """A place with a host's configuration and plugins."""
    with place_to_operate() as made:
        yield made


@attrs.define
class Blocks:
    """What an operator was told of the plugins that are blocked.

    Attributes:
        known: whether each is, by the last answer.
        pending: the plugin whose answer isn't here.
        is_denied: whether the tool `forecast` is denied for good.
    """

    known: dict[str, bool] = attrs.field(factory=dict)
    pending: str | None = None
    is_denied: bool = False

    def differences(self, states: dict[str, str]) -> dict[str, str]:
        """The plugins that aren't as the operator was told."""
        return {
            name: states[name]
            for name, is_blocked in self.known.items()
            if name != self.pending and (states[name] == "blocked") != is_blocked
        }


async def operate(host: Operated, blocks: Blocks, dice: random.Random) -> None:
    """Block, load, deny, change the configuration and upgrade, until the host is gone."""
    version = 1
    while True:
        name = blocks.pending = dice.choice(TURNS)
        if blocks.known.get(name):
            await host.ask("load", name=name)
        else:
            await host.ask("unload", name=name, block=True, grace=0)
        blocks.known[name] = not blocks.known.get(name, False)
        blocks.pending = None
        await host.ask("deny", selectors=["forecast"], keep=True, pending=True)
        blocks.is_denied = True
        host.place.configure(f"[boards.team-07]\ndeny = ['x{version}']\n")
        version += 1
        host.place.install(version)
        await host.ask("sync")


async def killed(host: Operated, blocks: Blocks, dice: random.Random) -> None:
    """Operate it, and kill it at some moment."""
    operating = asyncio.create_task(operate(host, blocks, dice))
    await asyncio.sleep(dice.random() * 1.5)
    assert not operating.done(), operating.exception()
    host.process.kill()
    with pytest.raises(ControlError):
        await operating
    await asyncio.to_thread(host.process.wait)


def check_files(place: Place) -> None:
    """See that what the host wrote can be read, all of it."""
    record = place.folder / "audit.sqlite3"
    with closing(sqlite3.connect(record)) as database:
        [(found,)] = database.execute("PRAGMA integrity_check").fetchall()
    assert found == "ok"
    assert len(list(read(record))) > 0
    assert len(list(read_events(record))) > 0
    state = place.folder / "state.json"
    assert not state.exists() or json.loads(state.read_text())


@pytest.mark.parametrize("seed", range(KILLS))
async def test_what_was_blocked_stays_blocked_whenever_the_host_is_killed(
    place: Place, seed: int
) -> None:
    blocks, dice = Blocks(), random.Random(seed)

    with place.started() as host:
        await killed(host, blocks, dice)
    check_files(place)
    with place.started() as again:
        plugins = (await again.ask("plugins")).result
        seen = await again.end()

    assert blocks.differences({each["name"]: each["state"] for each in plugins}) == {}
    assert (seen.lost, seen.codes() - {"ok", "unknown_tool"}) == ([], set())
    assert not blocks.is_denied or seen.codes("forecast") == {"unknown_tool"}
    assert not place.socket.exists()


async def test_a_host_that_is_killed_while_it_starts_starts_the_next_time(place: Place) -> None:
    dice = random.Random(1)

    for _ in range(KILLS):
        with place.starting() as process:
            await asyncio.sleep(dice.random())
            process.kill()
    with place.started() as host:
        plugins = (await host.ask("plugins")).result
        seen = await host.end()

    assert {each["state"] for each in plugins if each["name"] in TURNS} <= {"loaded", "deferred"}
    assert (seen.codes(), seen.lost) == ({"ok"}, [])


async def test_a_second_host_at_the_same_socket_is_refused_and_the_first_goes_on(
    place: Place,
) -> None:
    with place.started() as host:
        with place.starting() as second:
            status = await asyncio.to_thread(second.wait, 30)
        plugins = await host.ask("plugins")
        seen = await host.end()

    assert status != 0
    assert str(place.socket) in place.said()
    assert plugins.result
    assert (seen.codes(), seen.lost) == ({"ok"}, [])
