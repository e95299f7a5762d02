"""The hooks that calls pass, compiled to tuples for one scope and one tool."""

import logging
from collections.abc import Iterable, Sequence
from itertools import groupby

import attrs

from pegboard.hooks import INNERMOST, NEAREST, OUTERMOST
from pegboard.registry.entry import Entry, HookEntry
from pegboard.registry.generation import Generation
from pegboard.registry.layer import Layer

_log = logging.getLogger("pegboard.registry")
Hooks = tuple[HookEntry, ...]


@attrs.define(eq=False)
class Chains:
    """The hooks that a call passes, each chain from the outside inwards.

    Attributes:
        before: asked for a decision.
        approve: asked for an answer, the nearest layer first.
        guards: asked before the body; each may only refuse.
        around: wrap the body.
        run_body: may run the body elsewhere.
        after: asked for a verdict, from the inside outwards.
        finished: told of the outcome.
        changed: told that what a board shows has changed.
        events: told what happens to plugins, boards, restrictions and approvals.
        runtimes: run programs, the nearest layer first.
        decides: whether anything is asked before the body.
        verdicts: the after hooks from the inside outwards, where none of them wraps; else none.
        wraps_before: whether a before hook wraps others.
        wraps_after: whether an after hook wraps others.
        is_conditional: whether some hooks concern some tools only.
        generations: the plugins whose hooks stand here.
    """

    before: Hooks = ()
    approve: Hooks = ()
    guards: Hooks = ()
    around: Hooks = ()
    run_body: Hooks = ()
    after: Hooks = ()
    finished: Hooks = ()
    changed: Hooks = ()
    events: Hooks = ()
    runtimes: Hooks = ()
    decides: bool = attrs.field(init=False)
    verdicts: Hooks = attrs.field(init=False)
    wraps_before: bool = attrs.field(init=False)
    wraps_after: bool = attrs.field(init=False)
    is_conditional: bool = attrs.field(init=False)
    generations: tuple[Generation, ...] = attrs.field(init=False)
    _leases: int = 0
    _by_tool: "dict[int, Chains]" = attrs.field(factory=dict)
    _seen: int = -1

    def __attrs_post_init__(self) -> None:
        called = (*self.before, *self.approve, *self.guards, *self.around, *self.run_body)
        hooks = (*called, *self.after, *self.finished)
        self.decides = bool(self.before or self.guards)
        self.wraps_before = any(each.wraps for each in self.before)
        self.wraps_after = any(each.wraps for each in self.after)
        self.verdicts = () if self.wraps_after else self.after[::-1]
        self.is_conditional = any(each.applies is not None for each in hooks)
        owned = (each.generation for each in hooks if each.generation.context is not None)
        self.generations = tuple(dict.fromkeys(owned))

    def lease(self) -> None:
        """Hold every plugin whose hooks stand here, for one call."""
        self._leases += 1
        if self._leases == 1:
            for generation in self.generations:
                generation.lease()

    def release(self) -> None:
        """Give one lease back."""
        self._leases -= 1
        if self._leases == 0:
            for generation in self.generations:
                generation.release()

    def of(self, entry: Entry, *, epoch: int) -> "Chains":
        """The hooks that calls of one tool pass.

        Args:
            entry: the tool.
            epoch: what has moved once a tool has come, so that no identity is taken for another.
        """
        if not self.is_conditional:
            return self
        if self._seen != epoch:
            self._by_tool.clear()
            self._seen = epoch
        found = self._by_tool.get(id(entry))
        if found is None:
            found = self._by_tool[id(entry)] = self._without_idle(entry)
        return found

    def _without_idle(self, entry: Entry) -> "Chains":
        def left(hooks: Hooks) -> Hooks:
            return tuple(each for each in hooks if _concerns(each, entry))

        return Chains(
            left(self.before),
            left(self.approve),
            left(self.guards),
            left(self.around),
            left(self.run_body),
            left(self.after),
            left(self.finished),
            self.changed,
            self.events,
            self.runtimes,
        )


def _concerns(hook: HookEntry, entry: Entry) -> bool:
    if hook.applies is None:
        return True
    try:
        return bool(hook.applies(entry))
    except BaseException:  # noqa: BLE001 - code of a plugin; a policy that can't say stays in
        _log.exception("%s can't tell whether it concerns tool %r", hook.what, entry.name)
        return True


def compile_chains(layers: Sequence[Layer]) -> Chains:
    """The chains of what stands on layers.

    Args:
        layers: the global layer first.
    """
    return Chains(
        _inwards(layers, "pegboard_before_call"),
        _inwards(layers[::-1], "pegboard_approve"),
        _inwards(layers, "guard"),
        _inwards(layers, "pegboard_around_call"),
        _inwards(layers, "pegboard_run_body"),
        _verdicts(layers),
        _inwards(layers, "pegboard_call_finished"),
        _inwards(layers, "pegboard_tools_changed"),
        _inwards(layers, "pegboard_event"),
        _inwards(layers[::-1], "pegboard_code_runtime"),
    )


def _inwards(layers: Iterable[Layer], kind: str) -> Hooks:
    hooks = [hook for layer in layers for hook in layer.hooks(kind)]
    return tuple(sorted(hooks, key=_side))


def _verdicts(layers: Iterable[Layer]) -> Hooks:
    """After hooks from the outside inwards; they are unwound from the inside.

    Neighbours on one layer that don't wrap stand here in reverse, so that each layer keeps its
    own order when the chain is unwound.
    """
    found: list[HookEntry] = []
    for layer in layers:
        for wraps, group in groupby(layer.hooks("pegboard_after_call"), key=_wraps):
            own = list(group)
            found.extend(own if wraps else reversed(own))
    return tuple(sorted(found, key=_side))


def _wraps(hook: HookEntry) -> bool:
    return hook.wraps


def _side(hook: HookEntry) -> int:
    """Below 0 outside all others, above 0 inside them."""
    return hook.rank if hook.rank in (OUTERMOST, INNERMOST, NEAREST) else 0
