"""The tool that finds files by their names."""

from contextlib import closing
from typing import Annotated, Any

import attrs
from pegboard import Doc, Output, RunContext, Text, tool

from pegboard_files.below import DEEPEST, Below, Walk
from pegboard_files.effects import READS
from pegboard_files.globs import Glob
from pegboard_files.listing import Entry, check_folder, line_of
from pegboard_files.paths import legible, shown
from pegboard_files.patience import Patience
from pegboard_files.reach import Place, reach
from pegboard_files.settings import Settings, root_of


@attrs.frozen
class Found:
    """What fits a pattern.

    Attributes:
        entries: files, folders and links, in order of their names.
        notes: what was left out, and why.
    """

    entries: list[Entry]
    notes: list[str]


def _render(arguments: Any, value: Any) -> list[Text]:
    nothing = f"(nothing fits the pattern{_way_out(str(arguments.get('pattern', '')))})"
    lines = list(map(line_of, value["entries"])) or [nothing]
    return [Text("\n".join([*lines, *(f"[{note}]" for note in value["notes"])]))]


def _way_out(pattern: str) -> str:
    """What else to look for, where the pattern is for names in the folder itself only."""
    is_for_all = "/" in pattern.rstrip("/") or pattern.startswith("**")
    return "" if is_for_all else f"; {shown(f'**/{pattern}')} looks in all folders below too"


@tool(
    title="Find files",
    concurrency_safe=False,
    annotations=READS,
    output=Output(render=_render),
)
def files_glob(
    context: RunContext,
    pattern: Annotated[
        str,
        Doc("Such as '*.md', 'src/**/*.py', '**/test_*.{py,txt}'; folders only if it ends in '/'."),
    ],
    path: Annotated[str, Doc("The folder below which to look, relative to the root.")] = ".",
) -> Found:
    """Find files and folders by a pattern for their paths below a folder."""
    settings: Settings = context.plugin.settings
    glob = Glob(pattern)
    patience = Patience(settings.max_seconds, context.signal.raise_if_cancelled)
    walk = Walk(min(glob.depth or DEEPEST, DEEPEST), settings.skip)
    with reach(root_of(context.plugin), path) as place:
        check_folder(place)
        return _find(place, walk, glob, patience, settings)


def _find(place: Place, walk: Walk, glob: Glob, patience: Patience, settings: Settings) -> Found:
    entries: list[Entry] = []
    notes, size, base = [], 0, len(place.names)
    with closing(walk.of(place)) as found:
        for below in found:
            if patience.is_over():
                notes.append(patience.note)
                break
            if not _fits(below, glob, base):
                continue
            size += len(below.path)
            if len(entries) >= settings.max_entries or size > settings.max_bytes:
                notes.append(f"only the first {len(entries)} entries are shown; ask more exactly")
                break
            entries.append(Entry.of(below))
    return Found(entries, [*notes, *walk.left_out.notes()])


def _fits(below: Below, glob: Glob, base: int) -> bool:
    if glob.wants_folder and below.kind != "folder":
        return False
    return glob.fits(legible("/".join(below.names[base:])))
