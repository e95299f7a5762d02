"""One load of a plugin: what to load, what is ready to be shown, and what is up."""

from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import attrs

from pegboard.config import PluginConfig
from pegboard.plugins.holding import Holding
from pegboard.plugins.kept import KeptFinder
from pegboard.plugins.leaks import Leaks
from pegboard.plugins.leaving import Leaving
from pegboard.plugins.modules import Ground
from pegboard.plugins.perboard import PerBoard
from pegboard.plugins.refreshing import Refreshing
from pegboard.plugins.sources import Source
from pegboard.plugins.standing import Standing
from pegboard.registry import (
    Contributions,
    Generation,
    Owner,
    Registration,
    Registry,
    Scope,
    sifted,
)
from pegboard.reports import HostStatus

Loads = frozenset[Generation]


@attrs.define(eq=False)
class Loaded:
    """One generation of a plugin that is up, and everything that it owns.

    Attributes:
        generation: who it is.
        scope: where its contributions stand.
        registration: takes its contributions from their layer, in one step.
        stack: takes everything else back, in reverse order.
        leaving: what it raised while it was left.
        plan: what was loaded, and how.
        holding: its modules.
        standing: what it has put on its layer.
        refreshing: asks it for its tools again.
        hooks: the hooks that it implements.
    """

    generation: Generation
    scope: Scope
    registration: Registration
    stack: AsyncExitStack
    leaving: Leaving
    plan: "Plan"
    holding: Holding
    standing: Standing
    refreshing: Refreshing
    hooks: tuple[str, ...]

    @property
    def contributions(self) -> Contributions:
        """What stands on its layer now."""
        return self.standing.contributions

    @property
    def ground(self) -> Ground:
        """Where its modules come from."""
        return self.holding.ground


@attrs.frozen
class Plan:
    """What to load, and how.

    Attributes:
        owner: who it will be.
        source: where it comes from.
        scope: where its contributions will stand.
        settings: its table, or an instance of its settings class.
        options: the operator's own options for it.
        leaks: what of it goes on though nobody waits for it.
        finder: holds its modules, and finds what is kept of it.
        status: how the host is, for the plugin to ask.
    """

    owner: Owner
    source: Source
    scope: Scope
    settings: Any
    options: PluginConfig
    leaks: Leaks = attrs.field(factory=Leaks)
    finder: KeptFinder = attrs.field(factory=KeptFinder)
    status: Callable[[], HostStatus] = HostStatus

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.owner.plugin or ""


@attrs.frozen(eq=False)
class Prepared:
    """One generation of a plugin that is entered and collected, and of which nothing shows yet.

    Attributes:
        plan: what was loaded, and how.
        generation: who it is.
        stack: takes everything back, in reverse order.
        leaving: what it raises while it is left.
        holding: its modules.
        contributions: what it will put on its layer.
        refreshing: asks it for its tools again.
        hooks: the hooks that it implements.
    """

    plan: Plan
    generation: Generation
    stack: AsyncExitStack
    leaving: Leaving
    holding: Holding
    contributions: Contributions
    refreshing: Refreshing
    hooks: tuple[str, ...]

    def placed(self, boards: PerBoard, registry: Registry) -> Iterator[tuple[Scope, Contributions]]:
        """What will stand where, boards included."""
        scope = self.plan.scope
        yield scope, sifted(registry, scope, self.contributions)
        yield from boards.pending(self.generation)

    def publish(self, registry: Registry, boards: PerBoard) -> Loaded:
        """Put everything on its layers in one step.

        Raises:
            PegboardError: a name is taken by now; nothing stands there.
        """
        scope, generation = self.plan.scope, self.generation
        standing = Standing(registry, scope, self.contributions)
        registration = _published(standing, boards, generation)
        self.stack.callback(registration.close)
        if self.refreshing.open(standing):
            generation.context.create_task(self.refreshing.refresh())
        generation.replaces = frozenset()
        return Loaded(
            generation,
            scope,
            registration,
            self.stack,
            self.leaving,
            self.plan,
            self.holding,
            standing,
            self.refreshing,
            self.hooks,
        )


@attrs.frozen(eq=False)
class Instead:
    """What stands for a plugin until it is imported.

    Attributes:
        generation: whose it is.
        registration: takes it back.
    """

    generation: Generation
    registration: Registration


def _published(standing: Standing, boards: PerBoard, generation: Generation) -> Registration:
    """Show what is for boards too, in the same step; what is given takes all of it back in one."""

    def take_back() -> None:
        standing.close()
        boards.withdraw(generation)

    try:
        boards.publish(generation)
    except BaseException:
        take_back()
        raise
    return Registration(take_back)
