"""The built-in plugin that measures calls and the host with OpenTelemetry."""

from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from pegboard.calls import Execution, Timing
from pegboard.hooks import hookimpl
from pegboard.outcomes import Failure, Outcome
from pegboard.plugins.builtin.metrics_instruments import REPORTING, Attributes, Instruments
from pegboard.plugins.plugin import PluginContext

OTHER = "_OTHER"
"""What OpenTelemetry calls a value that is none of those that are known."""
_MOST = 2_000


@attrs.frozen
class MetricsSettings:
    """The settings of the plugin.

    Attributes:
        boards: whether calls are told apart by the names of their boards too.
    """

    boards: bool = False


class Metrics:
    """Counts and measures every call by its tool, plugin and code.

    Names that a model has made up are one, and so are names beyond the first 2,000.
    """

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {"tool": set(), "board": set()}

    @hookimpl
    def pegboard_settings(self) -> type:
        """The class of its settings."""
        return MetricsSettings

    @hookimpl
    @contextmanager
    def pegboard_lifespan(self, plugin: PluginContext) -> Iterator[Instruments]:
        """Have the host observed."""
        with REPORTING.observed(plugin):
            yield REPORTING.instruments()

    @hookimpl
    def pegboard_call_finished(
        self, execution: Execution, outcome: Outcome, timing: Timing, plugin: PluginContext
    ) -> None:
        """Measure a call that has ended."""
        instruments: Instruments = plugin.resource
        attributes = self._attributes(execution, outcome)
        if plugin.settings.boards:
            attributes["pegboard.board"] = self._known("board", execution.board)
        instruments.calls.add(1, attributes)
        instruments.duration.record(timing.total, attributes)
        instruments.waited.record(timing.waited, attributes)

    def _attributes(self, execution: Execution, outcome: Outcome) -> Attributes:
        owner = execution.owner
        tool = OTHER if owner is None else self._known("tool", execution.tool)
        found = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        if owner is not None and owner.plugin is not None:
            found["pegboard.plugin"] = owner.plugin
        if isinstance(outcome, Failure):
            found["error.type"] = str(outcome.code)
        return found

    def _known(self, kind: str, name: str) -> str:
        """A name that may be an attribute: the collector keeps a series for each as it runs."""
        names = self._names[kind]
        if name not in names:
            if len(names) >= _MOST:
                return OTHER
            names.add(name)
        return name
