"""The hook specifications: what a plugin may implement, and what each hook gets and returns."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import attrs
import pluggy

from pegboard.errors import PegboardError, did_you_mean, near_names

PROJECT = "pegboard"
F = TypeVar("F", bound=Callable[..., Any])

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
        "pegboard_code_runtime",
    }
)
"""The hooks that are asked while a plugin is loaded; calls pass through all others."""


class Specifications:
    """Every hook; an implementation may name fewer arguments than its specification.

    `plugin` is the `PluginContext` of the plugin that implements it.
    """

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
    def pegboard_code_runtime(self, plugin: Any) -> Any:
        """Give a `CodeRuntime`, which runs the programs of `run_code`, or None."""

    @hookspec
    def pegboard_before_call(self, execution: Any, call_next: Any, plugin: Any) -> Any:
        """Give a decision on a call before it runs, or None; sync or async.

        An implementation that names `call_next` wraps the rest: awaiting `call_next()` gives the
        decision of what is inside, `Allow()` where nobody there has one.
        """

    @hookspec
    def pegboard_approve(self, request: Any, plugin: Any) -> Any:
        """Answer a request for approval; None says that it isn't this approver's; sync or async.

        The answer is `"once"`, `"board"`, `"always"`, `"rejected"` or `Rejected(message)`,
        `"cancelled"` or `"later"`.
        """

    @hookspec
    async def pegboard_around_call(self, execution: Any, call_next: Any, plugin: Any) -> Any:
        """Wrap the body: `await call_next(signal=None)` runs it and gives its outcome.

        What this returns is the outcome; awaiting `call_next` once more is a retry.
        """

    @hookspec
    def pegboard_run_body(self, execution: Any, tool: Any, plugin: Any) -> Any:
        """Give what runs the body elsewhere, or None.

        That is `await run(arguments, context)`, with JSON in and out.
        """

    @hookspec
    def pegboard_after_call(self, execution: Any, outcome: Any, call_next: Any, plugin: Any) -> Any:
        """Give a verdict on an outcome, or None; sync or async.

        An implementation that names `call_next` wraps the rest: awaiting `call_next()` gives the
        verdict of what is inside, `Accept()` where nobody there has one.
        """

    @hookspec
    def pegboard_event(self, event: Any, plugin: Any) -> None:
        """Observe what happens to plugins, boards, restrictions and approvals; sync or async."""

    @hookspec
    def pegboard_tools_changed(self, board: Any, plugin: Any) -> None:
        """Learn that what the model of a board should be shown has changed.

        Called soon after a change, on the loop, once for many changes, for boards whose
        definitions or revision were read since their last notice; sync or async.
        """

    @hookspec
    def pegboard_call_finished(
        self, execution: Any, outcome: Any, timing: Any, plugin: Any
    ) -> None:
        """Observe a call that has ended; what this raises is logged and goes nowhere."""


CALL_NEXT = "call_next"
PLUGIN = "plugin"
_APPLIES = "pegboard_applies"
_RANK = "pegboard_rank"

OUTERMOST = -1
INNERMOST = 3
NEAREST = 4
"""Ranks of hooks that stand outside or inside all others, whatever their layers."""


def applies_to(admits: Callable[[Any], bool]) -> Callable[[F], F]:
    """Keep a hook out of the chains of tools for which `admits(tool)` is false.

    It is asked once for every board and tool, and never during a call.
    """
    return applies_where(lambda entry: admits(entry.tool))


def applies_where(admits: Callable[[Any], bool]) -> Callable[[F], F]:
    """The same, asked of a tool's entry on its layer: with what the operator says of it."""

    def mark(function: F) -> F:
        setattr(function, _APPLIES, admits)
        return function

    return mark


def applies_by(method: str) -> Callable[[F], F]:
    """The same, asked of a method of the plugin, which knows its settings by then."""

    def mark(function: F) -> F:
        setattr(function, _APPLIES, method)
        return function

    return mark


def innermost(function: F) -> F:
    """Have a hook of the host's own stand inside all others, and wait as long as it must."""
    setattr(function, _RANK, INNERMOST)
    return function


