"""`lock` and `verify`: whether what is installed is what was accepted."""

import asyncio
from collections.abc import Iterable, Sequence

import attrs

from pegboard import Config, Host, LockReport, PluginInfo, QuarantinedTool
from pegboard.cli.asked import Asked, opened_host
from pegboard.cli.jsons import print_json
from pegboard.cli.listing import warn_of_failures
from pegboard.cli.mistakes import UsageError, config_mistakes, refuse
from pegboard.cli.streams import Streams, legible
from pegboard.cli.tables import Table, show
from pegboard.cli.waiting import waiting
from pegboard.plugins.discovery import discover
from pegboard.plugins.trust import Verified
from pegboard.plugins.trust import verify as verified

_ALL_OTHERS = "*"
_UNACCEPTED = ("failed", "quarantined")


async def lock(streams: Streams, *, asked: Asked, is_check: bool) -> int:
    """Show what isn't as the lock file says, and accept it unless this only checks."""
    config = asked.read_config()
    if config.lock is None:
        raise UsageError('the configuration names no lock file; write lock = "pegboard.lock"')
    async with opened_host(streams, attrs.evolve(config, accept=True)) as host:
        refuse(config_mistakes(host))
        await _open_boards(host)
        report = await host.lock(write=not is_check)
        warn_of_failures(host, streams)
        left = [each.name for each in host.plugins.values() if each.state in _UNACCEPTED]
    _print_report(report, streams, is_json=asked.is_json)
    streams.message(_summary(report, is_check=is_check))
    if left:
        streams.message(f"what is accepted stays as it was for {', '.join(map(repr, left))}")
    return int(bool(left) or (is_check and _is_otherwise(report)))


async def _open_boards(host: Host) -> None:
    """Have plugins put their tools on every board of the configuration, and on one more."""
    names = [name for name in host.config.boards if name != _ALL_OTHERS]
    for name in (*names, None):
        await host.board(name)


def _is_otherwise(report: LockReport) -> bool:
    return bool(report.changes) or report.unread is not None


def _print_report(report: LockReport, streams: Streams, *, is_json: bool) -> None:
    if is_json:
        print_json(attrs.asdict(report), streams)
        return
    for each in report.changes:
        whose = f"plugin {each.plugin!r}"
        what = whose if each.tool is None else f"tool {each.tool!r} of {whose}"
        _print_diff(f"{what} is {each.kind}", each.diff, streams)


def _print_diff(title: str, diff: Iterable[str], streams: Streams) -> None:
    streams.result(legible("\n  ".join([title, *diff]), keep="\n"))


def _summary(report: LockReport, *, is_check: bool) -> str:
    holds = f"{report.path}: {_counted(report.plugins, 'plugin')}, {_counted(report.tools, 'tool')}"
    if report.unread is not None and not report.is_written:
        return f"{report.path} can't be read, and accepts nothing: {report.unread}"
    if is_check and report.changes:
        return f"{report.path} doesn't accept what is installed; `pegboard lock` does"
    return f"{'wrote' if report.is_written else 'unchanged:'} {holds}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@attrs.frozen
class Verdict:
    """What is wrong with one installed plugin.

    Attributes:
        files: what comparing its files with RECORD told.
        info: what the host says of it, where there is a lock file.
        tools: those that aren't what was accepted.
    """

    files: Verified
    info: PluginInfo | None
    tools: tuple[QuarantinedTool, ...]

    @property
    def is_good(self) -> bool:
        """Whether everything that could be compared is what it should be."""
        is_out = self.info is not None and self.info.state in _UNACCEPTED
        return not (self.files.problems or self.tools or is_out)

    def words(self) -> str:
        """What is wrong, in one line."""
        told = [str(each) for each in self.files.problems]
        if self.info is not None and self.info.error is not None and not told:
            told.append(self.info.error)
        elif self.tools:
            told += [f"tool {each.name!r} is quarantined: {each.reason}" for each in self.tools]
        note = "sources elsewhere, not compared" if self.files.is_editable else "as installed"
        return "; ".join(told) or note

    def to_json(self) -> dict[str, object]:
        """The same for programs."""
        told = attrs.asdict(self.files)
        held = {"state": None, "error": None, "diff": ()}
        if self.info is not None:
            held = {key: getattr(self.info, key) for key in held}
        return {**told, **held, "quarantined": [attrs.asdict(each) for each in self.tools]}


async def verify(streams: Streams, *, asked: Asked) -> int:
    """Compare installed files with RECORD, and plugins and tools with the lock file."""
    config = asked.read_config()
    async with waiting(streams, "comparing files"):
        found = await asyncio.to_thread(lambda: discover(prefer=config.prefer).found)
        files = await asyncio.to_thread(lambda: list(verified(found)))
    verdicts = await _verdicts(files, config, streams)
    if asked.is_json:
        print_json([each.to_json() for each in verdicts], streams)
    elif verdicts:
        _show(verdicts, streams)
    else:
        streams.message("no plugin is installed")
    if config.lock is None:
        streams.message("no lock file is configured: only files were compared")
    return int(not all(each.is_good for each in verdicts))


async def _verdicts(files: Sequence[Verified], config: Config, streams: Streams) -> list[Verdict]:
    """What is wrong with each plugin; with a lock file, those that it accepts are loaded."""
    if config.lock is None:
        return [Verdict(each, None, ()) for each in files]
    async with opened_host(streams, attrs.evolve(config, required=())) as host:
        await _open_boards(host)
        held = [tool for board in host.boards.values() for tool in board.quarantined]
        infos = dict(host.plugins)
    tools = {name: [tool for tool in held if tool.plugin == name] for name in infos}
    return [
        Verdict(each, infos.get(each.plugin), tuple(dict.fromkeys(tools.get(each.plugin, ()))))
        for each in files
    ]


def _show(verdicts: Sequence[Verdict], streams: Streams) -> None:
    columns = ("plugin", "distribution", "version", "files", "verdict")
    rows = (
        (each.files.plugin, each.files.distribution, each.files.version, each.files.files, verdict)
        for each in verdicts
        for verdict in [each.words()]
    )
    show(Table(columns, (map(str, row) for row in rows)), streams)
    for tool in (tool for each in verdicts for tool in each.tools):
        _print_diff(f"tool {tool.name!r} of plugin {tool.plugin!r}", tool.diff, streams)
