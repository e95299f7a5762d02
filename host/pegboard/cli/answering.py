"""Answering a command line: every ending has its exit status."""

from collections.abc import Sequence

import pegboard
from pegboard.cli.streams import Streams, own_streams
from pegboard.cli.words import COMMANDS, GENERAL, help_text
from pegboard.errors import (
    ConfigError,
    ControlError,
    PegboardError,
    PluginLoadError,
    UnknownNameError,
)

_UNLOADED = ("PluginLoadError", "QuarantinedError")
"""Kinds of what a host that runs says of a plugin."""
_SILENT = ("closed", "no_answer", "no_socket", "stale", "unfinished", "unreachable")
"""Kinds of there being no host that answers."""


def answered(words: Sequence[str]) -> int:
    """Answer the words of a command line; gives the exit status.

    Raises:
        BrokenPipeError: nobody reads the results.
        KeyboardInterrupt: somebody pressed Ctrl-C.
    """
    with own_streams() as streams:
        return _answered(words, streams)


def unwritten(error: OSError) -> int:
    """Say that results could not be written; gives the exit status."""
    with own_streams() as streams:
        return _unwritten(error, streams)


def _answered(words: Sequence[str], streams: Streams) -> int:
    try:
        return _answer(words, streams)
    except ConfigError as error:
        for mistake in error.mistakes:
            streams.message(mistake)
    except PegboardError as error:
        for line in _lines(error):
            streams.message(line)
        return _status(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _unwritten(error, streams)
    return 2


def _lines(error: PegboardError) -> list[str]:
    """One line, or one for each mistake of a configuration that a host has read."""
    is_many = isinstance(error, ControlError) and error.kind == "ConfigError"
    return str(error).splitlines() if is_many else [str(error)]


def _status(error: PegboardError) -> int:
    """Whether a plugin could not be loaded, there is no host to ask, or it was asked wrongly."""
    kind = error.kind if isinstance(error, ControlError) else type(error).__name__
    if isinstance(error, PluginLoadError) or kind in _UNLOADED:
        return 1
    return 3 if kind in _SILENT else 2


def _unwritten(error: OSError, streams: Streams) -> int:
    streams.message(f"the results can't be written: {error.strerror}")
    return 1


def _answer(words: Sequence[str], streams: Streams) -> int:
    first = words[0] if words else ""
    if first in ("-h", "--help"):
        streams.result(help_text())
    elif first == "--version":
        streams.result(f"pegboard {pegboard.__version__}")
    elif not first:
        streams.messages.write(f"{help_text()}\n")
        return 2
    elif first in COMMANDS:
        return _command(words, streams)
    elif first.startswith("-"):
        raise UnknownNameError("option", first, _options())
    else:
        raise UnknownNameError("command", first, COMMANDS)
    return 0


def _options() -> list[str]:
    return [name for names in GENERAL for name in names.split(", ")]


def _command(words: Sequence[str], streams: Streams) -> int:
    from pegboard.cli.app import answer  # late: `--help` must not pay for typer

    return answer(words, streams)
