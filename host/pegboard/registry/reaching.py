"""Which names the masks of a scope can reach."""

from collections.abc import Iterable

from pegboard.errors import RestrictionError, UnknownNameError
from pegboard.registry.scope import Scope


def check_reached(scope: Scope, names: Iterable[str]) -> None:
    """Refuse exact names that masks of a scope can't reach.

    Raises:
        RestrictionError: a tool that only the board itself owns.
        UnknownNameError: a name that isn't there; lists near names.
    """
    outwards = scope.ancestry[::-1]
    for name in names:
        standing = [(each, each.layer.entries.get(name)) for each in outwards]
        found = [(each, entry) for each, entry in standing if entry is not None]
        if any(each is not scope or entry.masked_by for each, entry in found):
            continue
        if found:
            raise RestrictionError(
                f"tool {name!r} belongs to the board itself, and a restriction reaches "
                "inherited tools only; close its registration instead"
            )
        known = {one for each in outwards for one in each.layer.entries}
        raise UnknownNameError("tool", name, known)
