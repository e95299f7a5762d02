"""How a user interface shows what is done to a file, from logged data of any version."""

from typing import Any

from pegboard import DiffCard

from pegboard_files.patches import deleted, moved, of_edits
from pegboard_files.paths import on_one_line


def shown_write(arguments: Any) -> DiffCard:
    """A text that is about to be written."""
    return DiffCard(_path(arguments), after=_text(arguments, "content"))


def shown_written(arguments: Any, outcome: Any) -> DiffCard | None:
    """What a text that was written has changed; the whole text if that is too much."""
    return _changed(outcome) or (None if outcome.is_error else shown_write(arguments))


def shown_edit(arguments: Any) -> DiffCard:
    """What an edit asks for."""
    edits = [(_text(edit, "old"), _text(edit, "new")) for edit in arguments.get("edits") or ()]
    if len(edits) == 1:
        return DiffCard(_path(arguments), before=edits[0][0], after=edits[0][1])
    return DiffCard(_path(arguments), patch=of_edits(str(arguments.get("path", "")), edits))


def shown_edited(arguments: Any, outcome: Any) -> DiffCard | None:
    """What an edit has changed; what it asked for if that is too much."""
    return _changed(outcome) or (None if outcome.is_error else shown_edit(arguments))


def shown_move(arguments: Any) -> DiffCard:
    """The old name and the new one."""
    path, to = (str(arguments.get(key, "")) for key in ("path", "to"))
    return DiffCard(on_one_line(to), patch=moved(path, to))


def shown_moved(arguments: Any, outcome: Any) -> DiffCard | None:
    """The same, once it is done."""
    return None if outcome.is_error else shown_move(arguments)


def shown_delete(arguments: Any) -> DiffCard:
    """The name that is about to go."""
    return DiffCard(_path(arguments), patch=deleted(str(arguments.get("path", ""))))


def shown_deleted(arguments: Any, outcome: Any) -> DiffCard | None:
    """What went, with its text if it was a short one."""
    return _changed(outcome) or (None if outcome.is_error else shown_delete(arguments))


def _changed(outcome: Any) -> DiffCard | None:
    value = None if outcome.is_error else outcome.value
    if not isinstance(value, dict) or not isinstance(value.get("patch"), str):
        return None
    return DiffCard(on_one_line(str(value.get("path", ""))), patch=value["patch"])


def _path(arguments: Any) -> str:
    return on_one_line(str(arguments.get("path", "")))


def _text(found: Any, key: str) -> str:
    return str(found.get(key, "")) if isinstance(found, dict) else ""
