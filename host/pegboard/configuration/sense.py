"""What a file says of boards and tools that can't be so, though each value is of its type."""

from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.configuration.toml import Keys
from pegboard.errors import InvalidNameError, did_you_mean, near_names
from pegboard.names import check_name
from pegboard.selection import can_match
from pegboard.texts import hidden_character

ALL_OTHERS = "*"


def senseless(table: Mapping[str, Any]) -> Iterator[tuple[Keys, str]]:
    """The keys of everything that can't be so, and why; values of wrong types are passed over."""
    yield from _selectors(table.get("deny"), ("deny",))
    boards = table.get("boards")
    known = boards if isinstance(boards, dict) else {}
    for name, board in known.items():
        at = ("boards", name)
        if name != ALL_OTHERS and (refusal := refused_name(name, kind="board")):
            yield at, refusal
        if isinstance(board, dict):
            for side in ("allow", "deny"):
                yield from _selectors(board.get(side), (*at, side))
            yield from _parent(board.get("parent"), known, (*at, "parent"))
            yield from _token(board.get("token"), (*at, "token"))
    yield from _circles(known)
    yield from _tools(table.get("tools"))


def refused_name(name: str, *, kind: str) -> str | None:
    """Why a board or a plugin can't have a name, or None."""
    try:
        check_name(name, kind=kind)
    except InvalidNameError as error:
        return str(error)
    return None


def _parent(parent: Any, known: Mapping[str, Any], at: Keys) -> Iterator[tuple[Keys, str]]:
    if not isinstance(parent, str) or (parent in known and parent != ALL_OTHERS):
        return
    if refusal := refused_name(parent, kind="board"):
        yield at, refusal
    elif ALL_OTHERS not in known:
        near = did_you_mean(near_names(parent, known))
        yield at, f"there is no table [boards.{parent}]{near}"


def _token(token: Any, at: Keys) -> Iterator[tuple[Keys, str]]:
    if isinstance(token, str):
        yield at, 'a token stands in no file as it is; write { env = "…" } or { file = "…" }'
    if isinstance(token, dict) and len([each for each in token.values() if each]) != 1:
        yield at, 'says where the text is: { env = "…" } or { file = "…" }'


def _tools(tables: Any) -> Iterator[tuple[Keys, str]]:
    for name, table in tables.items() if isinstance(tables, dict) else ():
        if not can_match(name):
            yield ("tools", name), f"{name!a} matches no name that a tool can have"
        described = table.get("description") if isinstance(table, dict) else None
        hidden = hidden_character(described) if isinstance(described, str) else None
        if hidden is not None:
            yield ("tools", name, "description"), f"holds the hidden character {hidden}"


def _circles(known: Mapping[str, Any]) -> Iterator[tuple[Keys, str]]:
    """Each circle of parents once, at the first of its boards."""
    done: set[str] = set()
    for name in known:
        chain: dict[str, None] = {}
        at: Any = name
        while isinstance(at, str) and at in known and at not in done and at not in chain:
            chain[at] = None
            at = known[at].get("parent") if isinstance(known[at], dict) else None
        if at in chain:
            circle = [*list(chain)[list(chain).index(at) :], at]
            shown = " -> ".join(map(repr, circle))
            yield ("boards", at, "parent"), f"a board can't be its own parent: {shown}"
        done |= chain.keys()


def _selectors(selectors: Any, at: Keys) -> Iterator[tuple[Keys, str]]:
    for index, each in enumerate(selectors if isinstance(selectors, list) else ()):
        if isinstance(each, str) and not can_match(each):
            yield (*at, index), f"{each!a} matches no name that a tool can have"
        elif isinstance(each, dict) and not any(value != [] for value in each.values()):
            yield (*at, index), 'says nothing of the tools it means; for all of them, write "*"'
