"""What a host has told of itself, and how fast that changes."""

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import attrs


@attrs.frozen
class Rate:
    """How much happened in a second, since the look before.

    Attributes:
        calls: calls that ended.
        failed: of those, that failed.
        tools: calls that ended, by tool.
    """

    calls: float
    failed: float
    tools: dict[str, float]


@attrs.frozen
class Look:
    """What one look at a host has shown.

    Attributes:
        at: when.
        status: the host in figures; None if it didn't answer.
        running: the calls that run.
        plugins: the plugins and their state.
        rate: how fast it goes; None at first, and after a restart.
        error: why it didn't answer.
    """

    at: datetime
    status: dict[str, Any] | None = None
    running: list[dict[str, Any]] = attrs.field(factory=list)
    plugins: list[dict[str, Any]] = attrs.field(factory=list)
    rate: Rate | None = None
    error: str | None = None


@attrs.define
class Rates:
    """Compares what a host tells with what it told before."""

    _host: tuple[Any, Any] | None = None
    _calls: Mapping[str, Any] = attrs.field(factory=dict)
    _at: float = 0.0

    def since_last(self, status: Mapping[str, Any]) -> Rate | None:
        """How fast it goes; None where there is nothing to compare with."""
        host, calls, now = (status["pid"], status["started"]), status["calls"], time.monotonic()
        rate = None
        if host == self._host and now > self._at:
            rate = _rate(self._calls, calls, now - self._at)
        self._host, self._calls, self._at = host, calls, now
        return rate


def _rate(before: Mapping[str, Any], now: Mapping[str, Any], seconds: float) -> Rate:
    old = {name: each["total"] for name, each in before["by_tool"].items()}
    more = {name: each["total"] - old.get(name, 0) for name, each in now["by_tool"].items()}
    return Rate(
        (now["total"] - before["total"]) / seconds,
        (now["failed"] - before["failed"]) / seconds,
        {name: count / seconds for name, count in more.items() if count},
    )
