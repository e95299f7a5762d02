"""The switch for an emergency: what is hidden on every board, own tools included."""

from pegboard.board import Engine
from pegboard.config import Config, Place
from pegboard.registry import Registration, Restriction, check_restriction, exact_names
from pegboard.selection import Selector


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
    places = tuple((f"deny:{each}", place) for each in deny) if place is not None else ()
    return engine.restrict(engine.registry.root, Restriction(None, deny, origin, places))


def switch_off_configured(engine: Engine, config: Config) -> Registration | None:
    """Hide what a configuration hides on every board, if it hides anything."""
    if not config.deny:
        return None
    return switch_off(engine, config.deny, "the configuration", config.place("deny"))
