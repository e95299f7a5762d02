"""What the host tells of its plugins, as data."""

import attrs


@attrs.frozen
class PluginInfo:
    """One plugin, for people and programs.

    Attributes:
        name: the entry point's name, or the name it was loaded under.
        distribution: what pip installed it from; None for objects and files.
        version: the version of the code that runs, or would run.
        state: `loading`, `loaded`, `failed`, `blocked`, `draining` or `unloaded`.
        generation: how many times it has been loaded.
        tools: the names of its tools.
        error: why it failed, in one line; None if it didn't.
        location: the folder of its distribution, or the file it was loaded from.
        hidden: rivals that offer the same name, as `distribution version`.
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


@attrs.frozen
class UnloadReport:
    """What an unloading did and left.

    Attributes:
        drained: how many running calls ended by themselves.
        cancelled: how many had to be cancelled.
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
