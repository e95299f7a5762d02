"""What a board sees, by its one-line definition; slow, plain, and nothing but that."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

import attrs


@attrs.frozen
class Standing:
    """A tool on a layer: who brought it (empty for the program) and what it gives."""

    name: str
    plugin: str
    mark: int
    is_inherited: bool = False


@attrs.define(eq=False)
class Place:
    """The global layer or a board."""

    name: str
    parent: "Place | None" = None
    tools: list[Standing] = attrs.field(factory=list)
    masks: list[tuple[list[str] | None, list[str]]] = attrs.field(factory=list)
    grants: list[list[str]] = attrs.field(factory=list)


def view(place: Place, switched_off: Iterable[list[str]] = ()) -> list[Standing]:
    """`mask(restrictions, view(parent)) + own`, less what the host itself denies."""
    seen = _view(place)
    return [each for each in seen if not any(_any(mask, each) for mask in switched_off)]


def _view(place: Place) -> list[Standing]:
    if place.parent is None:
        return _ordered(place.tools)
    put_by_plugins = [each for each in place.tools if each.is_inherited]
    own = [each for each in place.tools if not each.is_inherited]
    inherited = _over(_view(place.parent), _ordered(put_by_plugins))
    return _over([each for each in inherited if _admits(place, each)], _ordered(own))


def _over(farther: list[Standing], nearer: list[Standing]) -> list[Standing]:
    names = {each.name.lower() for each in nearer}
    return [each for each in farther if each.name.lower() not in names] + nearer


def _admits(place: Place, tool: Standing) -> bool:
    masks = [
        not _any(deny, tool) and (allow is None or _any(allow, tool)) for allow, deny in place.masks
    ]
    return all(masks) or any(_any(grant, tool) for grant in place.grants)


def _any(patterns: Iterable[str], tool: Standing) -> bool:
    return any(fnmatchcase(tool.name, pattern) for pattern in patterns)


def _ordered(tools: list[Standing]) -> list[Standing]:
    return sorted(tools, key=lambda each: (each.plugin != "", each.plugin))
