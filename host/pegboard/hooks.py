"""The hook specifications: what a plugin may implement, and what each hook gets and returns."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pluggy

from pegboard.errors import PegboardError

PROJECT = "pegboard"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


COLLECTED = frozenset(
    {
        "pegboard_settings",
        "pegboard_lifespan",
        "pegboard_tools",
        "pegboard_guards",
        "pegboard_reserved_names",
        "pegboard_board",
    }
)
"""The hooks that are asked while a plugin is loaded; calls pass through all others."""


class Specifications:
    """Every hook; an implementation may name fewer arguments than its specification."""

    @hookspec
    def pegboard_settings(self) -> type:
        """Give an attrs class; the plugin's table of the configuration is structured into it."""
        raise NotImplementedError

    @hookspec
    def pegboard_lifespan(self, plugin: Any) -> Any:
        """Give a sync or async context manager; what it yields is `plugin.resource`."""

    @hookspec
    def pegboard_tools(self, plugin: Any) -> Iterable[Any]:
        """Give the plugin's tools."""
        raise NotImplementedError

    @hookspec
    def pegboard_guards(self, plugin: Any) -> Iterable[Any]:
        """Give guards: `guard(execution)`, sync or async, refuses with anything but None."""
        raise NotImplementedError

    @hookspec
    def pegboard_reserved_names(self, plugin: Any) -> Mapping[str, str]:
        """Give names that no other plugin may use, each with its reason."""
        raise NotImplementedError

    @hookspec
    def pegboard_board(self, plugin: Any, board: Any) -> Any:
        """Give a sync or async context manager, entered for every board while both live.

        What it yields is `context.state` of the plugin's tools there; what it registers on the
        board is the plugin's, and goes with the context.
        """

    @hookspec
    def pegboard_tools_changed(self, board: Any) -> None:
        """Learn that what the model of a board should be shown has changed.

        Called soon after a change, on the loop, once for many changes, for boards whose
        definitions or revision were read since their last notice; sync or async.
        """

    @hookspec
    def pegboard_call_finished(self, execution: Any, outcome: Any, timing: Any) -> None:
        """Observe a call that has ended; what this raises is logged and goes nowhere."""


def adapt(function: Callable[..., Any], hook: str) -> Callable[..., Any]:
    """A program's own function as an implementation of a hook; it names the arguments it wants.

    Raises:
        PegboardError: there is no such hook for calls, or the function names another argument.
    """
    specification = getattr(Specifications, hook, None)
    if specification is None or hook in COLLECTED:
        raise PegboardError(f"there is no hook {hook.removeprefix('pegboard_')!r} for calls")
    expected = tuple(inspect.signature(specification).parameters)[1:]
    named = tuple(inspect.signature(function).parameters)
    for name in named:
        if name not in expected:
            raise PegboardError(
                f"a function for {hook} names {name!r}; it may name {', '.join(expected)}"
            )
    return reordered(function, named, expected)


def reordered(
    function: Callable[..., Any], named: tuple[str, ...], expected: tuple[str, ...]
) -> Callable[..., Any]:
    """A function of all arguments of the specification, for one that names some of them."""
    if tuple(named) == tuple(expected):
        return function
    places = tuple((name, expected.index(name)) for name in named)

    def adapted(*given: Any) -> Any:
        return function(**{name: given[place] for name, place in places})

    return adapted
