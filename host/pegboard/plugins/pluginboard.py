"""A board as plugins get it: what they put on it is theirs, and goes with their context."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import attrs

from pegboard.config import Config, PluginConfig
from pegboard.errors import BoardError
from pegboard.plugins.collecting import chosen_name
from pegboard.registry import (
    Contributions,
    Deferral,
    Entry,
    Generation,
    Owned,
    Registration,
    Registry,
    Scope,
    VisibleTools,
    guard_entry,
    hook_entries,
    tool_entry,
)
from pegboard.tools import Tool, check_tool
from pegboard.values import JSON


@attrs.frozen(eq=False)
class Side:
    """A board, as far as plugins see it.

    Attributes:
        scope: where it stands.
        deps: the object that the program gave for its tools.
        labels: text to JSON.
        deferrals: what keeps tools back on it, or is about to.
    """

    scope: Scope
    deps: Any
    labels: Mapping[str, JSON]
    deferrals: list[Deferral] = attrs.field(factory=list)


class PluginBoard:
    """A board as the `pegboard_board` of one plugin gets it.

    What is registered through it is owned by the plugin and goes with the context, forgotten
    registrations too.
    """

    def __init__(
        self,
        side: Side,
        generation: Generation,
        registry: Registry,
        *,
        options: PluginConfig,
        config: Config,
        masked_by: int,
    ) -> None:
        self._side = side
        self._options = options
        self._config = config
        self._masked_by = masked_by
        self._is_left = False
        self._generation = generation
        self._registry = registry
        self._pending: list[Contributions] | None = []
        self._deferral: Deferral | None = None
        self._promised: dict[int, Registration] = {}
        self._standing: dict[int, Registration] = {}
        self._owned = Owned()

    @property
    def name(self) -> str:
        """The board's name."""
        return self._side.scope.name or ""

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the boards that it inherits from, nearest first."""
        names = [each.name for each in self._side.scope.ancestry if each is not self._side.scope]
        return tuple(name for name in reversed(names) if name is not None)

    @property
    def deps(self) -> Any:
        """The object that the program gave for the board's tools, or None."""
        return self._side.deps

    @property
    def labels(self) -> Mapping[str, JSON]:
        """The board's labels."""
        return self._side.labels

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The visible tools by name, in order; a snapshot."""
        return VisibleTools(self._side.scope.view())

    @property
    def tools_version(self) -> int:
        """A number that moves whenever other tools are visible, or the same are told otherwise."""
        return self._side.scope.view().number

    def register(self, tool: Tool) -> Registration:
        """Put a tool on this board; the board's own masks reach it.

        Models see it under the name that the operator's prefix or renaming makes of its own.

        Raises:
            CollisionError: the board has a tool of that name itself.
            ReservedNameError: the name is reserved.
            InvalidToolError: the tool can't be offered.
            InvalidNameError: the operator's prefix makes a name of it that no tool can have.
        """
        return self._put(Contributions((self._entry(tool),)))

    def _entry(self, tool: Tool) -> Entry:
        owner = str(self._generation.owner)
        check_tool(tool, owner=owner)
        return tool_entry(
            tool,
            self._generation,
            name=chosen_name(tool, owner, self._options),
            config=self._config,
            layer=self._side.scope.layer.name,
            masked_by=self._masked_by,
        )

    def guard(self, guard: Callable[..., Any]) -> Registration:
        """Have `guard(execution)` asked before each call here and on child boards."""
        return self._put(Contributions(hooks=(guard_entry(guard, self._generation),)))

    def hook(self, **hooks: Callable[..., Any]) -> Registration:
        """Have functions called as hooks for the calls here and on child boards."""
        return self._put(Contributions(hooks=hook_entries(hooks, self._generation)))

    def defer(
        self, finder: Tool | None = None, *, names: Callable[[JSON], Iterable[str]] | None = None
    ) -> Deferral:
        """Keep the tools that are marked `defer_loading` back until they are found.

        Args:
            finder: the tool by which models find them, put on this board. Nothing is kept back
                where it can't be called, and it isn't shown where there is nothing to find.
            names: given a value of the finder, the tools that it tells of, for providers that are
                told of tools by reference; pure, and it may get values of older versions.

        Raises:
            BoardError: a plugin does so on this board already, or the board is closed.
            CollisionError: the board has a tool of the finder's name itself.
            ReservedNameError: its name is reserved.
            InvalidToolError: it can't be offered.
        """
        before = self._deferral_before()
        entry = None if finder is None else self._entry(finder)
        if entry is not None:
            self._put(Contributions((entry,)))
        owner = str(self._generation.owner.plugin)
        deferral = Deferral(self._side.scope, owner, finder=entry, names=names, before=before)
        self._side.deferrals.append(deferral)
        self._owned.add(Registration(partial(self._end, deferral)))
        self._deferral = deferral
        if self._pending is None:
            deferral.begin()
        return deferral

    def _deferral_before(self) -> Deferral | None:
        """What an earlier generation of the plugin keeps back here.

        Raises:
            BoardError: it is done already, or the board is closed.
        """
        if self._is_left:
            raise BoardError(f"board {self.name!r} is closed for {self._generation.owner}")
        known = [each for each in self._side.deferrals if each.is_open]
        for each in known:
            if each.owner != self._generation.owner.plugin or each is self._deferral:
                raise BoardError(
                    f"plugin {each.owner!r} finds the deferred tools of board {self.name!r} "
                    "already; have one plugin do so, and block the other"
                )
        return known[-1] if known else None

    def _end(self, deferral: Deferral) -> None:
        deferral.close()
        self._side.deferrals.remove(deferral)

    def _put(self, given: Contributions) -> Registration:
        if self._is_left:
            raise BoardError(f"board {self.name!r} is closed for {self._generation.owner}")
        if self._pending is None:
            return self._owned.add(self._registry.put(self._side.scope, given))
        self._registry.check(self._side.scope, *self._pending, given)
        self._pending.append(given)
        registration = Registration(partial(self._take_back, given))
        self._promised[id(given)] = registration
        return registration

    def _take_back(self, given: Contributions) -> None:
        """Take back what is still pending, or what stands by now."""
        if self._pending is not None:
            self._pending.remove(given)
        else:
            self._standing.pop(id(given)).close()

    @property
    def pending(self) -> list[tuple[Scope, Contributions]]:
        """What was registered so far, and isn't shown yet."""
        return [(self._side.scope, each) for each in self._pending or ()]

    def publish(self) -> None:
        """Put what was registered so far on the board."""
        pending, self._pending = self._pending or [], None
        for given in pending:
            self._standing[id(given)] = self._registry.put(self._side.scope, given)
            self._owned.add(self._promised[id(given)])
        if self._deferral is not None:
            self._deferral.begin()

    def withdraw(self) -> None:
        """Take everything back that was registered through this, and take no more."""
        self._is_left = True
        self._owned.close()
