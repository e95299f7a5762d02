"""The commands of `pegboard ctl` as Typer knows them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

from pegboard.cli import ctl_shown as shown
from pegboard.cli.asked import Asked
from pegboard.cli.ctl import Request, ctl, is_incomplete, is_unready, selectors_of
from pegboard.cli.mistakes import UsageError
from pegboard.cli.options import BoardName, ConfigFile, Json, Plan, Verbose, argument, option
from pegboard.cli.streams import Streams, legible
from pegboard.cli.words import COMMANDS, CTL, CTL_ARGUMENTS, CTL_OPTIONS, exits_text

_LONGEST = 1e9

Grace = Annotated[float | None, option("--grace", words=CTL_OPTIONS)]
OfPlugin = Annotated[str | None, option("--plugin", words=CTL_OPTIONS)]
OnBoard = Annotated[str | None, option("--board", words=CTL_OPTIONS)]
PluginName = Annotated[str, argument("name", words=CTL_ARGUMENTS)]
Selectors = Annotated[list[str] | None, argument("selectors", words=CTL_ARGUMENTS)]
Socket = Annotated[Path | None, option("--socket", words=CTL_OPTIONS)]


@attrs.frozen
class Given:
    """Options that may stand before the name of what is asked for, or after it."""

    socket: Path | None
    config: Path | None
    json: bool
    verbose: bool

    def plan(self, context: typer.Context, request: Request) -> Plan:
        """To make a request; what stands after the name wins."""
        before: Given = context.obj
        asked = Asked(
            None,
            self.config or before.config,
            is_json=self.json or before.json,
            is_verbose=self.verbose or before.verbose,
        )
        socket = self.socket or (None if self.config else before.socket)
        return Plan(asked, partial(ctl, asked=asked, socket=socket, request=request))


def _before(
    context: typer.Context,
    *,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Take the options that hold for whatever follows."""
    context.obj = Given(socket, config, json, verbose)


