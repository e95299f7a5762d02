"""Boards agree with their one-line definition, whatever happens to them in whatever order."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from board_machine import BoardMachine
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from pegboard import PegboardError
from pegboard.plugins.pluginboard import PluginBoard
from pegboard.registry import layer, masks, overrides
from pegboard.registry.layer import Layer
from pegboard.registry.masks import Restriction
from pegboard.registry.scope import Scope
from pegboard.registry.view import View

QUIET = tuple(HealthCheck)

Seeded = Callable[[], AbstractContextManager[object]]


def test_every_sequence_of_changes_leaves_what_the_definition_says() -> None:
    run_state_machine_as_test(
        BoardMachine,
        settings=settings(
            max_examples=500, stateful_step_count=50, deadline=None, suppress_health_check=QUIET
        ),
    )


def allow_wins() -> AbstractContextManager[object]:
    def admits(self: Restriction, entry: object) -> bool:
        if self.allow is not None:
            return masks._first_match(self.allow, entry) is not None
        return masks._first_match(self.deny, entry) is None

    return patch.object(Restriction, "admits", admits)


def masks_reach_own_tools() -> AbstractContextManager[object]:
    real = Scope._build

    def build(self: Scope, parent: View) -> View:
        built = real(self, parent)
        kept = {name: each for name, each in built.entries.items() if self.admits(each)}
        return built if self.parent is None else View(kept)

    return patch.object(Scope, "_build", build)


def children_escape_their_parents_masks() -> AbstractContextManager[object]:
    real = Scope.admits

    def admits(self: Scope, entry: object) -> bool:
        is_nearest = self.parent is not None and self.parent.parent is None
        return is_nearest or real(self, entry)

    return patch.object(Scope, "admits", admits)


def a_farther_tool_stays_hidden() -> AbstractContextManager[object]:
    def take(self: Layer, entries: object = (), hooks: object = ()) -> None:
        for entry in entries:
            self._entries.pop(entry.name, None)

    return patch.object(Layer, "take", take)


def case_tells_names_apart() -> AbstractContextManager[object]:
    return patch.object(layer, "folded", str)


def patterns_ignore_case() -> AbstractContextManager[object]:
    compiled = partial(re.compile, flags=re.IGNORECASE)
    return patch.object(masks, "re", SimpleNamespace(compile=compiled))


def patterns_are_not_anchored() -> AbstractContextManager[object]:
    real = masks.translate
    return patch.object(masks, "translate", lambda each: real(f"*{each}*"))


def lifting_is_not_noticed() -> AbstractContextManager[object]:
    real = Scope.changed

    def changed(self: Scope) -> None:
        if self.restrictions:
            real(self)

    return patch.object(Scope, "changed", changed)


def the_hosts_deny_spares_own_tools() -> AbstractContextManager[object]:
    def without(self: Scope, root: Scope, view: View) -> View:
        own = self.layer.entries
        kept = {
            name: each
            for name, each in view.entries.items()
            if name in own or all(mask.admits(each) for mask in root.restrictions)
        }
        return View(kept)

    return patch.object(Scope, "_without_switched_off", without)


def the_order_of_loading_shows() -> AbstractContextManager[object]:
    def entries(self: Layer) -> object:
        return self._entries

    return patch.object(Layer, "entries", property(entries))


def a_grant_lifts_the_hosts_deny() -> AbstractContextManager[object]:
    real = Scope._without_switched_off

    def without(self: Scope, root: Scope, view: View) -> View:
        return view if self.grants else real(self, root, view)

    return patch.object(Scope, "_without_switched_off", without)


def revisions_stand_still() -> AbstractContextManager[object]:
    return patch.object(View, "digest", lambda self: b"")


def what_plugins_put_on_a_board_escapes_its_masks() -> AbstractContextManager[object]:
    real = overrides.tool_entry

    def entry(*given: Any, masked_by: int, **named: Any) -> object:
        return real(*given, masked_by=0, **named)

    return patch("pegboard.plugins.pluginboard.tool_entry", entry)


def unloading_leaves_what_boards_have() -> AbstractContextManager[object]:
    return patch.object(PluginBoard, "withdraw", lambda self: None)


def what_plugins_put_on_a_board_escapes_its_parents_masks() -> AbstractContextManager[object]:
    real = overrides.tool_entry

    def entry(*given: Any, masked_by: int, **named: Any) -> object:
        return real(*given, masked_by=min(masked_by, 1), **named)

    return patch("pegboard.plugins.pluginboard.tool_entry", entry)


def a_change_above_is_taken_for_none() -> AbstractContextManager[object]:
    real = View.names_since

    def names_since(self: View, number: int) -> object:
        names = real(self, number)
        return names and frozenset(sorted(names)[1:])

    return patch.object(View, "names_since", names_since)


def only_the_last_of_two_changes_counts() -> AbstractContextManager[object]:
    real = View.names_since

    def names_since(self: View, number: int) -> object:
        return real(self, number) if self.step is None else self.step.names

    return patch.object(View, "names_since", names_since)


SEEDED: tuple[Seeded, ...] = (
    allow_wins,
    masks_reach_own_tools,
    children_escape_their_parents_masks,
    a_farther_tool_stays_hidden,
    case_tells_names_apart,
    patterns_ignore_case,
    patterns_are_not_anchored,
    lifting_is_not_noticed,
    the_hosts_deny_spares_own_tools,
    the_order_of_loading_shows,
    a_grant_lifts_the_hosts_deny,
    revisions_stand_still,
    what_plugins_put_on_a_board_escapes_its_masks,
    unloading_leaves_what_boards_have,
    what_plugins_put_on_a_board_escapes_its_parents_masks,
    a_change_above_is_taken_for_none,
    only_the_last_of_two_changes_counts,
)


@pytest.mark.parametrize("seeded", SEEDED, ids=lambda each: each.__name__)
def test_a_seeded_fault_is_found(seeded: Seeded) -> None:
    few = settings(
        max_examples=500,
        stateful_step_count=50,
        deadline=None,
        suppress_health_check=QUIET,
        phases=(Phase.generate,),
        database=None,
    )

    with seeded(), pytest.raises((AssertionError, BaseExceptionGroup, PegboardError)):
        run_state_machine_as_test(BoardMachine, settings=few)
