"""What a board sees, by its one-line definition; slow, plain, and nothing but that."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

import attrs


@attrs.define(eq=False)
class Place:
    """The global layer or a board."""

    name: str
    parent: "Place | None" = None
    tools: list["Standing"] = attrs.field(factory=list)
    masks: list[tuple[list[str] | None, list[str]]] = attrs.field(factory=list)
    grants: list[list[str]] = attrs.field(factory=list)


@attrs.frozen
class Standing:
    """A tool on a layer: who brought it, what it gives, and the home of who put it on boards."""

    name: str
    plugin: str
    mark: int
    home: Place | None = None


def view(place: Place, switched_off: Iterable[list[str]] = ()) -> list[Standing]:
    """The parent's view through the masks, and own tools, less what the host itself denies."""
    return [each for each in _view(place) if not any(_any(mask, each) for mask in switched_off)]


def _view(place: Place) -> list[Standing]:
    standing = sorted(place.tools, key=lambda each: each.plugin)
    if place.parent is None:
        return standing
    own = [each for each in standing if each.home in (None, place)]
    inherited = _over(_view(place.parent), [each for each in standing if each not in own])
    return _over([each for each in inherited if _is_left(place, each)], own)


def _over(farther: list[Standing], nearer: list[Standing]) -> list[Standing]:
    names = {each.name.lower() for each in nearer}
    return [each for each in farther if each.name.lower() not in names] + nearer


def _is_left(place: Place | None, tool: Standing) -> bool:
    if place is None or place is tool.home:
        return True
    masks = [not _any(no, tool) and (yes is None or _any(yes, tool)) for yes, no in place.masks]
    is_admitted = all(masks) or any(_any(grant, tool) for grant in place.grants)
    return is_admitted and (tool not in place.tools or _is_left(place.parent, tool))


def _any(patterns: Iterable[str], tool: Standing) -> bool:
    return any(fnmatchcase(tool.name, pattern) for pattern in patterns)
