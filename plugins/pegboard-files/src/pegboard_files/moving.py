"""The tool that moves or renames files and folders."""

import os
import stat
from typing import Annotated, Any

import attrs
from pegboard import Doc, Output, RunContext, Text, ToolError, tool

from pegboard_files.cards import shown_move, shown_moved
from pegboard_files.effects import CHANGES
from pegboard_files.paths import on_one_line, shown
from pegboard_files.reach import Place, names_in, reach
from pegboard_files.refusals import kind_of, refusing
from pegboard_files.regular import check_not_in_use
from pegboard_files.renaming import change_case, rename
from pegboard_files.settings import root_of


@attrs.frozen
class Moved:
    """Something that was moved.

    Attributes:
        path: where it was, from the root.
        to: where it is, from the root.
        kind: what it is: a file, a folder, a link.
    """

    path: str
    to: str
    kind: str


def _render(_arguments: Any, value: Any) -> list[Text]:
    path, to = on_one_line(value["path"]), on_one_line(value["to"])
    return [Text(f"the {value['kind']} {path} is {to} now")]


@tool(
    title="Move a file or folder",
    concurrency_safe=False,
    annotations=CHANGES,
    output=Output(render=_render),
    present_call=shown_move,
    present_result=shown_moved,
)
def files_move(
    context: RunContext,
    path: Annotated[
        str, Doc("The file, folder or link, relative to the root; a link itself is moved.")
    ],
    to: Annotated[str, Doc("Its whole new path, relative to the root; missing folders are made.")],
) -> Moved:
    """Move or rename a file or a folder. Nothing that is there already is ever replaced."""
    root = root_of(context.plugin)
    with (
        reach(root, path, follow=False) as source,
        reach(root, to, create=True, follow=False) as target,
    ):
        kind = check_entry(source, doing="moved")
        _check_apart(source, target)
        is_same = _is_same_entry(source, target)
        if not is_same:
            _check_free(target, kind)
        with refusing(path, doing="moved"):
            _move(source, target, is_same=is_same)
    return Moved(source.true_path, target.true_path, kind)


def check_entry(place: Place, *, doing: str) -> str:
    """Let an entry below the root pass; what it is, in a word.

    Raises:
        ToolError: nothing is there, or the root, or a file of a database in use, or a file where
            the path names a folder.
    """
    kind = kind_of(place.existing())
    if not place.names:
        raise ToolError(
            f"{shown(place.path)} is the root folder, which is never {doing}; name what is in it",
            code="is_root",
        )
    if kind != "folder" and place.path.endswith("/"):
        raise ToolError(
            f"{shown(place.path)} ends in '/', which names a folder, and is a {kind}; leave it out",
            code="not_a_folder",
        )
    if kind == "file":
        check_not_in_use(place.name, at=place.folder, path=place.path)
    return kind


def _check_apart(source: Place, target: Place) -> None:
    if not target.names:
        raise _taken(target)
    if source.names == target.names:
        raise ToolError(f"{shown(source.path)} is there already", code="same_place")
    if source.names == target.names[: len(source.names)]:
        raise ToolError(
            f"{shown(source.path)} can't be moved into itself; name a place outside of it",
            code="into_itself",
        )


def _check_free(target: Place, kind: str) -> None:
    if target.found is not None:
        raise _taken(target)
    if kind != "folder" and target.path.endswith("/"):
        raise ToolError(
            f"{shown(target.path)} ends in '/', which names a folder; name the {kind} itself",
            code="not_a_folder",
        )


def _taken(target: Place) -> ToolError:
    found = target.existing()
    if stat.S_ISDIR(found.st_mode):
        way_out = "name the new place itself, with the last part that it will have"
    else:
        way_out = "nothing is replaced; name another place"
    return ToolError(
        f"{shown(target.path)} is taken, by a {kind_of(found)}; {way_out}", code="exists"
    )


def _is_same_entry(source: Place, target: Place) -> bool:
    """Whether both names are one entry, on a file system for which capitals don't matter."""
    is_one_file = target.found is not None and os.path.samestat(source.existing(), target.found)
    if not is_one_file or source.names[:-1] != target.names[:-1]:
        return False
    with refusing(source.path, doing="moved"):
        return not {source.name, target.name} <= names_in(source.folder)


def _move(source: Place, target: Place, *, is_same: bool) -> None:
    move = change_case if is_same else rename
    try:
        move(source.name, target.name, at=source.folder, into=target.folder)
    except FileExistsError as error:
        raise ToolError(
            f"{shown(target.path)} was taken in the meantime; nothing was moved", code="exists"
        ) from error