def nearest(function: F) -> F:
    """The same, inside those too: nothing but the body comes after it."""
    setattr(function, _RANK, NEAREST)
    return function


def outermost(function: F) -> F:
    """Have a hook of the host's own stand outside all others."""
    setattr(function, _RANK, OUTERMOST)
    return function


@attrs.frozen(eq=False)
class Implementation:
    """One implementation of a hook.

    Attributes:
        hook: the hook's name.
        function: called with the arguments of the specification in order, without `call_next`
            unless it wraps, and with the plugin first or not at all.
        wraps: whether it names `call_next`.
        rank: 0 for `tryfirst`, 1, 2 for `trylast`, or `OUTERMOST`, `INNERMOST` or `NEAREST`.
        applies: tells of a tool's entry whether the hook may concern it; None for every tool.
        takes_plugin: whether it names `plugin`.
        is_async: whether calling it is known to give something to await.
    """

    hook: str
    function: Callable[..., Any]
    wraps: bool = False
    rank: int = 1
    applies: Callable[[Any], bool] | None = None
    takes_plugin: bool = False
    is_async: bool = False


def implementation(
    function: Callable[..., Any],
    hook: str,
    *,
    named: tuple[str, ...],
    expected: tuple[str, ...],
    rank: int = 1,
) -> Implementation:
    """A function that names some arguments of a specification, as an implementation of it.

    Args:
        function: the implementation.
        hook: the hook's name.
        named: the arguments that it names.
        expected: the arguments of the specification, in order.
        rank: 0 for `tryfirst`, 1, or 2 for `trylast`.
    """
    wraps = CALL_NEXT in named
    takes_plugin = PLUGIN in named and hook not in COLLECTED
    given = expected if wraps else tuple(name for name in expected if name != CALL_NEXT)
    if hook not in COLLECTED:
        given = tuple(name for name in given if name != PLUGIN)
    if takes_plugin:
        given = (PLUGIN, *given)
    applies = getattr(function, _APPLIES, None)
    if isinstance(applies, str):
        applies = getattr(getattr(function, "__self__", None), applies)
    rank = getattr(function, _RANK, rank)
    called = reordered(function, named, given)
    is_async = inspect.iscoroutinefunction(function)
    return Implementation(hook, called, wraps, rank, applies, takes_plugin, is_async)


def adapt(function: object, hook: str) -> Implementation:
    """A program's own function as an implementation of a hook; it names the arguments it wants.

    Raises:
        PegboardError: there is no such hook for calls, or the function names another argument.
    """
    specification = getattr(Specifications, hook, None)
    if specification is None or hook in COLLECTED:
        known = [name for name in vars(Specifications) if name.startswith(f"{PROJECT}_")]
        short = [name.removeprefix("pegboard_") for name in known if name not in COLLECTED]
        wanted = hook.removeprefix("pegboard_")
        near = did_you_mean(near_names(wanted, short))
        raise PegboardError(f"there is no hook {wanted!r} for calls{near}")
    if not callable(function):
        kind = type(function).__name__
        raise PegboardError(f"what is given for {hook} is a function, not {kind}")
    parameters = tuple(inspect.signature(specification).parameters)[1:]
    expected = tuple(name for name in parameters if name != PLUGIN)
    named = tuple(inspect.signature(function).parameters)
    for name in named:
        if name not in expected:
            raise PegboardError(
                f"a function for {hook} names {name!r}; it may name {', '.join(expected)}"
            )
    return implementation(function, hook, named=named, expected=expected)


def _takes_by_name(function: Callable[..., Any]) -> bool:
    """Whether some of its arguments can be given by name only."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters)


def takes_one(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument, as far as it can be told."""
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def reordered(
    function: Callable[..., Any], named: tuple[str, ...], expected: tuple[str, ...]
) -> Callable[..., Any]:
    """A function of all arguments of the specification, for one that names some of them."""
    count, by_name = len(named), _takes_by_name(function)
    if tuple(named) == tuple(expected) and not by_name:
        return function
    if tuple(named) == tuple(expected[:count]) and not by_name:
        return lambda *given: function(*given[:count])
    places = tuple((name, expected.index(name)) for name in named)
    return lambda *given: function(**{name: given[place] for name, place in places})
