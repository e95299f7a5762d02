"""Plugins that come with the host and stand on the same hooks as any other."""

from pegboard.plugins.builtin.deadline import Deadline
from pegboard.plugins.builtin.max_running import MaxRunning


def _outputs() -> object:
    from pegboard.plugins.builtin.outputs import Outputs  # late: few hosts ask for it

    return Outputs()


def _repeats() -> object:
    from pegboard.plugins.builtin.repeats import Repeats  # late, as above

    return Repeats()


STANDING = {"deadline": Deadline, "max_running": MaxRunning}
"""Those that stand on every host for its life."""

ON_REQUEST = {"outputs": _outputs, "repeats": _repeats}
"""Those that are loaded like any other where the configuration has a table for them."""

__all__ = ["ON_REQUEST", "STANDING"]
