"""What the host tells of itself and its plugins, as data."""

import os
import sys
from datetime import datetime

import attrs

from pegboard.values import JSON
from pegboard.version import VERSION


@attrs.frozen
class QuarantinedTool:
    """A tool that is neither offered nor callable, since it isn't what was accepted.

    Attributes:
        name: the name that models would see.
        plugin: whose it is.
        reason: what differs, and the way out.
        diff: line by line, what was accepted (`-`) and what there is (`+`).
    """

    name: str
    plugin: str
    reason: str
    diff: tuple[str, ...] = ()


@attrs.frozen
class RefusedTool:
    """A tool that isn't offered, though the plugin that brings it is loaded.

    Attributes:
        name: the name that models would see, or what the plugin says it is.
        plugin: whose it is.
        reason: why, in one line.
        is_taken: whether that is somebody else's having its name, who may go.
    """

    name: str
    plugin: str
    reason: str
    is_taken: bool = False


@attrs.frozen
class PluginInfo:
    """One plugin, for people and programs.

    Attributes:
        name: the entry point's name, or the name it was loaded under.
        distribution: what pip installed it from; None for objects and files.
        version: the version of the code that runs, or would run.
        state: `deferred` (known from the catalogue, imported when a tool is called), `loading`,
            `loaded`, `failed`, `retrying`, `blocked`, `quarantined`, `draining` or `unloaded`.
        generation: how many times it has been loaded.
        tools: the names of its tools.
        error: why it failed, in one line; None if it didn't.
        location: the folder of its distribution, or the file it was loaded from.
        hidden: rivals that offer the same name, as `distribution version`.
        quarantined: its tools that aren't what was accepted; all, where it is quarantined itself.
        diff: of a quarantined plugin, what was accepted (`-`) and what there is (`+`).
        refused: tools that it left to the host to take or refuse one by one, and that are refused.
        leaked: what of the load that it was reloaded from goes on, or could not be left.
    """

    name: str
    distribution: str | None = None
    version: str | None = None
    state: str = "unloaded"
    generation: int = 0
    tools: tuple[str, ...] = ()
    error: str | None = None
    location: str | None = None
    hidden: tuple[str, ...] = ()
    quarantined: tuple[QuarantinedTool, ...] = ()
    diff: tuple[str, ...] = ()
    refused: tuple[RefusedTool, ...] = ()
    leaked: tuple[str, ...] = ()


@attrs.frozen
class UnloadReport:
    """What an unloading did and left.

    Attributes:
        drained: how many running calls ended by themselves.
        cancelled: how many were cancelled, by the unloading or by somebody else meanwhile.
        still_running: ids of calls whose bodies go on.
        errors: what the plugin raised while it was left.
        leaked: threads, tasks and modules of the plugin that are still alive.
    """

    name: str
    generation: int
    drained: int
    cancelled: int
    still_running: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    leaked: tuple[str, ...] = ()


@attrs.frozen
class CloseReport:
    """What closing a board did and left.

    Attributes:
        name: the board.
        unloaded: the plugins that had been loaded on it.
        errors: what plugins raised while they left it.
    """

    name: str
    unloaded: tuple[UnloadReport, ...] = ()
    errors: tuple[str, ...] = ()


@attrs.frozen
class LockChange:
    """One thing that a lock file and what is installed don't agree on.

    Attributes:
        plugin: the plugin.
        tool: the tool's own name; None where it is the plugin itself.
        kind: `new`, `changed` or `gone`.
        diff: line by line, what was accepted (`-`) and what there is (`+`).
    """

    plugin: str
    tool: str | None
    kind: str
    diff: tuple[str, ...]


@attrs.frozen
class LockReport:
    """What a lock file says now, and what was otherwise in it.

    Attributes:
        path: the file.
        changes: by plugin and tool.
        plugins: how many plugins it names.
        tools: how many definitions of tools.
        unread: why what was there before could not be read, or None.
        is_written: whether the file was written; it isn't where nothing changed.
    """

    path: str
    changes: tuple[LockChange, ...]
    plugins: int
    tools: int
    unread: str | None = None
    is_written: bool = False


