"""Leaving out tools that stand by themselves and can't stand on their layer."""

from collections.abc import Container

import attrs

from pegboard.errors import PegboardError
from pegboard.names import folded
from pegboard.registry.entry import Entry
from pegboard.registry.layer import Layer
from pegboard.registry.registry import Contributions, Registry
from pegboard.registry.scope import Scope
from pegboard.reports import RefusedTool

_NOTHING: frozenset[str] = frozenset()


def sifted(
    registry: Registry, scope: Scope, given: Contributions, *, own: Container[str] = _NOTHING
) -> Contributions:
    """The same without the tools that stand by themselves and whose names are taken.

    Args:
        registry: the layers.
        scope: where they will stand.
        given: what will stand there.
        own: folded names that are free, though they are taken.
    """
    if not any(each.is_alone for each in given.entries):
        return given
    together = [each for each in given.entries if not each.is_alone]
    refused: list[RefusedTool] = []
    for entry in given.entries:
        if entry.is_alone:
            why = _objection(registry, scope, entry, together, own=own)
            if why is None:
                together.append(entry)
            else:
                refused.append(RefusedTool(entry.name, entry.plugin, why, is_taken=True))
    if not refused:
        return given
    kept = tuple(each for each in given.entries if each in together)
    return attrs.evolve(given, entries=kept, refused=(*given.refused, *refused))


def _objection(
    registry: Registry, scope: Scope, entry: Entry, together: list[Entry], *, own: Container[str]
) -> str | None:
    name = folded(entry.name)
    others = [each for each in together if folded(each.name) == name]
    try:
        Layer(scope.layer.name).check([*others, entry])
        if name not in own:
            registry.check(scope, Contributions((entry,)))
    except PegboardError as error:
        return str(error)
    return None
