"""Plugins that come with the host and stand on the same hooks as any other."""

from pegboard.plugins.builtin.deadline import Deadline
from pegboard.plugins.builtin.max_running import MaxRunning
from pegboard.plugins.builtin.outputs import Outputs
from pegboard.plugins.builtin.repeats import Repeats

STANDING = {"deadline": Deadline, "max_running": MaxRunning}
"""Those that stand on every host for its life."""

ON_REQUEST = {"outputs": Outputs, "repeats": Repeats}
"""Those that are loaded like any other where the configuration has a table for them."""

__all__ = ["ON_REQUEST", "STANDING"]
