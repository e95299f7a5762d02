"""The commands as Typer knows them: what each may be asked with, nothing of what they do."""

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from pegboard.cli import answers, installing, listing, locking, serving, warming
from pegboard.cli import matrix as beside
from pegboard.cli.again import tools_again
from pegboard.cli.asked import Asked
from pegboard.cli.ctl_app import ctl_app
from pegboard.cli.demo import demonstrate
from pegboard.cli.ending import run as run_to_its_end
from pegboard.cli.log import logged
from pegboard.cli.mistakes import UsageError
from pegboard.cli.new import new as write_package
from pegboard.cli.operators import check, log, top
from pegboard.cli.options import (
    Approve,
    BoardName,
    ConfigFile,
    Json,
    Matrix,
    Plan,
    Sdk,
    Using,
    Verbose,
    Watch,
    argument,
    option,
)
from pegboard.cli.streams import Streams
from pegboard.cli.words import COMMANDS, SUMMARY, exits_text

_REFUSALS: tuple[Any, ...] = typer.BadParameter.__bases__
"""What Typer raises for a wrong command line; it exports only one kind of it."""


def plugins(
    *,
    board: BoardName = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """List plugins."""
    asked = Asked(board, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(listing.plugins, asked=asked))


def tools(
    *,
    matrix: Matrix = False,
    sdk: Sdk = False,
    watch: Watch = False,
    board: BoardName = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """List tools."""
    asked = Asked(board, config, is_json=json, is_verbose=verbose)
    ways = {"--matrix": matrix, "--sdk": sdk, "--watch": watch}
    wanted = [each for each, is_wanted in ways.items() if is_wanted]
    if len(wanted) > 1:
        raise UsageError(f"{' and '.join(wanted)} don't go together; leave one out")
    one = beside.matrix if matrix else listing.sdk if sdk else listing.tools
    work = tools_again if watch else one
    return Plan(asked, partial(work, asked=asked))


def explain(
    tool: Annotated[str, argument("tool")],
    *,
    board: BoardName = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Explain a tool."""
    asked = Asked(board, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(listing.explain, asked=asked, name=tool))


def call(
    tool: Annotated[str, argument("tool")],
    arguments: Annotated[str | None, argument("arguments")] = None,
    *,
    approve: Approve = None,
    watch: Watch = False,
    board: BoardName = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Call a tool."""
    asked = Asked(board, config, is_json=json, is_verbose=verbose)
    work = answers.call_again if watch else answers.call
    return Plan(asked, partial(work, asked=asked, name=tool, word=arguments, approve=approve))


def run(
    message: Annotated[Path, argument("message")],
    *,
    format_name: Annotated[str | None, option("--format")] = None,
    approve: Approve = None,
    board: BoardName = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Answer a message."""
    asked = Asked(board, config, is_json=json, is_verbose=verbose)
    work = partial(answers.run, asked=asked, path=message, format_name=format_name, approve=approve)
    return Plan(asked, work)


def serve(
    *,
    http: Annotated[str | None, option("--http")] = None,
    page_size: Annotated[int | None, option("--page-size")] = None,
    watch: Watch = False,
    board: BoardName = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Serve a board."""
    asked = Asked(board, config, is_json=json, is_verbose=verbose)
    work = partial(
        serving.serve,
        asked=asked,
        where=None if http is None else serving.read_where(http),
        page_size=page_size,
        is_watching=watch,
    )
    return Plan(asked, work)


def lock(
    *,
    check: Annotated[bool, option("--check")] = False,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Accept what is installed."""
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(locking.lock, asked=asked, is_check=check))


def verify(*, config: ConfigFile = None, json: Json = False, verbose: Verbose = False) -> Plan:
    """Verify what is installed."""
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(locking.verify, asked=asked))


def install(
    context: typer.Context,
    distributions: Annotated[list[str], argument("distributions")],
    *,
    using: Using = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Install distributions."""
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    wanted = installing.Wanted(tuple(distributions), context.obj, using)
    return Plan(asked, partial(installing.install, asked=asked, wanted=wanted))


def uninstall(
    context: typer.Context,
    distributions: Annotated[list[str], argument("distributions")],
    *,
    using: Using = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Uninstall distributions."""
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    wanted = installing.Wanted(tuple(distributions), context.obj, using)
    return Plan(asked, partial(installing.uninstall, asked=asked, wanted=wanted))


def warm(*, config: ConfigFile = None, json: Json = False, verbose: Verbose = False) -> Plan:
    """Write down what a start finds out."""
    asked = Asked(None, config, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(warming.warm, asked=asked))


def demo(*, json: Json = False, verbose: Verbose = False) -> Plan:
    """Show the demo."""
    asked = Asked(None, None, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(demonstrate, is_json=json))


def new(
    name: Annotated[str, argument("name")],
    *,
    directory: Annotated[Path | None, option("--directory")] = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Write a package."""
    asked = Asked(None, None, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(write_package, name=name, directory=directory, is_json=json))


_BOARDS = (plugins, tools, explain, call, run, serve)
_INSTALLED = (lock, verify, install, uninstall, warm)
_OPERATORS = (check, top, log)
_OTHERS = (demo, new)


_PASSING = ("install", "uninstall")
"""Commands that pass on what stands behind `--`."""


def app() -> typer.Typer:
    """The application, with the words of `words.py`."""
    made = typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help=SUMMARY,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for command in (*_BOARDS, *_INSTALLED, *_OPERATORS, *_OTHERS):
        name = command.__name__
        made.command(name, help=COMMANDS[name], epilog=exits_text())(command)
    made.add_typer(ctl_app(), name="ctl")
    return made


def answer(words: Sequence[str], streams: Streams) -> int:
    """Answer one command; gives the exit status.

    Raises:
        UsageError: options or arguments that the command doesn't have.
    """
    with redirect_stdout(io.StringIO()) as printed:
        plan = _read(words)
    if plan is None:
        streams.result(printed.getvalue())
        return 0
    with logged(streams, is_verbose=plan.asked.is_verbose), redirect_stdout(streams.messages):
        return run_to_its_end(plan.work(streams), streams)


def _read(words: Sequence[str]) -> Plan | None:
    """What to do, or None where only help was asked for, which is printed."""
    own, passed = _split(words)
    try:
        given = app()(own, prog_name="pegboard", standalone_mode=False, obj=passed)
    except _REFUSALS as error:
        text = str(error.format_message()).replace(". Did", "; did").rstrip(".")
        raise UsageError(f"{text[:1].lower()}{text[1:]}; see pegboard {words[0]} --help") from None
    return given if isinstance(given, Plan) else None


def _split(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The words of the command itself, and those behind `--` that it passes on."""
    if words[0] not in _PASSING or "--" not in words:
        return list(words), ()
    end = list(words).index("--")
    return list(words[:end]), tuple(words[end + 1 :])
