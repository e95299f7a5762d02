"""Paths as a model writes them, and how they are shown in answers."""

from pegboard import ToolError

MOST_STEPS = 64
MOST_BYTES = 4096
MOST_PART_BYTES = 255


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a relative path; `..` is kept, for links decide what it means.

    Raises:
        ToolError: no file below the root can have this path.
    """
    fault = _fault(path)
    if fault:
        raise ToolError(f"{shown(path)} {fault}", code="invalid_path")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if len(parts) > MOST_STEPS:
        raise ToolError(f"{shown(path)} has more than {MOST_STEPS} parts", code="invalid_path")
    return parts


def _fault(path: str) -> str | None:
    if "\0" in path:
        return "has a NUL character; leave it out"
    if path.startswith("/"):
        return "is absolute; give a path relative to the root folder, such as 'notes/a.md'"
    if "\\" in path:
        return (
            "has a backslash; write '/' between folders, and a character that is shown as an "
            "escape as itself"
        )
    return _size_fault(path)


def _size_fault(path: str) -> str | None:
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not valid text"
    if len(encoded) > MOST_BYTES:
        return f"is longer than {MOST_BYTES} bytes"
    if any(len(part) > MOST_PART_BYTES for part in encoded.split(b"/")):
        return f"has a name longer than {MOST_PART_BYTES} bytes"
    return None


def shown(path: str, *, most: int = 120) -> str:
    """A path in quotes for a message: one line, not too long."""
    quote = '"' if "'" in path and '"' not in path else "'"
    printable = _printable(path, most=most, escaped=quote + "\\")
    return f"{quote}{printable}{quote}"


def on_one_line(path: str) -> str:
    """A path for a line of its own: printable, not too long, and without quotes."""
    return _printable(path, most=1_000, escaped="\\")


def legible(path: str) -> str:
    """A path from the disk as valid text; bytes that aren't UTF-8 are shown in hexadecimal."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def reachable(name: str) -> bool:
    """Whether a name from the disk can be given back as a part of a path."""
    return "\\" not in name and legible(name) == name


def _printable(path: str, *, most: int, escaped: str) -> str:
    cut = path if len(path) <= most else f"{path[: most // 2]}...{path[-most // 2 :]}"
    return "".join(
        each if each.isprintable() and each not in escaped else _escaped(each) for each in cut
    )


def _escaped(character: str) -> str:
    return f"\\{character}" if character in "'\"\\" else character.encode("unicode_escape").decode()
