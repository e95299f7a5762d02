"""The commands as Typer knows them: their options and arguments, nothing of what they do."""

import asyncio
import io
from collections.abc import Callable, Coroutine, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import typer

from pegboard.cli import answers, listing, locking, serving
from pegboard.cli import matrix as beside
from pegboard.cli.again import tools_again
from pegboard.cli.asked import Asked
from pegboard.cli.demo import demonstrate
from pegboard.cli.log import logged
from pegboard.cli.mistakes import UsageError
from pegboard.cli.new import new as write_package
from pegboard.cli.streams import Streams
from pegboard.cli.words import ARGUMENTS, COMMANDS, OPTIONS, SUMMARY, exits_text

_REFUSALS: tuple[Any, ...] = typer.BadParameter.__bases__
"""What Typer raises for a wrong command line; it exports only one kind of it."""


@attrs.frozen
class Plan:
    """What a command line asks for, read but not yet done.

    Attributes:
        asked: the options.
        work: does it; gives the exit status.
    """

    asked: Asked
    work: Callable[[Streams], Coroutine[Any, Any, int]]


def _option(name: str, *short: str) -> Any:
    word = OPTIONS[name]
    metavar = word.metavar or None
    return typer.Option(name, *short, help=word.text, show_default=False, metavar=metavar)


def _argument(name: str) -> Any:
    word = ARGUMENTS[name]
    return typer.Argument(help=word.text, metavar=word.metavar, show_default=False)


Approve = Annotated[Literal["once", "never"] | None, _option("--approve")]
BoardName = Annotated[str | None, _option("--board")]
ConfigFile = Annotated[Path | None, _option("--config")]
Json = Annotated[bool, _option("--json")]
Matrix = Annotated[bool, _option("--matrix")]
Verbose = Annotated[bool, _option("--verbose", "-v")]
Watch = Annotated[bool, _option("--watch")]


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
    watch: Watch = False,
    board: BoardName = None,
    config: ConfigFile = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """List tools."""
    asked = Asked(board, config, is_json=json, is_verbose=verbose)
    if matrix and watch:
        raise UsageError("--matrix and --watch don't go together; leave one out")
    work = tools_again if watch else beside.matrix if matrix else listing.tools
    return Plan(asked, partial(work, asked=asked))


def explain(
    tool: Annotated[str, _argument("tool")],
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
    tool: Annotated[str, _argument("tool")],
    arguments: Annotated[str | None, _argument("arguments")] = None,
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
    message: Annotated[Path, _argument("message")],
    *,
    format_name: Annotated[str | None, _option("--format")] = None,
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
    http: Annotated[str | None, _option("--http")] = None,
    page_size: Annotated[int | None, _option("--page-size")] = None,
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
    check: Annotated[bool, _option("--check")] = False,
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


def demo(*, json: Json = False, verbose: Verbose = False) -> Plan:
    """Show the demo."""
    asked = Asked(None, None, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(demonstrate, is_json=json))


def new(
    name: Annotated[str, _argument("name")],
    *,
    directory: Annotated[Path | None, _option("--directory")] = None,
    json: Json = False,
    verbose: Verbose = False,
) -> Plan:
    """Write a package."""
    asked = Asked(None, None, is_json=json, is_verbose=verbose)
    return Plan(asked, partial(write_package, name=name, directory=directory, is_json=json))


def app() -> typer.Typer:
    """The application, with the words of `words.py`."""
    made = typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help=SUMMARY,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for command in (plugins, tools, explain, call, run, serve, lock, verify, demo, new):
        name = command.__name__
        made.command(name, help=COMMANDS[name], epilog=exits_text())(command)
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
        return asyncio.run(plan.work(streams))


def _read(words: Sequence[str]) -> Plan | None:
    """What to do, or None where only help was asked for, which is printed."""
    try:
        given = app()(list(words), prog_name="pegboard", standalone_mode=False)
    except _REFUSALS as error:
        text = str(error.format_message()).rstrip(".")
        raise UsageError(f"{text[:1].lower()}{text[1:]}; see pegboard {words[0]} --help") from None
    return given if isinstance(given, Plan) else None
