"""The tool that deletes files and folders."""

from typing import Annotated, Any

import attrs
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_files.cards import shown_delete, shown_deleted
from pegboard_files.effects import CHANGES
from pegboard_files.encoding import encoding_of
from pegboard_files.moving import check_entry
from pegboard_files.patches import MOST_OF_A_PATCH, patch_of
from pegboard_files.paths import on_one_line
from pegboard_files.reach import Place, reach
from pegboard_files.refusals import refusing
from pegboard_files.removal import Removal
from pegboard_files.settings import Settings, root_of
from pegboard_files.text import is_binary
from pegboard_files.versions import read_if_possible


@attrs.frozen
class Deleted:
    """Something that was deleted.

    Attributes:
        path: where it was, from the root.
        kind: what it was: a file, a folder, a link.
        count: how many entries are gone, itself included.
        patch: the text that is gone, as a unified diff; None for what was no short text.
    """

    path: str
    kind: str
    count: int
    patch: str | None


def _render(_arguments: Any, value: Any) -> list[Text]:
    inside = f", with {value['count'] - 1} entries in it" if value["count"] > 1 else ""
    return [Text(f"the {value['kind']} {on_one_line(value['path'])} is deleted{inside}")]


@tool(
    title="Delete a file or folder",
    concurrency_safe=False,
    annotations=CHANGES,
    output=Output(render=_render),
    present_call=shown_delete,
    present_result=shown_deleted,
)
def files_delete(
    context: RunContext,
    path: Annotated[
        str, Doc("The file, folder or link, relative to the root; a link itself is deleted.")
    ],
    *,
    recursive: Annotated[bool, Doc("Whether a folder goes with everything in it.")] = False,
) -> Deleted:
    """Delete a file, or a folder that is empty unless recursive is set. It can't be undone."""
    settings: Settings = context.plugin.settings
    removal = Removal(look_up=context.signal.raise_if_cancelled)
    with reach(root_of(context.plugin), path, follow=False) as place:
        kind = check_entry(place, doing="deleted")
        patch = _patch(place, settings) if kind == "file" else None
        if kind == "folder" and recursive:
            removal.check(place)
            removal.remove_tree(place)
        elif kind == "folder":
            _remove_empty(removal, place)
        else:
            with refusing(path, doing="deleted"):
                removal.remove(place.name, at=place.folder)
    return Deleted(place.true_path, kind, removal.count, patch)


def _remove_empty(removal: Removal, place: Place) -> None:
    try:
        with refusing(place.path, doing="deleted"):
            removal.remove_folder(place.name, at=place.folder)
    except ToolError as error:
        if removal.is_full(place):
            raise ToolError(
                f"{error}; set recursive to delete it with everything in it", code="not_empty"
            ) from error
        raise


def _patch(place: Place, settings: Settings) -> str | None:
    """The text that is about to go, if it is a short one."""
    if place.existing().st_size > MOST_OF_A_PATCH:
        return None
    read = read_if_possible(place, most=MOST_OF_A_PATCH)
    if read is None or not read.is_whole:
        return None
    encoding = encoding_of(read.data, fallback=settings.fallback_encoding)
    if encoding.is_plain and is_binary(read.data):
        return None
    try:
        return patch_of(place.true_path, encoding.decode(read.data), None)
    except UnicodeDecodeError:
        return None
