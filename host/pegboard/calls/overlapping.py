"""Whether a call may overlap its neighbours in a batch."""

import inspect
import logging
from collections.abc import Callable
from typing import Any

from pegboard.calls.flight import Flight
from pegboard.registry import Entry
from pegboard.values import Snapshot

Overlap = bool | str
_log = logging.getLogger("pegboard.calls")


def overlap(entry: Entry, arguments: Snapshot) -> Overlap:
    """How calls of a tool with these arguments may overlap others.

    Returns:
        True, a key that calls share which don't overlap each other, or False: exclusive.
    """
    said = entry.tool.concurrency_safe
    if said is None:
        annotations = entry.tool.annotations
        return annotations is not None and annotations.read_only is True
    return said is True if isinstance(said, bool) else _answer(entry, said, arguments)


def overlaps_still(flight: Flight, entry: Entry, before: Overlap) -> bool:
    """Whether a call may overlap others as before, whatever has become of its tool meanwhile."""
    standing = flight.scope.find(flight.call.name)
    if overlap(entry, flight.arguments) != before:
        return False
    return standing is entry or standing is None or overlap(standing, flight.arguments) == before


def _answer(entry: Entry, asked: Callable[[Any], object], arguments: Snapshot) -> Overlap:
    try:
        answer = asked(arguments.read())
    except BaseException:  # noqa: BLE001 - code of a plugin; a tool that can't say is exclusive
        _log.exception("concurrency_safe of tool %r raised; the call runs alone", entry.name)
        return False
    if isinstance(answer, str):
        return str.__str__(answer)
    if inspect.iscoroutine(answer):
        answer.close()
    return answer is True
