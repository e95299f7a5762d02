"""Options and arguments as Typer knows them, with the words of `words.py`."""

from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import typer

from pegboard.cli.asked import Asked
from pegboard.cli.streams import Streams
from pegboard.cli.words import ARGUMENTS, OPTIONS, Word


@attrs.frozen
class Plan:
    """What a command line asks for, read but not yet done.

    Attributes:
        asked: the options.
        work: does it; gives the exit status.
    """

    asked: Asked
    work: Callable[[Streams], Coroutine[Any, Any, int]]


def option(name: str, *short: str, words: Mapping[str, Word] = OPTIONS) -> Any:
    """An option of that name."""
    word = words[name]
    metavar = word.metavar or None
    return typer.Option(name, *short, help=word.text, show_default=False, metavar=metavar)


def argument(name: str, *, words: Mapping[str, Word] = ARGUMENTS) -> Any:
    """An argument of that name."""
    word = words[name]
    return typer.Argument(help=word.text, metavar=word.metavar, show_default=False)


Approve = Annotated[Literal["once", "never"] | None, option("--approve")]
BoardName = Annotated[str | None, option("--board")]
ConfigFile = Annotated[Path | None, option("--config")]
Json = Annotated[bool, option("--json")]
Matrix = Annotated[bool, option("--matrix")]
Sdk = Annotated[bool, option("--sdk")]
Using = Annotated[Literal["pip", "uv"] | None, option("--using")]
Verbose = Annotated[bool, option("--verbose", "-v")]
Watch = Annotated[bool, option("--watch")]
