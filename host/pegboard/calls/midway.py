"""A call that is halfway: it has its tool, and it may have been cancelled."""

from pegboard.calls.flight import Flight
from pegboard.calls.messages import unknown_tool
from pegboard.errors import PegboardError
from pegboard.names import RUN_CODE
from pegboard.outcomes import Outcome, Success
from pegboard.programs import RUNTIME_WANTED
from pegboard.registry import Entry


def pinned(flight: Flight) -> Entry:
    """The tool of a call that has one."""
    if flight.entry is None:
        raise PegboardError(f"call {flight.call.id!r} has no tool to run")
    return flight.entry


def not_found(flight: Flight) -> str:
    """The message for a call of a tool that it can't reach, with the way in where there is one."""
    name, scope = flight.call.name, flight.scope
    shown = scope.reached() if flight.depth else scope.shown()
    plain = unknown_tool(name, list(shown.entries))
    if scope.presentation is None:
        how = f"board {scope.name!r} has presentation {scope.presented_as!r}"
        return f"{plain}; {how}" if name == RUN_CODE else plain
    if scope.offered is None:
        lack = f"nothing runs programs on board {scope.name!r}; {RUNTIME_WANTED}"
        is_wanted = name == RUN_CODE or not scope.presentation.shows_each
        return f"{plain}; {lack}" if is_wanted else plain
    if scope.presentation.shows_each or flight.depth or scope.run_code is None:
        return plain
    if name in scope.view().entries:
        way = f"programs call it: write one, and call {RUN_CODE!r}"
    else:
        way = f"{RUN_CODE!r} is the one tool to call, and its programs call all others"
    return f"unknown tool {name[:80]!r}; {way}"


def stopped(flight: Flight, outcome: Outcome) -> Outcome:
    """What cancelling makes of an outcome: it replaces only a success."""
    return flight.aborted() if isinstance(outcome, Success) else outcome
