"""Layers, restrictions, views, and why a name is or isn't there."""

from pegboard.registry.chains import Chains
from pegboard.registry.deferral import Deferral
from pegboard.registry.differences import differences
from pegboard.registry.entry import (
    Entry,
    HookEntry,
    guard_entry,
    hook_entries,
    hook_entry,
    runtime_entry,
)
from pegboard.registry.explain import Explanation, Reason, explain
from pegboard.registry.generation import PROGRAM, Generation, Owner
from pegboard.registry.mapping import NameTable
from pegboard.registry.masks import Restriction, Selectors, check_restriction, exact_names
from pegboard.registry.overrides import laid_over, tool_entry
from pegboard.registry.pins import Pinned, Pins, digest_of
from pegboard.registry.presentation import Presentation
from pegboard.registry.reaching import check_reached
from pegboard.registry.registration import Owned, Registration
from pegboard.registry.registry import Contributions, Registry, Reservation
from pegboard.registry.scope import Scope
from pegboard.registry.sifting import sifted
from pegboard.registry.view import View
from pegboard.registry.visible import VisibleTools

__all__ = [
    "PROGRAM",
    "Chains",
    "Contributions",
    "Deferral",
    "Entry",
    "Explanation",
    "Generation",
    "HookEntry",
    "NameTable",
    "Owned",
    "Owner",
    "Pinned",
    "Pins",
    "Presentation",
    "Reason",
    "Registration",
    "Registry",
    "Reservation",
    "Restriction",
    "Scope",
    "Selectors",
    "View",
    "VisibleTools",
    "check_reached",
    "check_restriction",
    "differences",
    "digest_of",
    "exact_names",
    "explain",
    "guard_entry",
    "hook_entries",
    "hook_entry",
    "laid_over",
    "runtime_entry",
    "sifted",
    "tool_entry",
]
