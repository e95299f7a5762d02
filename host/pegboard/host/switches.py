"""The switch for an emergency: what is hidden on every board, own tools included."""

from pegboard.board import Engine
from pegboard.config import Config, Place
from pegboard.registry import Registration, Restriction, check_restriction, exact_names
from pegboard.selection import Selector

_CONFIGURED = "the configuration"


def switch_off(
    engine: Engine, deny: tuple[Selector, ...], origin: str, place: Place | None = None
) -> Registration:
    """Hide tools on every board.

    Args:
        engine: the host's parts.
        deny: which.
        origin: who says so, for people.
        place: where it is said.
    """
    check_restriction(None, deny)
    engine.registry.check_unreserved(exact_names(deny))
    mask = Restriction(None, deny, origin, _places(deny, place))
    return engine.restrict(engine.registry.root, mask)


def _places(deny: tuple[Selector, ...], place: Place | None) -> tuple[tuple[str, Place], ...]:
    return tuple((f"deny:{each}", place) for each in deny) if place is not None else ()


def switch_off_configured(engine: Engine, config: Config) -> Registration | None:
    """Hide what a configuration hides on every board, if it hides anything."""
    if not config.deny:
        return None
    return switch_off(engine, config.deny, _CONFIGURED, config.place("deny"))


def place_configured(engine: Engine, config: Config) -> None:
    """Say where that stands now, if it has only moved."""
    for mask in engine.registry.root.restrictions:
        if mask.origin == _CONFIGURED and mask.deny == config.deny:
            mask.places = _places(config.deny, config.place("deny"))
