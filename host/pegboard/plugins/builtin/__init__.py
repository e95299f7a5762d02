"""Plugins that come with the host and stand on the same hooks as any other."""

from collections.abc import Callable
from functools import partial

from pegboard.errors import PluginLoadError
from pegboard.plugins.builtin.deadline import Deadline
from pegboard.plugins.builtin.max_running import MaxRunning

Make = Callable[[], object]


def _limits() -> Make:
    from pegboard.plugins.builtin.limits import Limits  # late: few hosts ask for it
    from pegboard.plugins.builtin.limits_ruling import Ruling

    return partial(Limits, Ruling())


def _metrics() -> object:
    try:
        from pegboard.plugins.builtin.metrics import Metrics  # late, as above
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("opentelemetry"):
            raise
        raise PluginLoadError(
            "plugin 'metrics' needs the package opentelemetry-api, which isn't installed: "
            "pip install 'pegboard[otel]'"
        ) from error
    return Metrics()


def _outputs() -> object:
    from pegboard.plugins.builtin.outputs import Outputs  # late, as above

    return Outputs()


def _repeats() -> Make:
    from pegboard.plugins.builtin.repeats import Repeats, Rows  # late, as above

    return partial(Repeats, Rows())


STANDING = {"deadline": Deadline, "max_running": MaxRunning}
"""Those that stand on every host for its life."""

ON_REQUEST: dict[str, Callable[[], Make]] = {
    "limits": _limits,
    "metrics": lambda: _metrics,
    "outputs": lambda: _outputs,
    "repeats": _repeats,
}
"""Those that are loaded like any other where the configuration has a table for them.

Each gives, for one place where it is loaded, what makes a new load of it there.
"""

__all__ = ["ON_REQUEST", "STANDING"]
