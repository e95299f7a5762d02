"""The commands for operators as Typer knows them, those of `ctl` aside."""

from datetime import UTC, datetime
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Annotated

from pegboard.cli import checking, recorded
from pegboard.cli import top as watching
from pegboard.cli.asked import Asked
from pegboard.cli.ctl_app import Socket
from pegboard.cli.mistakes import UsageError
from pegboard.cli.options import ConfigFile, Json, Plan, Verbose, option
from pegboard.cli.recorded_lines import moment_of
from pegboard.cli.words import CTL_OPTIONS, LOG_OPTIONS

_INTERVAL, _SHORTEST = 2.0, 0.1


def check(*, config: ConfigFile = None, json: Json = False, verbose: Verbose = False) -> Plan:
    """Check a configuration."""
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(checking.check, asked=asked))


def top(
    *,
    interval: Annotated[float | None, option("--interval", words=CTL_OPTIONS)] = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Watch a host."""
    seconds = _INTERVAL if interval is None else interval
    if not isfinite(seconds) or seconds < _SHORTEST:
        raise UsageError(f"--interval takes seconds from {_SHORTEST} on, not {interval}")
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(watching.top, asked=asked, socket=socket, interval=seconds))


def log(
    *,
    board: Annotated[str | None, option("--board", words=LOG_OPTIONS)] = None,
    tool: Annotated[str | None, option("--tool", words=LOG_OPTIONS)] = None,
    plugin: Annotated[str | None, option("--plugin", words=LOG_OPTIONS)] = None,
    since: Annotated[str | None, option("--since", words=LOG_OPTIONS)] = None,
    failed: Annotated[bool, option("--failed", words=LOG_OPTIONS)] = False,
    events: Annotated[bool, option("--events", words=LOG_OPTIONS)] = False,
    follow: Annotated[bool, option("--follow", words=LOG_OPTIONS)] = False,
    record: Annotated[Path | None, option("--record", words=LOG_OPTIONS)] = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Read a record."""
    if events and (tool is not None or failed):
        raise UsageError("--events shows no calls; leave --tool and --failed out")
    wanted = recorded.Wanted(
        record=record,
        board=board,
        tool=tool,
        plugin=plugin,
        since=None if since is None else moment_of(since, datetime.now(UTC)),
        is_failed=failed,
        is_events=events,
    )
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(recorded.log, asked=asked, wanted=wanted, is_following=follow))
