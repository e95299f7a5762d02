"""Where the texts of secrets are: environment variables, and files that nobody else writes."""

import os
from pathlib import Path

_MOST = 64 * 1024


def look_up(kind: str, name: str, *, folder: Path) -> str:
    """The text of an environment variable, or of a file without the last end of line.

    Args:
        kind: `env` or `file`.
        name: the variable, or the path of the file.
        folder: where a relative path begins.

    Raises:
        LookupError: it isn't there, can't be read, or holds nothing; begins with "needs".
    """
    return _variable(name) if kind == "env" else _text(folder / name)


def _variable(name: str) -> str:
    text = os.environ.get(name)
    if text:
        return text
    why = "isn't set" if text is None else "is empty"
    raise LookupError(f"needs the environment variable {name!r}, which {why}")


def _text(path: Path) -> str:
    wanted = f"needs the file {str(path)!r}, which"
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST + 1)
        text = raw.decode()
    except OSError as error:
        raise LookupError(f"{wanted} can't be read: {error.strerror or 'it fails'}") from None
    except ValueError:
        raise LookupError(f"{wanted} isn't text in UTF-8") from None
    if len(raw) > _MOST:
        raise LookupError(f"{wanted} is larger than {_MOST} bytes")
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise LookupError(f"{wanted} is empty")
    return text
