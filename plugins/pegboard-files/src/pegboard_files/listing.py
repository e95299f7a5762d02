"""The tool that lists a folder."""

import stat
from contextlib import closing
from typing import Annotated, Any

import attrs
from annotated_types import Ge, Le
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_files.below import DEEPEST, Below, Kind, Walk
from pegboard_files.effects import READS
from pegboard_files.paths import on_one_line, shown
from pegboard_files.reach import Place, reach
from pegboard_files.settings import Settings, root_of


@attrs.frozen
class Entry:
    """An entry of a folder.

    Attributes:
        path: from the root, as the other tools take it.
        kind: what it is; a link is listed, never entered.
        size: the bytes of a file.
    """

    path: str
    kind: Kind
    size: int | None = None

    @classmethod
    def of(cls, below: Below) -> "Entry":
        """The entry as a model reads it."""
        return cls(below.path, below.kind, below.found.st_size if below.kind == "file" else None)


@attrs.frozen
class Listing:
    """What a folder holds.

    Attributes:
        path: the folder, from the root.
        entries: in order of their names, each folder before what is in it.
        notes: what was left out, and why.
    """

    path: str
    entries: list[Entry]
    notes: list[str]


def _render(_arguments: Any, value: Any) -> list[Text]:
    lines = [line_of(entry) for entry in value["entries"]] or ["(the folder is empty)"]
    return [Text("\n".join([*lines, *(f"[{note}]" for note in value["notes"])]))]


def line_of(entry: Any) -> str:
    """An entry on a line of its own."""
    path = on_one_line(entry["path"])
    if entry["kind"] == "folder":
        return f"{path}/"
    return (
        f"{path}  {entry['size']} bytes" if entry["kind"] == "file" else f"{path}  {entry['kind']}"
    )


@tool(
    title="List a folder",
    concurrency_safe=False,
    annotations=READS,
    output=Output(render=_render),
)
def files_list(
    context: RunContext,
    path: Annotated[str, Doc("A folder, relative to the root; '.' is the root itself.")] = ".",
    depth: Annotated[int, Ge(1), Le(DEEPEST), Doc("How many levels to go down.")] = 1,
) -> Listing:
    """List the files and folders in a folder, with the sizes of the files."""
    settings: Settings = context.plugin.settings
    with reach(root_of(context.plugin), path) as place:
        check_folder(place)
        return _list(place, Walk(depth, settings.skip), settings)


def check_folder(place: Place) -> None:
    """Let a folder pass.

    Raises:
        ToolError: nothing is there, or something else.
    """
    if not stat.S_ISDIR(place.existing().st_mode):
        raise ToolError(
            f"{shown(place.path)} is not a folder; files_read gives the text of a file",
            code="not_a_folder",
        )


def _list(place: Place, walk: Walk, settings: Settings) -> Listing:
    entries: list[Entry] = []
    size, is_cut, strange = 0, False, 0
    with closing(walk.of(place)) as found:
        for below in found:
            size += len(below.path)
            is_cut = len(entries) >= settings.max_entries or size > settings.max_bytes
            if is_cut:
                break
            entries.append(Entry.of(below))
            strange += not below.is_reachable
    notes = [*_notes(len(entries), is_cut=is_cut, strange=strange), *walk.left_out.notes()]
    return Listing(place.true_path, entries, notes)


def _notes(count: int, *, is_cut: bool, strange: int) -> list[str]:
    notes = []
    if is_cut:
        notes.append(f"only the first {count} entries are shown; list a folder further down")
    if strange:
        notes.append(f"names that can't be given back, shown with \\: {strange}")
    return notes
