"""The entry point: what was printed before is printed again, everything else is answered anew."""

import sys

from pegboard.cli.listed import listed, print_listed


def main() -> None:
    """Answer the command line, and leave with the exit status."""
    raise SystemExit(status(tuple(sys.argv[1:])))


def status(words: tuple[str, ...]) -> int:
    """Answer the words of a command line; gives the exit status."""
    try:
        text = listed(words)
        return _answered(words) if text is None else _printed(text)
    except BrokenPipeError:
        return 141
    except KeyboardInterrupt:
        return 130


def _printed(text: str) -> int:
    try:
        print_listed(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        from pegboard.cli.answering import unwritten  # late, as below

        return unwritten(error)
    return 0


def _answered(words: tuple[str, ...]) -> int:
    from pegboard.cli.answering import answered  # late: what was kept must not pay for it

    return answered(words)
