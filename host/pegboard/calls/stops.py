"""Why no call begins on a host now, if none does."""

import attrs

from pegboard.calls.flight import Flight, enclosing
from pegboard.outcomes import Code, Failure


@attrs.frozen
class Stops:
    """What stands in the way of calls.

    Attributes:
        missing: what no call may run without, and isn't there; None if it is.
        ending: why calls end that aren't inside one that runs already; None if they don't.
    """

    missing: str | None = None
    ending: str | None = None

    def refused(self, flight: Flight) -> Failure | None:
        """The failure of a call that may not run, or None."""
        if self.missing is not None:
            return flight.failed(Code.POLICY_FAILED, self.missing)
        is_inside = flight.request.parent is not None or bool(enclosing())
        if self.ending is None or is_inside:
            return None
        return flight.failed(Code.ABORTED_BEFORE_START, self.ending)


def missing(stops: Stops | None, why: str | None) -> Stops | None:
    """The same with something missing, or with nothing; None where nothing is in the way."""
    return _if_any(Stops(why, None if stops is None else stops.ending))


def ending(stops: Stops | None, why: str | None) -> Stops | None:
    """The same with the host's ending, or without; None where nothing is in the way."""
    return _if_any(Stops(None if stops is None else stops.missing, why))


def _if_any(stops: Stops) -> Stops | None:
    return None if stops == Stops() else stops
