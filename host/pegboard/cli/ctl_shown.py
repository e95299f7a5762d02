"""What a host answers at its control socket, for people."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard import ConfigChange
from pegboard.cli.changes import change_lines
from pegboard.cli.durations import lasting
from pegboard.cli.listing import plugin_table
from pegboard.cli.mistakes import UsageError
from pegboard.cli.streams import Streams, legible
from pegboard.cli.tables import Table, show

_DONE = ("loaded", "unloaded", "reloaded", "failed")


def running(result: Any, streams: Streams) -> None:
    """The calls that run."""
    _list(running_table(result), "no call runs", streams)


def running_table(calls: Iterable[Mapping[str, Any]]) -> Table:
    """The calls that run, the longest first."""
    columns = ("call id", "tool", "board", "plugin", "generation", "stage", "age", "abandoned")
    longest = sorted(calls, key=lambda each: -float(each["age"]))
    return Table(columns, map(_call_row, longest))


def _call_row(call: Mapping[str, Any]) -> tuple[str, ...]:
    named = (call[key] for key in ("call_id", "tool", "board", "plugin", "generation", "stage"))
    shown = ("-" if each is None else str(each) for each in named)
    return (*shown, lasting(call["age"]), "yes" if call["abandoned"] else "-")


def plugins(result: Any, streams: Streams) -> None:
    """The plugins and their state."""
    _list(plugin_table(result, is_live=True), "there is no plugin", streams)


def boards(result: Any, streams: Streams) -> None:
    """The boards."""
    columns = ("name", "parent", "tools", "revision", "running")
    rows = (
        [str(each[key] if each[key] is not None else "-") for key in columns] for each in result
    )
    _list(Table(columns, rows), "no board is open", streams)


def tools(result: Any, streams: Streams) -> None:
    """The tools of a board, or of the host."""
    columns = ("name", "description", "plugin", "layer")
    rows = (
        (
            each["name"],
            _first_line(each["description"]),
            each["plugin"] or "-",
            each["layer"] or "-",
        )
        for each in result
    )
    _list(Table(columns, rows), "there is no tool", streams)


def _first_line(text: str) -> str:
    return next(iter(text.splitlines()), "")


def check_known(result: Any) -> None:
    """Go on only with an explanation of a tool that somebody knows.

    Raises:
        UsageError: nobody does.
    """
    kinds = {each["kind"] for each in result["reasons"]}
    if not result["visible"] and kinds <= {"unknown", "failed"}:
        raise UsageError("; ".join(line.strip(" -") for line in result["text"].splitlines()))


def explanation(result: Any, streams: Streams) -> None:
    """Why a board shows a tool, or doesn't."""
    streams.result(legible(result["text"], keep="\n"))


def loaded(result: Any, streams: Streams, *, verb: str = "loaded") -> None:
    """What of a plugin runs now."""
    version = " ".join(each for each in (result["distribution"], result["version"]) if each)
    whose = f" ({version})" if version else ""
    count = counted(len(result["tools"]), "tool")
    line = f"{verb} {result['name']!r}{whose}: generation {result['generation']}, {count}"
    streams.result(legible(line))
    for leak in result["leaked"]:
        streams.message(f"left of the load before: {leak}")


def unloaded(result: Any, streams: Streams) -> None:
    """What unloading a plugin has done; what it has left are messages."""
    drained = counted(result["drained"], "call")
    line = f"unloaded {result['name']!r}: {drained} drained, {result['cancelled']} cancelled"
    streams.result(legible(line))
    for line in left_behind(result):
        streams.message(line)


def left_behind(report: Mapping[str, Any]) -> Iterator[str]:
    """What an unloading has left, one line each."""
    for call_id in report["still_running"]:
        yield f"still running: call {call_id!r}"
    for error in report["errors"]:
        yield f"error while it was left: {error}"
    for leak in report["leaked"]:
        yield f"still alive: {leak}"


def synced(result: Any, streams: Streams, *, is_dry: bool) -> None:
    """What a sync has changed, or would."""
    changes = (ConfigChange(**each) for each in result["changes"])
    told = change_lines(changes, failed=result["failed"])
    lines = [*told, *_done(result, is_dry=is_dry), *result["errors"]]
    if not lines:
        streams.message("nothing would change" if is_dry else "nothing has changed")
    for line in lines:
        streams.result(legible(line))
    if result["failed"] and not is_dry:
        streams.message("`pegboard ctl plugins` says why plugins failed")


def _done(report: Mapping[str, Any], *, is_dry: bool) -> Iterator[str]:
    would = "would be " if is_dry else ""
    for verb in _DONE:
        if report[verb]:
            failed = "would fail" if is_dry else "failed"
            yield f"{failed if verb == 'failed' else f'{would}{verb}'}: {', '.join(report[verb])}"
    if report["boards"]:
        yield f"{would}applied anew to boards: {', '.join(report['boards'])}"


def said(line: str, result: Any, streams: Streams) -> None:
    """That it was done; what isn't as might be thought are messages."""
    streams.result(line)
    for remark in result["remarks"]:
        streams.message(remark)


def cancelled(result: Any, streams: Streams) -> None:
    """How many calls were cancelled."""
    streams.result(f"cancelled {counted(result['cancelled'], 'call')}")


def status(result: Any, streams: Streams) -> None:
    """How the host is."""
    show(Table(("what", "value"), status_rows(result)), streams)
    if result["pools"]:
        streams.result("")
        show(pool_table(result["pools"]), streams)


def status_rows(result: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The figures of a host, one a row."""
    yield "state", state_of(result)
    for key in ("version", "pid", "python", "started", "boards", "running", "parked", "abandoned"):
        yield key, str(result[key])
    yield "plugins", plugin_states(result)
    calls = result["calls"]
    yield "calls", f"{calls['total']}, {calls['failed']} failed"


def state_of(result: Mapping[str, Any]) -> str:
    """Whether the host takes calls, in one word or two."""
    if result["is_draining"]:
        return "shutting down"
    return "ready" if result["is_ready"] else "not ready"


def plugin_states(result: Mapping[str, Any]) -> str:
    """How many plugins are in which state."""
    found = dict(result["plugins"])
    return ", ".join(f"{count} {state}" for state, count in found.items()) or "none"


def pool_table(pools: Iterable[Mapping[str, Any]]) -> Table:
    """The threads of sync tools."""
    columns = ("threads of", "busy", "stuck", "waiting", "threads", "most")
    keys = columns[1:]
    rows = ((each["plugin"] or "-", *(str(each[key]) for key in keys)) for each in pools)
    return Table(columns, rows)


def counted(number: int, what: str) -> str:
    """Such as `1 call` or `3 calls`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _list(table: Table, otherwise: str, streams: Streams) -> None:
    if table.rows:
        show(table, streams)
    else:
        streams.message(otherwise)
