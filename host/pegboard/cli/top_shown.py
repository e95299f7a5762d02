"""One look at a host, for people: on a whole terminal, or as lines."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeAlias

from pegboard.cli.ctl_shown import plugin_states, pool_table, running_table, state_of
from pegboard.cli.durations import lasting
from pegboard.cli.streams import Streams, legible
from pegboard.cli.tables import Table, drawing, plain
from pegboard.cli.top_told import Look, Rate

Show: TypeAlias = Callable[[Look], None]

_MOST_TOOLS = 8
_MOST_CALLS = 20
_WELL = ("loaded", "deferred", "blocked", "unloaded")


def printed(streams: Streams) -> Show:
    """What prints each look as lines; where the host is gone, that is said once."""
    told = ""

    def show(look: Look) -> None:
        nonlocal told
        if look.error is not None and look.error != told:
            streams.message(f"{look.error}; waiting")
        told = look.error or ""
        if look.status is not None:
            blocks = ["\n".join(head_lines(look)), *map(plain, tables_of(look, most=_MOST_CALLS))]
            streams.result("\n\n".join(blocks) + "\n\n")

    return show


@contextmanager
def live(streams: Streams) -> Iterator[Show]:
    """What draws each look over the one before, on a screen that is gone afterwards."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    console = Console(file=streams.results)
    last: Look | None = None
    with Live(
        console=console,
        screen=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as screen:

        def show(look: Look) -> None:
            nonlocal last
            last = look if look.status is not None or last is None else last
            lines = head_lines(last) if look.error is None else [_gone(look), *head_lines(last)]
            most = max(1, console.height // 2)
            tables = (drawing(table, streams) for table in tables_of(last, most=most))
            parts = [Text("\n".join(map(legible, lines)), no_wrap=True, overflow="ellipsis")]
            screen.update(Group(*parts, *(part for t in tables for part in ("", t))), refresh=True)

        yield show


def _gone(look: Look) -> str:
    return f"{look.at:%Y-%m-%dT%H:%M:%SZ}  {look.error}; what follows is from before"


def head_lines(look: Look) -> list[str]:
    """The figures of a host."""
    status = look.status
    if status is None:
        return []
    calls, rate = status["calls"], look.rate
    since = datetime.fromisoformat(status["started"]) if status["started"] else look.at
    up = lasting((look.at - since.astimezone(UTC)).total_seconds())
    counts = "  ".join(f"{key} {status[key]}" for key in ("running", "parked", "abandoned"))
    total = f"calls {calls['total']}{_pace(None if rate is None else rate.calls)}"
    failed = f"failed {calls['failed']}{_pace(None if rate is None else rate.failed)}"
    host = f"{state_of(status)}  pid {status['pid']}  up {up}"
    return [
        f"{look.at:%Y-%m-%dT%H:%M:%SZ}  {host}  boards {status['boards']}",
        f"{total}  {failed}  {counts}",
        f"plugins: {plugin_states(status)}",
    ]


def _pace(rate: float | None) -> str:
    return "" if rate is None else f" ({rate:.1f}/s)"


def tables_of(look: Look, *, most: int) -> Iterator[Table]:
    """What there is to list: tools, what runs, pools in use, plugins in trouble."""
    if look.status is None:
        return
    tools = look.status["calls"]["by_tool"]
    if tools:
        yield _tool_table(tools, look.rate)
    if look.running:
        longest = running_table(look.running)
        yield Table(longest.columns, longest.rows[:most])
    pools = [each for each in look.status["pools"] if each["busy"] or each["waiting"]]
    if pools:
        yield pool_table(pools)
    ill = [each for each in look.plugins if each["state"] not in _WELL]
    if ill:
        rows = (
            (each["name"] or str(each["distribution"]), each["state"], each["error"] or "-")
            for each in ill
        )
        yield Table(("plugin", "state", "error"), rows)


def _tool_table(tools: Mapping[str, Mapping[str, Any]], rate: Rate | None) -> Table:
    """The tools that were slowest."""
    slowest = sorted(tools.items(), key=lambda item: -float(item[1]["slowest"]))[:_MOST_TOOLS]
    columns = ("tool", "calls", "a second", "failed", "mean", "slowest")
    rows = (
        (
            name or "(unknown)",
            str(each["total"]),
            "-" if rate is None else f"{rate.tools.get(name, 0.0):.1f}",
            str(each["failed"]),
            lasting(each["seconds"] / max(1, each["total"])),
            lasting(each["slowest"]),
        )
        for name, each in slowest
    )
    return Table(columns, rows)
