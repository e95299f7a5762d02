"""What happens to plugins, boards and restrictions and what operators do, for `pegboard_event`."""

from collections.abc import Mapping
from typing import Any

import attrs

from pegboard.values import JSON


@attrs.frozen
class PluginChanged:
    """A plugin has come into another state.

    Attributes:
        name: the plugin.
        state: the new state, as in `PluginInfo`.
        distribution: what pip installed it from; None for objects and files.
        version: the version of the code.
        generation: how many times it has been loaded.
        board: the board on whose layer it stands; None for the global layer.
        error: why it failed, or None.
    """

    name: str
    state: str
    distribution: str | None = None
    version: str | None = None
    generation: int = 0
    board: str | None = None
    error: str | None = None


@attrs.frozen
class BoardOpened:
    """A board was made.

    Attributes:
        board: its name.
        parent: the name of its parent, or None.
    """

    board: str
    parent: str | None = None


@attrs.frozen
class BoardClosed:
    """A board was closed.

    Attributes:
        board: its name.
    """

    board: str


@attrs.frozen
class RestrictionAdded:
    """Tools were hidden.

    Attributes:
        board: where; None for the whole host.
        allow: selectors of what stays visible, or None.
        deny: selectors of what is hidden.
        source: who says so, for people.
    """

    board: str | None
    allow: tuple[Any, ...] | None
    deny: tuple[Any, ...]
    source: str


@attrs.frozen
class RestrictionLifted:
    """A restriction is gone; the fields are those of `RestrictionAdded`."""

    board: str | None
    allow: tuple[Any, ...] | None
    deny: tuple[Any, ...]
    source: str


@attrs.frozen
class GrantAdded:
    """A board's own masks were lifted for some tools.

    Attributes:
        board: where.
        selector: for which tools.
    """

    board: str | None
    selector: Any


@attrs.frozen
class GrantLifted:
    """A grant is gone; the fields are those of `GrantAdded`."""

    board: str | None
    selector: Any


@attrs.frozen
class OperatorActed:
    """Somebody has asked a running host for a change, through its control channel.

    Attributes:
        action: what was asked for, such as `unload`.
        details: with what.
        user: the number of the user who asks, as the system says; None where it can't.
        pid: the process that asks, likewise.
        stage: `asked`, then `done`, `failed`, or `unknown` where the host has ended meanwhile.
        error: why it failed, or why nobody can say how it ended; or None.
    """

    action: str
    details: Mapping[str, JSON]
    user: int | None
    pid: int | None
    stage: str
    error: str | None = None
