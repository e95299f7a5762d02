"""What has become of the calls of a host that is about to end."""

from collections.abc import Iterable
from math import inf

import attrs

from pegboard.calls import Flight
from pegboard.errors import WrongArgumentError
from pegboard.reports import DrainReport, RunningCall


@attrs.define(eq=False)
class Draining:
    """The end of one host, however many ask for it.

    Attributes:
        until: when calls are cancelled that still run, in seconds of the loop's clock.
    """

    until: float
    _cut_off: dict[Flight, RunningCall] = attrs.field(factory=dict)

    def hasten(self, until: float) -> None:
        """Have calls cancelled at a time, where that is earlier than it was."""
        self.until = min(self.until, until)

    def note(self, late: Iterable[Flight], shown: Iterable[RunningCall]) -> None:
        """Note the calls that are cancelled now, as they are."""
        for flight, each in zip(late, shown, strict=True):
            self._cut_off.setdefault(flight, each)

    def report(
        self, begun: Iterable[Flight], late: Iterable[Flight], left: tuple[RunningCall, ...]
    ) -> DrainReport:
        """What has become of some calls, for one who asked.

        Args:
            begun: those that ran when it was asked for.
            late: those that ran when their time was over.
            left: what still runs.
        """
        concerned = dict.fromkeys((*begun, *late))
        cut_off = tuple(self._cut_off[each] for each in concerned if each in self._cut_off)
        return DrainReport(len(concerned) - len(cut_off), cut_off, left)


def check_grace(grace: float) -> float:
    """Give a number of seconds back that somebody has given.

    Raises:
        WrongArgumentError: it is none.
    """
    if type(grace) not in (int, float) or not 0 <= grace < inf:
        raise WrongArgumentError(f"grace takes seconds from 0 on, not {grace!r}")
    return grace
