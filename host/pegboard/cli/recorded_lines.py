"""One line for a recorded call or event; its JSON too."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import attrs

from pegboard.cli.durations import lasting
from pegboard.cli.mistakes import UsageError
from pegboard.cli.streams import legible
from pegboard.records import to_json
from pegboard.values import JSON

_AGO = re.compile(r"(\d{1,9})([smhdw])")
_NOTHING: tuple[Any, ...] = (None, [], {}, "")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment_of(word: str, now: datetime) -> datetime:
    """When `10m`, `2h` or `3d` ago was, or an ISO time is, which is in UTC unless it says.

    Raises:
        UsageError: it is neither, or lies before the year 1 or behind the year 9999.
    """
    ago = _AGO.fullmatch(word)
    try:
        if ago is not None:
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        moment = datetime.fromisoformat(word)
        zoned = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return zoned.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"--since takes 10m, 2h or 3d, or a time such as 2026-01-31T12:00, not {word!r}"
        ) from None


def call_line(call: Any) -> str:
    """When, where, what, whose, how it ended, how long it took, its id, for whom, and why not."""
    fields = [
        _stamp(call.started),
        call.board,
        call.tool,
        call.plugin or "-",
        call.code,
        lasting(call.total),
        call.call_id,
        *_pairs(call.labels),
        *([] if call.message is None else [call.message]),
    ]
    return _line(fields)


def event_line(event: Any) -> str:
    """When, what has happened, where, to which plugin, and what else is known of it."""
    is_act = event.kind == "OperatorActed"
    rest = [_act(event.details)] if is_act else _rest(event.details)
    fields = [_stamp(event.at), event.kind, event.board or "-", event.plugin or "-", *rest]
    return _line(fields)


def call_json(call: Any) -> JSON:
    """A recorded call for programs."""
    outcome = None if call.outcome is None else to_json(call.outcome)
    plain = attrs.asdict(call, recurse=False)
    return plain | {"started": call.started.isoformat(), "outcome": outcome}


def event_json(event: Any) -> JSON:
    """A recorded event for programs."""
    return attrs.asdict(event, recurse=False) | {"at": event.at.isoformat()}


def _line(fields: list[str]) -> str:
    return "  ".join(legible(each) for each in fields)


def _stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _act(details: Mapping[str, Any]) -> str:
    """What an operator did, who it was, and with what."""
    user, pid, error = details.get("user"), details.get("pid"), details.get("error")
    who = f"{details.get('action')} {details.get('stage')} by {_user(user)}, pid {pid}"
    return f"{who}: {_json(details.get('details'))}{'' if error is None else f': {error}'}"


def _user(number: Any) -> str:
    name = _name_of(number) if isinstance(number, int) else None
    return f"user {number}" if name is None else f"{name} (user {number})"


def _name_of(number: int) -> str | None:
    try:
        import pwd  # late: not every system has it
    except ImportError:
        return None
    try:
        return pwd.getpwuid(number).pw_name
    except (KeyError, OverflowError):
        return None


def _rest(details: Mapping[str, Any]) -> Iterator[str]:
    shown = ("board", "name", "call_id")
    told: dict[str, Any] = _told({k: v for k, v in details.items() if k not in shown})
    return _pairs(told)


def _told(value: Any) -> Any:
    """The same without what says nothing."""
    if isinstance(value, list):
        return [_told(each) for each in value]
    if not isinstance(value, dict):
        return value
    said = {key: _told(each) for key, each in value.items()}
    return {key: each for key, each in said.items() if each not in _NOTHING}


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        yield f"{key}={value if isinstance(value, str) else _json(value)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
