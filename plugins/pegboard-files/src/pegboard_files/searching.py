"""The tool that searches the text of files."""

import stat
from contextlib import closing
from typing import Annotated, Any

import attrs
from annotated_types import MaxLen
from pegboard import Doc, Output, RunContext, Text, tool

from pegboard_files.below import DEEPEST, Below, Walk
from pegboard_files.dialects import Dialect
from pegboard_files.effects import READS
from pegboard_files.expressions import Expression
from pegboard_files.globs import MOST_CHARACTERS, Glob
from pegboard_files.paths import legible, on_one_line
from pegboard_files.reach import Place, reach
from pegboard_files.regular import read_place
from pegboard_files.ripgrep import Sieve, find_ripgrep
from pegboard_files.scan import Match, Scan
from pegboard_files.settings import Settings, root_of
from pegboard_files.sifting import Sifting


@attrs.frozen
class Matches:
    """What a search found.

    Attributes:
        matches: file by file, in order of their names.
        files_searched: how many files were looked at.
        notes: what was left out, and why.
    """

    matches: list[Match]
    files_searched: int
    notes: list[str]


@attrs.frozen
class Filter:
    """Which files are searched.

    Attributes:
        glob: what their names or paths fit; None for all files.
        is_for_names: whether it is for names, in whatever folder.
    """

    glob: Glob | None
    is_for_names: bool

    @classmethod
    def of(cls, glob: str | None) -> "Filter":
        """The filter of a call.

        Raises:
            ToolError: no path can fit it.
        """
        if not glob:
            return cls(None, is_for_names=False)
        whole = f"{glob}**" if glob.endswith("/") else glob
        return cls(Glob(whole, called="glob"), is_for_names="/" not in whole)

    def admits(self, below: Below, *, level: int) -> bool:
        """Whether a file is searched.

        Args:
            below: the file.
            level: how many of its names lead to the folder that is searched.
        """
        if self.glob is None:
            return True
        starts = (len(below.names) - 1,) if self.is_for_names else {0, level}
        return any(self.glob.fits(legible("/".join(below.names[start:]))) for start in starts)


def _render(_arguments: Any, value: Any) -> list[Text]:
    lines = list(map(_line, value["matches"]))
    nothing = [f"(no match in {value['files_searched']} files)"]
    return [Text("\n".join([*(lines or nothing), *(f"[{note}]" for note in value["notes"])]))]


def _line(match: Any) -> str:
    return f"{on_one_line(match['path'])}:{match['line']}: {match['text']}"


@tool(
    title="Search in files",
    concurrency_safe=False,
    annotations=READS,
    output=Output(render=_render),
)
def files_search(
    context: RunContext,
    pattern: Annotated[
        str, Doc("A regular expression (RE2: no look-around), matched within one line.")
    ],
    path: Annotated[str, Doc("The folder or file to search, relative to the root.")] = ".",
    *,
    glob: Annotated[
        str | None,
        MaxLen(MOST_CHARACTERS),
        Doc("Only files whose name or path fits, such as '*.md' or 'src/**/*.{ts,tsx}'."),
    ] = None,
    plain: Annotated[bool, Doc("Whether the pattern is plain text.")] = False,
    ignore_case: Annotated[bool, Doc("Whether capitals don't matter.")] = False,
) -> Matches:
    """Search text files for lines that match a pattern, in all folders below a folder."""
    settings: Settings = context.plugin.settings
    expression = Expression.of(pattern, is_plain=plain, ignores_case=ignore_case)
    dialect = Dialect(pattern, is_plain=plain, ignores_case=ignore_case)
    scan = Scan(
        expression,
        most_matches=settings.max_matches,
        most_bytes=settings.max_bytes,
        seconds=settings.max_seconds,
        look_up=context.signal.raise_if_cancelled,
        fallback=settings.fallback_encoding,
    )
    root, filtered = root_of(context.plugin), Filter.of(glob)
    with reach(root, path) as place:
        if stat.S_ISDIR(place.existing().st_mode):
            walk = Walk(DEEPEST, settings.skip)
            sifting = Sifting(scan, _sieve(dialect, settings, root), settings.max_file_bytes)
            notes = _scan_below(sifting, walk, place, filtered)
            return Matches(scan.matches, scan.searched, [*notes, *walk.left_out.notes()])
        scan.file(place.true_path, read_place(place, most=settings.max_file_bytes))
    return Matches(scan.matches, scan.searched, scan.notes())


def _sieve(dialect: Dialect, settings: Settings, root: str) -> Sieve | None:
    """ripgrep, where it is wanted and finds the same as the search without it."""
    if settings.search_with == "own" or settings.fallback_encoding is not None:
        return None
    program = find_ripgrep(settings.ripgrep, root=root)
    return None if program is None else Sieve.of(program, dialect)


def _scan_below(sifting: Sifting, walk: Walk, place: Place, filtered: Filter) -> list[str]:
    """Search what is below a folder; what was left out, in words."""
    is_empty = True
    with closing(walk.of(place)) as entries, sifting.open():
        for below in entries:
            if sifting.scan.is_over():
                break
            if below.kind == "file" and filtered.admits(below, level=len(place.names)):
                is_empty = False
                sifting.add(below)
    notes = sifting.scan.notes()
    is_filtered = is_empty and filtered.glob is not None and sifting.scan.stopped is None
    return ["no file there fits the glob", *notes] if is_filtered else notes
