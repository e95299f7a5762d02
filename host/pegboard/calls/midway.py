"""A call that is halfway: it has its tool, and it may have been cancelled."""

from pegboard.calls.flight import Flight
from pegboard.errors import PegboardError
from pegboard.outcomes import Outcome, Success
from pegboard.registry import Entry


def pinned(flight: Flight) -> Entry:
    """The tool of a call that has one."""
    if flight.entry is None:
        raise PegboardError(f"call {flight.call.id!r} has no tool to run")
    return flight.entry


def stopped(flight: Flight, outcome: Outcome) -> Outcome:
    """What cancelling makes of an outcome: it replaces only a success."""
    return flight.aborted() if isinstance(outcome, Success) else outcome
