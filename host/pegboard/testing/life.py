"""What is asked of a plugin's life: loading, unloading, settings."""

import os
import re
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import attrs

from pegboard.errors import NotReady
from pegboard.host import Host
from pegboard.reports import UnloadReport
from pegboard.testing.printing import printed
from pegboard.testing.subject import NotLoadedError, Subject, owner_of
from pegboard.testing.traces import Traces

_SHOWN = 120
_HOMES = (
    "HOME",
    "USERPROFILE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
)


async def what_it_leaves(subject: Subject, folder: Path) -> list[str]:
    """What two loads leave: in their reports, on boards, and in the process after the second.

    Libraries that a plugin imports may keep a thread or a file from their first use on; what is
    the plugin's own is there again after every load.
    """
    async with Host(subject.config, discover=False) as host:
        settings = subject.settings_in(folder)
        found = await _lived(subject, host, settings)
        before = Traces.now()
        found += await _lived(subject, host, settings)
        found += [f"{subject} leaves {each} behind" for each in await before.left()]
    return list(dict.fromkeys(found))


async def _lived(subject: Subject, host: Host, settings: Any) -> list[str]:
    """One load with boards that open and close in it, and one that is still open at its end."""
    info = await subject.load(host, settings)
    async with host.board("first"), host.board("second"):
        pass
    board = await host.board("third")
    report = await host.unload(info.name)
    closed = await board.close()
    return [f"{owner_of(info)} {each}" for each in (*_left(report), *closed.errors)]


def _left(report: UnloadReport) -> Iterator[str]:
    yield from (f"leaves {each} behind" for each in report.leaked)
    yield from (f"fails while it is left: {each}" for each in report.errors)
    yield from (f"has a call that goes on: {each}" for each in report.still_running)


async def what_it_prints(subject: Subject, folder: Path) -> list[str]:
    """What goes to standard output while the plugin is imported, loaded and unloaded."""
    async with subject.loaded(folder) as (host, info):
        await host.unload(info.name)
        with printed() as written:
            again = await subject.load(host, subject.settings_in(folder))
            await host.unload(again.name)
            text = written()
    problem = (
        f"{subject} writes to standard output while it is imported or loaded: {text[:_SHOWN]!r}; "
        "log it (`plugin.log`), since a host's standard output may carry a protocol"
    )
    return [problem] if text else []


async def what_it_misses(subject: Subject, folder: Path) -> list[str]:
    """What is wrong with how the plugin fails where nothing is set, if it does."""
    async with subject.loaded(folder):
        asked = [each for each in subject.implementations() if each.hook == "pegboard_settings"]
        cls: Any = asked[0].function() if asked else None
    if cls is None:
        return []
    with _away_from_home(folder):
        try:
            async with Host(subject.config, discover=False) as host:
                await subject.load(host, {})
        except NotLoadedError as error:
            return list(_unsaid(subject, cls, error))
    return []


def _unsaid(subject: Subject, cls: type, error: NotLoadedError) -> Iterator[str]:
    causes = list(_causes(error))
    if any(isinstance(each, NotReady) for each in causes):
        return
    text = str(error)
    names, required = _names(cls)
    said = set(re.findall(r"\w+", text))
    unnamed = [each for each in required if each not in said]
    if unnamed or said.isdisjoint(names):
        asked = " or ".join(map(repr, unnamed or names))
        yield (
            f"without settings, {subject} fails and doesn't name {asked}: {text}; give a setting "
            "that must be set no default, so that operators are told its name"
        )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _names(cls: type) -> tuple[list[str], list[str]]:
    """The names of all settings, and of those without a default."""
    if not attrs.has(cls):
        return list(getattr(cls, "__annotations__", {})), []
    fields = attrs.fields(cls)
    required = [each for each in fields if each.default is attrs.NOTHING and each.init]
    return [each.alias for each in fields], [each.alias for each in required]


@contextmanager
def _away_from_home(folder: Path) -> Iterator[None]:
    """Keep what a plugin writes by default out of the author's own folders."""
    before = {name: os.environ.get(name) for name in _HOMES}
    os.environ.update({name: str(folder) for name in _HOMES})
    try:
        with chdir(folder):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
