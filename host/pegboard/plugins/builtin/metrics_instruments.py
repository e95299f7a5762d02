"""The instruments of OpenTelemetry that hosts report to: one set in a process."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeAlias
from weakref import ref

import attrs
from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Histogram, Meter, Observation

from pegboard.plugins.plugin import PluginContext
from pegboard.reports import HostStatus
from pegboard.version import VERSION

Attributes: TypeAlias = dict[str, str]
Figures: TypeAlias = Iterable[tuple[Attributes, int]]
Read: TypeAlias = Callable[[HostStatus], Figures]

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
"""Seconds; a tool may answer at once, or work for minutes."""
_TRIES = 10


@attrs.frozen(eq=False)
class Instruments:
    """What calls are counted and measured with.

    Attributes:
        calls: how many have ended.
        duration: how long they took.
        waited: how long of that they waited.
    """

    calls: metrics.Counter
    duration: Histogram
    waited: Histogram


class Reporting:
    """What reports to the instruments of this process.

    An instrument and its callbacks can't be taken back, and a second one of its name is the first
    one again. So all hosts and loads share them, and what a callback reads comes and goes.
    """

    def __init__(self) -> None:
        self._provider: object = None
        self._instruments: Instruments | None = None
        self._contexts: tuple[ref[PluginContext], ...] = ()

    def instruments(self) -> Instruments:
        """The instruments; before the program has set a provider they only wait for it."""
        provider = metrics.get_meter_provider()
        if self._instruments is None or self._provider is not provider:
            self._provider = provider
            self._instruments = self._made(provider.get_meter("pegboard", VERSION))
        return self._instruments

    @contextmanager
    def observed(self, context: PluginContext) -> Iterator[None]:
        """Have the figures of a plugin's host observed meanwhile."""
        own = ref(context)
        self._contexts = (*self._contexts, own)
        try:
            yield
        finally:
            self._contexts = tuple(each for each in self._contexts if each is not own)

    def _made(self, meter: Meter) -> Instruments:
        for name, unit, description, read in OBSERVED:
            callbacks = [self._observer(read)]
            meter.create_observable_up_down_counter(name, callbacks, unit, description)
        return Instruments(
            meter.create_counter("pegboard.calls", "{call}", "Calls that have ended."),
            _histogram(meter, "pegboard.call.duration", "How long calls took."),
            _histogram(meter, "pegboard.call.waited", "How long of that they waited."),
        )

    def _observer(self, read: Read) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def observe(_: CallbackOptions) -> Iterable[Observation]:
            found: Counter[tuple[tuple[str, str], ...]] = Counter()
            for status in self._statuses():
                for attributes, number in read(status):
                    found[tuple(attributes.items())] += number
            return [Observation(number, dict(each)) for each, number in found.items()]

        return observe

    def _statuses(self) -> Iterable[HostStatus]:
        """How each host is now, though several loads report it; in whatever thread collects."""
        contexts = (each() for each in self._contexts)
        found = [_status_of(each) for each in contexts if each is not None]
        return {each.started: each for each in found}.values()


def _status_of(context: PluginContext) -> HostStatus:
    for _ in range(_TRIES):
        try:
            return context.status()
        except RuntimeError:
            continue  # the loop's thread has changed something meanwhile
    return context.status()


def _histogram(meter: Meter, name: str, description: str) -> Histogram:
    return meter.create_histogram(
        name, "s", description, explicit_bucket_boundaries_advisory=list(_BOUNDS)
    )


def _of(plugin: str | None, **more: str) -> Attributes:
    named = {} if plugin is None else {"pegboard.plugin": plugin}
    return named | {f"pegboard.{key}": each for key, each in more.items()}


def _threads(status: HostStatus) -> Figures:
    for pool in status.pools:
        states = {
            "busy": pool.busy - pool.stuck,
            "idle": pool.threads - pool.busy,
            "stuck": pool.stuck,
        }
        for state, number in states.items():
            yield _of(pool.plugin, thread_state=state), number


OBSERVED: tuple[tuple[str, str, str, Read], ...] = (
    (
        "pegboard.calls.running",
        "{call}",
        "Calls that have no outcome yet.",
        lambda status: [({}, status.running)],
    ),
    (
        "pegboard.calls.parked",
        "{call}",
        "Of those, calls that wait for a plugin that is imported or upgraded.",
        lambda status: [({}, status.parked)],
    ),
    (
        "pegboard.calls.abandoned",
        "{call}",
        "Bodies that have outlived their outcome.",
        lambda status: [({}, status.abandoned)],
    ),
    ("pegboard.pool.threads", "{thread}", "Threads of sync tools.", _threads),
    (
        "pegboard.pool.waiting",
        "{call}",
        "Calls that wait for a thread.",
        lambda status: [(_of(pool.plugin), pool.waiting) for pool in status.pools],
    ),
    (
        "pegboard.pool.limit",
        "{thread}",
        "How many threads there may be.",
        lambda status: [(_of(pool.plugin), pool.most) for pool in status.pools],
    ),
    (
        "pegboard.plugins",
        "{plugin}",
        "Plugins by state.",
        lambda status: [(_of(None, plugin_state=state), many) for state, many in status.plugins],
    ),
    ("pegboard.boards", "{board}", "Open boards.", lambda status: [({}, status.boards)]),
)
"""Names, units, descriptions, and what is read of a host's status."""

REPORTING = Reporting()
"""That of this process: the provider of OpenTelemetry is global, and keeps what it was given."""
