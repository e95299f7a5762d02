"""What is recorded: calls, events and approvals as rows of their tables."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol, TypeAlias

import attrs
from pegboard import (
    JSON,
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalRequest,
    Code,
    Execution,
    Failure,
    OperatorActed,
    Outcome,
    Owner,
    Timing,
)
from pegboard.records import to_json

from pegboard_audit.schema import Value

Row: TypeAlias = tuple[str, tuple[Value, ...]]
HIDDEN = "…"
SUCCESS = "success"
_LONGEST = 16_384
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_NOBODY = Owner()


@attrs.frozen
class Sizes:
    """How much is kept of one call.

    Attributes:
        arguments: bytes of arguments as JSON.
        outcome: bytes of an outcome as JSON.
    """

    arguments: int
    outcome: int


class Recorded(Protocol):
    """Something that happened and is to be written."""

    def rows(self, sizes: Sizes) -> Iterator[Row]:
        """Its rows, each with the name of its table."""


@attrs.define(eq=False)  # one is made in every call, on the loop
class FinishedCall:
    """A call that has ended.

    Attributes:
        ended: when, in seconds of `time.time`.
    """

    execution: Execution
    outcome: Outcome
    timing: Timing
    ended: float

    def rows(self, sizes: Sizes) -> Iterator[Row]:
        """One row of `calls`."""
        execution, outcome, timing = self.execution, self.outcome, self.timing
        owner = execution.owner or _NOBODY
        arguments = written(arguments_of(execution, outcome))
        failure = outcome if isinstance(outcome, Failure) else None
        kept = written(to_json(outcome)) if sizes.outcome else None
        yield (
            "calls",
            (
                sound(execution.call_id),
                sound(execution.root_call_id),
                maybe_sound(execution.parent_call_id),
                execution.board,
                sound(execution.tool),
                execution.raw_tool,
                owner.plugin,
                owner.distribution,
                owner.version,
                owner.generation,
                _within(arguments, sizes.arguments),
                _size(arguments),
                written(execution.labels),
                stamp(self.ended - timing.total),
                timing.total,
                timing.waited,
                timing.body,
                SUCCESS if failure is None else str(failure.code),
                None if failure is None else sound(failure.message[:_LONGEST]),
                written(list(outcome.notes)),
                None if kept is None else _within(kept, sizes.outcome),
                None if kept is None else _size(kept),
            ),
        )


@attrs.frozen(eq=False)
class Happened:
    """An event, as `pegboard_event` is told of it.

    Attributes:
        at: when, in seconds of `time.time`.
    """

    event: object
    at: float

    def rows(self, sizes: Sizes) -> Iterator[Row]:
        """One row of `events`, and one of `approvals` for an answer."""
        at, event = stamp(self.at), self.event
        request = event.request if isinstance(event, (ApprovalAsked, ApprovalAnswered)) else None
        details = _details(event) if request is None else _asked(request, sizes)
        board, plugin = _about(event) if request is None else (request.board, request.owner.plugin)
        if isinstance(event, ApprovalAnswered):
            details |= {"answer": event.answer, "by": _plain(event.by)}
            yield "approvals", _answered(at, event)
        call_id = None if request is None else sound(request.call_id)
        kind = type(event).__name__
        yield (
            "events",
            (at, kind, board, plugin, call_id, written(details)),
        )


def _about(event: object) -> tuple[str | None, str | None]:
    """The board and the plugin that an event speaks of."""
    if isinstance(event, OperatorActed):
        named = (event.details.get(key) for key in ("board", "name"))
        board, plugin = (sound(each) if isinstance(each, str) else None for each in named)
        return board, plugin
    return getattr(event, "board", None), getattr(event, "name", None)


def arguments_of(execution: Execution, outcome: Outcome) -> dict[str, JSON]:
    """The arguments with everything hidden that is secret, or may be.

    Of a call whose tool isn't known, or whose arguments don't fit a tool with secret ones, only
    the names show: a secret may stand under any of them.
    """
    arguments: dict[str, JSON] = execution.masked_arguments
    is_misfit = isinstance(outcome, Failure) and outcome.code is Code.INVALID_ARGUMENTS
    if execution.owner is None or (is_misfit and execution.secret_arguments):
        return dict.fromkeys(arguments, HIDDEN)
    return arguments


def _asked(request: ApprovalRequest, sizes: Sizes) -> dict[str, JSON]:
    asked = request.to_json()
    size = _size(written(asked["arguments"]))
    if size > sizes.arguments:
        asked |= {"arguments": None, "arguments_bytes": size}
    return asked


def _answered(at: str, event: ApprovalAnswered) -> tuple[Value, ...]:
    request, by = event.request, event.by or _NOBODY
    owner = request.owner
    return (
        at,
        request.digest,
        sound(event.answer),
        by.plugin,
        by.distribution,
        by.version,
        request.board,
        sound(request.tool),
        owner.plugin,
        owner.distribution,
        owner.version,
        sound(request.call_id),
        sound(request.reason),
    )


def _details(event: object) -> dict[str, JSON]:
    plain = _plain(event)
    return plain if isinstance(plain, dict) else {}


def _plain(value: Any) -> JSON:
    """A part of an event as JSON; of what isn't plain, its kind only."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, (tuple, list, frozenset)):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if attrs.has(type(value)):
        return {
            each.alias: _plain(getattr(value, each.name))
            for each in attrs.fields(type(value))
            if not each.name.startswith("_")
        }
    return type(value).__name__


def written(value: JSON) -> str:
    """JSON text that SQLite takes."""
    return sound(_ENCODER.encode(value))


def sound(text: str) -> str:
    """A text without lone surrogates, which SQLite has no place for."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def maybe_sound(text: str | None) -> str | None:
    """The same, where there may be none."""
    return None if text is None else sound(text)


def stamp(seconds: float) -> str:
    """A moment in UTC, as text that sorts by time."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _within(text: str, most: int) -> str | None:
    return text if _size(text) <= most else None
