"""What an operator may set."""

from pathlib import Path
from typing import Annotated

import attrs
from annotated_types import Ge, Gt, Le, MinLen
from pegboard import PegboardError, PluginContext


@attrs.frozen
class Settings:
    """The settings of the plugin.

    Attributes:
        path: the file of the lists; relative to the folder of the configuration, or to the working
            folder at loading where the plugin has no table there.
        one_doing: whether at most one item of a list is being done at a time.
        max_items: how many items one list may have.
        max_characters: how long the text of an item may be.
        max_seconds: how long a call waits for others that write.
    """

    path: Annotated[str, MinLen(1)] = "todo.sqlite3"
    one_doing: bool = True
    max_items: Annotated[int, Ge(1), Le(1_000)] = 200
    max_characters: Annotated[int, Ge(1), Le(2_000)] = 500
    max_seconds: Annotated[float, Gt(0), Le(600)] = 10.0


def path_of(plugin: PluginContext) -> Path:
    """The path of the file, links in its folder resolved.

    Raises:
        PegboardError: the setting is no path, or its folder isn't there.
    """
    settings: Settings = plugin.settings
    if settings.path == ":memory:" or settings.path.startswith("file:"):
        raise PegboardError(
            "path in [plugins.todo] needs the path of a file; databases in memory and URIs are "
            "not taken"
        )
    try:
        path = Path(plugin.folder, Path(settings.path).expanduser()).resolve()
        is_there = path.parent.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise PegboardError(f"path in [plugins.todo] can't be used: {error}") from error
    if not is_there:
        raise PegboardError(
            f"path in [plugins.todo] lies in {str(path.parent)!r}, which is not a folder; make it, "
            "or set another path"
        )
    return path
