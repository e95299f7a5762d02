"""The entry point: what needs no library is answered here, and every ending has its exit status."""

import sys
from collections.abc import Sequence

import pegboard
from pegboard.cli.streams import Streams, own_streams
from pegboard.cli.words import COMMANDS, GENERAL, help_text
from pegboard.errors import ConfigError, PegboardError, PluginLoadError, UnknownNameError


def main() -> None:
    """Answer the command line, and leave with the exit status."""
    raise SystemExit(status(sys.argv[1:]))


def status(words: Sequence[str]) -> int:
    """Answer the words of a command line; gives the exit status."""
    try:
        with own_streams() as streams:
            return _answered(words, streams)
    except BrokenPipeError:
        return 141
    except KeyboardInterrupt:
        return 130


def _answered(words: Sequence[str], streams: Streams) -> int:
    try:
        return _answer(words, streams)
    except ConfigError as error:
        for mistake in error.mistakes:
            streams.message(mistake)
    except PegboardError as error:
        streams.message(str(error))
        return 1 if isinstance(error, PluginLoadError) else 2
    except BrokenPipeError:
        raise
    except OSError as error:
        streams.message(f"the results can't be written: {error.strerror}")
        return 1
    return 2


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
