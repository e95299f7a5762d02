"""A distribution that is installed in one version after the other, under a running host."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import attrs
from pegboard import Board, Config, Host, Outcome
from pegboard.testing import site_at
from pegboard.testing.distributions import Site

CODE = '''
"""A gauge that shows which version of it runs."""

import asyncio

from gauge.part import V as PART
from pegboard import RunContext, hookimpl, tool

V = {version}


def seen():
    from gauge.late import V as late

    return [V, PART, late]


@tool
async def version() -> list[int]:
    """Give the version of each module."""
    await asyncio.sleep(0)
    return seen()


@tool
async def held(context: RunContext) -> list[int]:
    """Give the same, once the program says go, of a module that nothing else imports."""
    context.deps.begun.set()
    await context.deps.go.wait()
    from gauge.later import V as later

    return [V, PART, later]


@tool
async def nested(context: RunContext) -> list[int]:
    """Give the version that a call inside this one sees, once the program says go."""
    context.deps.begun.set()
    await context.deps.go.wait()
    outcome = await context.call("version")
    return [V, *outcome.unwrap()]
'''

_PARTS = ("gauge/part.py", "gauge/late.py", "gauge/later.py")


@attrs.define
class Gate:
    """What a tool waits for, and tells that it does; given as `deps`.

    Attributes:
        asked: the ids of the calls that a policy was asked about.
    """

    asked: list[str] = attrs.field(factory=list)
    begun: asyncio.Event = attrs.field(factory=asyncio.Event)
    go: asyncio.Event = attrs.field(factory=asyncio.Event)


@attrs.frozen
class Versions:
    """Installs versions of the distribution `gauge`, one in the place of the other."""

    site: Site

    def install(self, version: int, *, more: str = "", code: str | None = None) -> None:
        """Put a version in the place of what is installed.

        Args:
            version: its number, which every module holds.
            more: text at the end of its plugin's module.
            code: all of that module in its place.
        """
        self.site.uninstall("gauge")
        whole = CODE.format(version=version) + more if code is None else code
        files = dict.fromkeys(_PARTS, f"V = {version}\n")
        entry_points = {"gauge": "gauge"}
        self.site.install(
            "gauge",
            f"{version}.0",
            entry_points=entry_points,
            files={"gauge/__init__.py": whole, **files},
        )


@contextmanager
def versions_at(folder: Path) -> Iterator[Versions]:
    """Versions in a site of the test's own."""
    with site_at(folder / "site") as site:
        yield Versions(site)


@asynccontextmanager
async def gauged(versions: Versions, **fields: Any) -> AsyncIterator[tuple[Host, Board, Gate]]:
    """A host with version 1 of `gauge` on it, and a board whose `deps` are a gate."""
    versions.install(1)
    gate = Gate()
    async with Host(Config(only=["gauge"], **fields)) as host:
        yield host, await host.board("case", deps=gate), gate


def started(board: Board, name: str, **options: Any) -> "asyncio.Task[Outcome]":
    """A call that is on its way."""
    return asyncio.ensure_future(board.call(name, **options))


async def waiting(host: Host, board: Board, name: str = "version") -> "asyncio.Task[Outcome]":
    """The first call that waits for an upgrade, which another call holds up.

    The calls before it have ended.
    """
    while True:
        call = started(board, name)
        await asyncio.sleep(0.002)
        if any(each.stage == "parked" for each in host.running):
            return call
        await call
