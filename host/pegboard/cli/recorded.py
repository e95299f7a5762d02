"""`log`: the calls and events that pegboard-audit has recorded, one line each."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs

from pegboard.cli.again import until_terminated
from pegboard.cli.asked import Asked
from pegboard.cli.jsons import print_json
from pegboard.cli.mistakes import UsageError
from pegboard.cli.reaching import table_of
from pegboard.cli.recorded_lines import call_json, call_line, event_json, event_line
from pegboard.cli.streams import Streams
from pegboard.errors import PegboardError

_BREATH = 200
_PAUSE = 0.25


@attrs.frozen(kw_only=True)
class Wanted:
    """Which part of a record is wanted.

    Attributes:
        record: its file, if one was named.
        since: made then or later.
        is_failed: only calls that failed.
        is_events: events in the place of calls.
    """

    record: Path | None
    board: str | None
    tool: str | None
    plugin: str | None
    since: datetime | None
    is_failed: bool
    is_events: bool


@attrs.frozen
class Record:
    """One record, of which some is wanted.

    Attributes:
        audit: the plugin that reads it; it isn't part of the host.
        path: the file.
        wanted: which part.
    """

    audit: Any
    path: Path
    wanted: Wanted

    def end(self) -> int:
        """The place of what was recorded last."""
        end = self.audit.read_end(self.path)
        return int(end.events if self.wanted.is_events else end.calls)

    def rows(self, after: int) -> Iterator[Any]:
        """What is wanted of it, behind a place."""
        wanted = self.wanted
        same: dict[str, Any] = {"board": wanted.board, "plugin": wanted.plugin}
        same |= {"since": wanted.since, "after": after}
        if wanted.is_events:
            yield from self.audit.read_events(self.path, **same)
        else:
            failed = True if wanted.is_failed else None
            yield from self.audit.read(self.path, tool=wanted.tool, failed=failed, **same)


async def log(streams: Streams, *, asked: Asked, wanted: Wanted, is_following: bool) -> int:
    """Print what is recorded, and what will be, if that was asked for.

    Returns:
        the exit status; of following, once SIGTERM has come; Ctrl-C raises.

    Raises:
        UsageError: pegboard-audit isn't installed, or nothing says where the record is.
        AuditError: there is no such record, or it can't be read.
    """
    record = _record(asked, wanted)

    async def work() -> None:
        rows = _followed(record, streams) if is_following else _behind(record, 0)
        async for row in rows:
            _print(row, streams, is_json=asked.is_json, is_event=wanted.is_events)

    return await until_terminated(work())


def _record(asked: Asked, wanted: Wanted) -> Record:
    audit = _pegboard_audit()
    path = wanted.record or _configured(audit, asked.config)
    return Record(audit, path, wanted)


def _configured(audit: Any, config: Path | None) -> Path:
    """The record that the configuration names, or the one where none is named."""
    found = table_of(config)
    named = None if found is None else _path_in(found[1])
    if named is not None and not (isinstance(named, str) and named):
        raise UsageError("path in [plugins.audit] isn't a path; correct it, or say --record FILE")
    folder = Path() if found is None else found[0].parent
    path: Path = audit.record_path(named, folder.absolute())
    return path


def _path_in(table: Any) -> Any:
    for key in ("plugins", "audit", "path"):
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _pegboard_audit() -> Any:
    try:
        return import_module("pegboard_audit")
    except ModuleNotFoundError as error:
        missing = str(error.name).replace("_", "-")
        raise UsageError(
            f"to read a record takes {missing}, which isn't installed: pip install pegboard-audit"
        ) from error


async def _behind(record: Record, after: int) -> AsyncIterator[Any]:
    """What is wanted behind a place, with pauses in which Ctrl-C is heard."""
    for number, row in enumerate(record.rows(after), 1):
        yield row
        if not number % _BREATH:
            await asyncio.sleep(0)


async def _followed(record: Record, streams: Streams) -> AsyncIterator[Any]:
    """What is recorded and what will be, in whatever file then has the name."""
    file, last, told = None, 0, ""
    while True:
        found, fault = _identity(record.path), ""
        try:
            end = record.end()
            if found != file or end < last:
                file, last = found, 0
            async for row in _behind(record, last):
                yield row
                last = row.id
            last = max(last, end)
        except PegboardError as error:
            fault = str(error)
        if fault and fault != told:
            streams.message(f"{fault}; waiting")
        told = fault
        await asyncio.sleep(_PAUSE)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _print(row: Any, streams: Streams, *, is_json: bool, is_event: bool) -> None:
    if is_json:
        print_json((event_json if is_event else call_json)(row), streams, is_one_of_many=True)
    else:
        streams.result((event_line if is_event else call_line)(row))