def ps(
    context: typer.Context,
    *,
    board: OnBoard = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """List the calls that run."""
    request = Request(method="running", params={"board": board}, show=shown.running)
    return Given(socket, config, json, verbose).plan(context, request)


def plugins(
    context: typer.Context,
    *,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """List plugins."""
    request = Request(method="plugins", show=shown.plugins)
    return Given(socket, config, json, verbose).plan(context, request)


def boards(
    context: typer.Context,
    *,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """List boards."""
    request = Request(method="boards", show=shown.boards)
    return Given(socket, config, json, verbose).plan(context, request)


def tools(
    context: typer.Context,
    *,
    board: OnBoard = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """List tools."""
    request = Request(method="tools", params={"board": board}, show=shown.tools)
    return Given(socket, config, json, verbose).plan(context, request)


def explain(
    context: typer.Context,
    tool: Annotated[str, argument("tool", words=CTL_ARGUMENTS)],
    *,
    board: BoardName = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Explain a tool."""
    params = {"name": tool, "board": board or "default"}
    request = Request(
        method="explain", params=params, show=shown.explanation, refuse=shown.check_known
    )
    return Given(socket, config, json, verbose).plan(context, request)


def load(
    context: typer.Context,
    name: PluginName,
    *,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Load a plugin."""
    request = Request(
        method="load", params={"name": name}, show=shown.loaded, doing=f"loading {name!r}"
    )
    return Given(socket, config, json, verbose).plan(context, request)


def unload(
    context: typer.Context,
    name: PluginName,
    *,
    block: Annotated[bool, option("--block", words=CTL_OPTIONS)] = False,
    force: Annotated[bool, option("--force", words=CTL_OPTIONS)] = False,
    grace: Grace = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Unload a plugin."""
    params = {
        "name": name,
        "grace": _seconds(grace),
        "block": block or None,
        "force": force or None,
    }
    request = Request(
        method="unload",
        params=params,
        show=shown.unloaded,
        status=is_incomplete,
        doing=f"unloading {name!r}",
    )
    return Given(socket, config, json, verbose).plan(context, request)


def reload(
    context: typer.Context,
    name: PluginName,
    *,
    grace: Grace = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Reload a plugin."""
    request = Request(
        method="reload",
        params={"name": name, "grace": _seconds(grace)},
        show=partial(shown.loaded, verb="reloaded"),
        status=is_incomplete,
        doing=f"reloading {name!r}",
    )
    return Given(socket, config, json, verbose).plan(context, request)


def sync(
    context: typer.Context,
    *,
    dry_run: Annotated[bool, option("--dry-run", words=CTL_OPTIONS)] = False,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Follow what pip and the configuration say."""
    request = Request(
        method="sync",
        params={"dry_run": dry_run or None},
        show=partial(shown.synced, is_dry=dry_run),
        status=is_incomplete,
        doing="syncing",
    )
    return Given(socket, config, json, verbose).plan(context, request)


def deny(
    context: typer.Context,
    selectors: Selectors = None,
    *,
    board: OnBoard = None,
    keep: Annotated[bool, option("--keep", words=CTL_OPTIONS)] = False,
    pending: Annotated[bool, option("--pending", words=CTL_OPTIONS)] = False,
    plugin: OfPlugin = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Hide tools."""
    if keep and board is not None:
        raise UsageError("--keep holds for every board; leave --board or --keep out")
    chosen = selectors_of(selectors or (), plugin)
    flags = {"keep": keep or None, "pending": pending or None}
    params = {"selectors": chosen, "board": board, **flags}
    request = Request(method="deny", params=params, show=_said("denied", selectors, plugin, board))
    return Given(socket, config, json, verbose).plan(context, request)


def allow(
    context: typer.Context,
    selectors: Selectors = None,
    *,
    board: OnBoard = None,
    plugin: OfPlugin = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Show tools again."""
    params = {"selectors": selectors_of(selectors or (), plugin), "board": board}
    request = Request(
        method="allow", params=params, show=_said("allowed", selectors, plugin, board)
    )
    return Given(socket, config, json, verbose).plan(context, request)


def cancel(
    context: typer.Context,
    board: Annotated[str | None, argument("board", words=CTL_ARGUMENTS)] = None,
    *,
    call: Annotated[str | None, option("--call", words=CTL_OPTIONS)] = None,
    reason: Annotated[str | None, option("--reason", words=CTL_OPTIONS)] = None,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Cancel calls."""
    if board is None and call is None:
        raise UsageError("say which calls: those of a BOARD, or --call ID")
    params = {"board": board, "call_id": call, "reason": reason}
    request = Request(method="cancel", params=params, show=shown.cancelled)
    return Given(socket, config, json, verbose).plan(context, request)


def status(
    context: typer.Context,
    *,
    socket: Socket = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Say how the host is."""
    request = Request(method="status", show=shown.status, status=is_unready)
    return Given(socket, config, json, verbose).plan(context, request)


def ctl_app() -> typer.Typer:
    """All of them under `ctl`."""
    made = typer.Typer(add_completion=False, rich_markup_mode=None)
    made.callback(help=COMMANDS["ctl"], epilog=exits_text())(_before)
    for command in _COMMANDS:
        name = command.__name__
        made.command(name, help=CTL[name], epilog=exits_text())(command)
    return made


_COMMANDS: tuple[Callable[..., Plan], ...] = (
    ps,
    plugins,
    boards,
    tools,
    explain,
    load,
    unload,
    reload,
    sync,
    deny,
    allow,
    cancel,
    status,
)


def _seconds(grace: float | None) -> float | None:
    """What running calls have.

    Raises:
        UsageError: it isn't a number from 0 on.
    """
    if grace is not None and not 0 <= grace <= _LONGEST:
        raise UsageError(f"--grace takes seconds from 0 on, not {grace}")
    return grace


def _said(
    verb: str, selectors: list[str] | None, plugin: str | None, board: str | None
) -> Callable[[Any, Streams], None]:
    """What prints that it was done."""
    what = [*(selectors or ()), *([] if plugin is None else [f"all tools of {plugin!r}"])]
    where = "on every board" if board is None else f"on board {board!r}"
    line = legible(f"{verb} {', '.join(what)} {where}")
    return partial(shown.said, line)
