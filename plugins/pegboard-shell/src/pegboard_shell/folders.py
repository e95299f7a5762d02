"""Folders below the root, opened one after another so that no link leads out."""

import errno
import os
from contextlib import suppress
from pathlib import Path

import attrs
from pegboard import ToolError

MOST_BYTES = 4_096

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


@attrs.frozen
class Folder:
    """An opened folder; who has it closes it.

    Attributes:
        descriptor: the folder itself, whatever its path leads to later.
        path: its path from the root, links resolved.
    """

    descriptor: int
    path: str


def open_folder(root: str, path: str) -> Folder:
    """Open the folder that a model has named.

    Links are followed as long as they stay below the root. One that is swapped in meanwhile leads
    nowhere: the way that was checked is gone without following any.

    Args:
        root: the real path of the root.
        path: relative to the root.

    Raises:
        ToolError: it leads out of the root, or there is no such folder.
    """
    try:
        real = Path(root, _checked(path)).resolve(strict=True)
        if not real.is_relative_to(root):
            raise ToolError(
                f"{shown(path)} leads out of the root folder; name a folder below it",
                code="outside_root",
            )
        names = real.relative_to(root).parts
        return Folder(open_below(root, names), _legible("/".join(names)) or ".")
    except (OSError, RuntimeError) as error:
        raise _refusal(root, path, error) from error


def open_below(root: str, names: tuple[str, ...], *, make: bool = False) -> int:
    """A descriptor of a folder below the root, gone to without following a link.

    Args:
        root: the real path of the root.
        names: the names on the way.
        make: whether missing folders are made.

    Raises:
        OSError: there is no such folder, or a link stands in the way.
    """
    here = os.open(root, _FOLDER)
    try:
        for name in names:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=here)
            inner = os.open(name, _FOLDER, dir_fd=here)
            os.close(here)
            here = inner
    except BaseException:
        os.close(here)
        raise
    return here


def shown(text: str, *, most: int = 120) -> str:
    """A text in quotes for a message: one line, not too long."""
    return ascii(text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}")


def _checked(path: str) -> str:
    if "\0" in path:
        fault = "has a NUL character; leave it out"
    elif path.startswith("/"):
        fault = "is absolute; give a folder relative to the root, such as 'src'"
    elif len(path.encode()) > MOST_BYTES:
        fault = f"is longer than {MOST_BYTES} bytes"
    else:
        return path
    raise ToolError(f"{shown(path)} {fault}", code="invalid_path")


def _refusal(root: str, path: str, error: OSError | RuntimeError) -> ToolError:
    if not Path(root).is_dir():
        return ToolError(
            "the root folder, below which commands run, is gone; no command runs until it is "
            "there again",
            code="no_root",
        )
    reasons = {
        errno.ENOENT: ("isn't there; 'ls' shows what is", "not_found"),
        errno.ENOTDIR: ("is not a folder, or a link took its place", "not_a_folder"),
        errno.EACCES: ("can't be opened: the host has no permission", "refused"),
        errno.ENAMETOOLONG: ("has a name that is too long", "invalid_path"),
    }
    round_about = ("can't be opened; its links go round in circles", "refused")
    reason, code = reasons.get(getattr(error, "errno", None) or 0, round_about)
    return ToolError(f"the working folder {shown(path)} {reason}", code=code)


def _legible(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
