"""How many calls have ended on a host, by tool: counted as they end."""

from typing import Any

import attrs

from pegboard.calls import Execution, Timing
from pegboard.outcomes import Outcome
from pegboard.values import JSON

_MOST = 4096
_OTHERS = ""


@attrs.define
class Tally:
    """The ended calls of one tool.

    Attributes:
        total: how many.
        failed: how many of them gave no value.
        seconds: how long they took, together.
        slowest: how long the longest took.
    """

    total: int = 0
    failed: int = 0
    seconds: float = 0.0
    slowest: float = 0.0


class Traffic:
    """Counts the calls of one host; its `count` is a `call_finished` hook.

    Names that no tool has are counted together, as are tools beyond some thousands.
    """

    def __init__(self) -> None:
        self._tallies: dict[str, Tally] = {}

    def count(self, execution: Execution, outcome: Outcome, timing: Timing) -> None:
        """Count a call that has ended."""
        name = _OTHERS if execution.owner is None else execution.tool
        tally = self._tallies.get(name) or self._new(name)
        tally.total += 1
        tally.failed += outcome.is_error
        tally.seconds += timing.total
        tally.slowest = max(tally.slowest, timing.total)

    def _new(self, name: str) -> Tally:
        kept = name if len(self._tallies) < _MOST else _OTHERS
        return self._tallies.setdefault(kept, Tally())

    def read(self) -> dict[str, JSON]:
        """What was counted so far, as JSON."""
        tallies = self._tallies.values()
        by_tool: dict[str, Any] = {
            name: attrs.asdict(each) for name, each in sorted(self._tallies.items())
        }
        return {
            "total": sum(each.total for each in tallies),
            "failed": sum(each.failed for each in tallies),
            "seconds": sum(each.seconds for each in tallies),
            "by_tool": by_tool,
        }
