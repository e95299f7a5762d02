"""How a host is, in figures."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

import attrs

from pegboard.calls import Flights, Pipeline
from pegboard.plugins.states import States
from pegboard.reports import HostStatus


@attrs.define(eq=False)
class Condition:
    """Knows how one host is.

    Attributes:
        boards: the open boards by name.
        started: when it was opened, in UTC; None while it isn't open.
    """

    pipeline: Pipeline
    flights: Flights
    states: States
    boards: Mapping[str, object] = attrs.field(factory=dict)
    started: datetime | None = None

    @property
    def is_ready(self) -> bool:
        """Whether it takes calls."""
        return self.started is not None and self.pipeline.stops is None

    def status(self) -> HostStatus:
        """How it is now."""
        stops, stages = self.pipeline.stops, Counter(self.flights.stages())
        abandoned, parked = stages["abandoned"], stages["parked"]
        states = Counter(each.state for each in self.states.known.values())
        return HostStatus(
            started=self.started,
            is_ready=self.is_ready,
            is_draining=stops is not None and stops.ending is not None,
            boards=len(self.boards),
            running=stages.total() - abandoned,
            parked=parked,
            abandoned=abandoned,
            plugins=tuple(sorted(states.items())),
            pools=self.pipeline.pools(),
        )
