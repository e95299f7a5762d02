"""What another configuration says, in one line for each key."""

import json
from collections.abc import Collection, Iterable, Iterator

from pegboard import ConfigChange
from pegboard.values import JSON

_LONGEST = 60


def change_lines(changes: Iterable[ConfigChange], *, failed: Collection[str] = ()) -> Iterator[str]:
    """Each key that says something else, with its place, and when that holds if not at once.

    Args:
        changes: the keys.
        failed: the plugins that could not follow.
    """
    for each in changes:
        where = "" if each.place is None else f"{each.place}: "
        late = "" if each.is_applied else f" ({_late(each.path, failed)})"
        is_hidden = each.before is None and each.after is None
        said = "changed" if is_hidden else f"{_shown(each.before)} -> {_shown(each.after)}"
        yield f"{where}{each.path}: {said}{late}"


def _late(path: str, failed: Collection[str]) -> str:
    if any(path.startswith((f"plugins.{each}.", f"mcp.{each}.")) for each in failed):
        return "not followed, as the plugin failed"
    if path.startswith("boards."):
        return "once the board is made anew"
    return "at the next start"


def _shown(value: JSON) -> str:
    text = "unset" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