@attrs.frozen
class ConfigChange:
    """One key of the configuration that says something else than before.

    Attributes:
        path: the key, dotted, as a file has it: `boards.researcher.deny`.
        before: what it said, as JSON; None where it said nothing, or must not show.
        after: what it says now, likewise.
        place: the file and line where it says so, or None.
        is_applied: whether that holds at once, or only once the host is started again.
    """

    path: str
    before: JSON
    after: JSON
    place: str | None = None
    is_applied: bool = True


@attrs.frozen
class SyncReport:
    """What a sync has changed; nothing but empty fields where nothing has changed.

    Attributes:
        loaded: the plugins that were loaded.
        unloaded: those that were unloaded: they are gone, or kept out now.
        reloaded: those that were exchanged for their code and settings as they are now.
        failed: those that could not be; `host.plugins` says why.
        boards: the boards whose part of the configuration was applied anew.
        changes: the keys of the configuration that say something else than before, and those that
            plugins could not follow before and can't follow yet.
        errors: of a dry run, why plugins would fail: mistakes in their settings, with file and line
            where they have one.
    """

    loaded: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()
    reloaded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    boards: tuple[str, ...] = ()
    changes: tuple[ConfigChange, ...] = ()
    errors: tuple[str, ...] = ()


@attrs.frozen
class WatchReport:
    """What a change on disk has done.

    Attributes:
        changed: the paths that had changed, as far as the system has told.
        sync: the plugins and boards that are others now, and the plugins that could not be.
        errors: why, one message each, with file and line where there are some; mistakes in the
            configuration are among them, and then it is as it was.
        is_configured: whether another configuration holds now.
    """

    changed: tuple[str, ...]
    sync: SyncReport
    errors: tuple[str, ...] = ()
    is_configured: bool = False


@attrs.frozen
class RunningCall:
    """A call that has not ended, or whose body has outlived its outcome.

    Attributes:
        stage: where it is: `create`, `parked` while a plugin of it is imported or upgraded,
            `validate`, `before`, `approve`, `guards`, `around`, `body`, `project`, `after`,
            `finalize` or `finished`.
        age: seconds since it was made.
        abandoned: whether its outcome has been given and only the body goes on.
    """

    call_id: str
    tool: str
    board: str
    plugin: str | None
    generation: int
    stage: str
    age: float
    abandoned: bool


@attrs.frozen
class DrainReport:
    """What has become of the calls that ran when a host began to shut down.

    Attributes:
        drained: how many ended by themselves.
        cut_off: those that had to be cancelled, as they were then.
        still_running: those whose bodies go on all the same.
    """

    drained: int
    cut_off: tuple[RunningCall, ...] = ()
    still_running: tuple[RunningCall, ...] = ()


@attrs.frozen
class PoolUse:
    """The threads of one plugin's sync tools.

    Attributes:
        plugin: the plugin; None for the program's own tools.
        threads: how many threads there are.
        busy: how many of them run a body.
        stuck: how many of those run one that has outlived its outcome.
        waiting: how many calls wait for a thread.
        most: how many threads there may be.
    """

    plugin: str | None
    threads: int
    busy: int
    stuck: int
    waiting: int
    most: int


@attrs.frozen
class HostStatus:
    """How a host is now, in figures.

    Attributes:
        version: of pegboard.
        pid: the process.
        python: the path of its interpreter.
        started: when the host was opened, in UTC; None before.
        is_ready: whether it takes calls: it is open, and every required plugin is loaded.
        is_draining: whether it is shutting down.
        boards: how many are open.
        running: how many calls have no outcome yet.
        parked: how many of those wait for a plugin that is imported or upgraded.
        abandoned: how many bodies have outlived their outcome.
        plugins: states of plugins, and how many are in each.
        pools: the threads of sync tools, by plugin.
    """

    version: str = VERSION
    pid: int = attrs.field(factory=os.getpid)
    python: str = attrs.field(factory=lambda: sys.executable)
    started: datetime | None = None
    is_ready: bool = False
    is_draining: bool = False
    boards: int = 0
    running: int = 0
    parked: int = 0
    abandoned: int = 0
    plugins: tuple[tuple[str, int], ...] = ()
    pools: tuple[PoolUse, ...] = ()
