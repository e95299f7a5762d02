"""What operators have denied and allowed on one host, and what comes of it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import attrs

from pegboard.board import Board, Engine
from pegboard.errors import ConfigError, ReservedNameError, RestrictionError, UnknownNameError
from pegboard.host.boards import Boards
from pegboard.host.state import StateFile
from pegboard.host.switches import switch_off
from pegboard.registry import (
    Entry,
    Registration,
    Scope,
    Selectors,
    check_reached,
    check_restriction,
    exact_names,
)
from pegboard.reports import PluginInfo
from pegboard.selection import Select, Selector

_MOST = 5
_Key: TypeAlias = tuple[Board | None, Selector]


@attrs.define(eq=False)
class Operators:
    """Hides tools for operators, and takes that back.

    Attributes:
        file: keeps what is to hold for good.
        plugins: the plugins that are known, by name.
    """

    engine: Engine
    boards: Boards
    file: StateFile
    plugins: Mapping[str, PluginInfo]
    _denied: dict[_Key, Registration] = attrs.field(factory=dict)
    _granted: dict[_Key, Registration | None] = attrs.field(factory=dict)

    def restore(self) -> None:
        """Deny what was denied for good.

        Raises:
            ConfigError: somebody has reserved such a name since.
        """
        for each in self.file.state.deny:
            try:
                self._switch_off(each)
            except ReservedNameError as error:
                where = f"{self.file.path}: an operator has denied {each!r} for good"
                raise ConfigError([f"{where}, and {error}; take one of them back"]) from error

    def names(self) -> list[str]:
        """The exact names of what is denied and granted."""
        return exact_names(selector for _, selector in (*self._denied, *self._granted))

    def deny(
        self,
        selectors: tuple[Selector, ...],
        *,
        board: Board | None,
        is_kept: bool,
        is_pending: bool,
    ) -> tuple[str, ...]:
        """Hide tools, on one board or on all, own tools included; once more changes nothing.

        Returns:
            which of them stay visible, and why.

        Raises:
            PegboardError: it can't be so, and nothing is hidden.
        """
        _check_said(selectors)
        names = tuple(each for each in selectors if isinstance(each, str))
        if is_kept and (board is not None or len(names) < len(selectors)):
            raise RestrictionError(
                "only names and patterns are kept, and for every board; for one board, or for "
                "tools by what they are, write it into the configuration"
            )
        self._check_deniable(selectors, board, is_pending=is_pending)
        if is_kept:
            self.file.deny(names)
        self._forget_closed()
        for each in selectors:
            self._deny(board, each)
        return () if board is None else _shortened(self._still_shown(board, selectors))

    def _check_deniable(
        self, selectors: tuple[Selector, ...], board: Board | None, *, is_pending: bool
    ) -> None:
        exact = exact_names(selectors)
        self.engine.registry.check_unreserved(exact)
        if not is_pending:
            self._check_known(selectors)
        if board is not None:
            scope = self.boards.scope(board)
            standing = [each for each in exact if any(_standing(scope, each))]
            check_reached(scope, standing if is_pending else exact)

    def _check_known(self, selectors: Iterable[Selector]) -> None:
        registry = self.engine.registry
        for each in selectors:
            if isinstance(each, Select):
                known = {"plugin": set(self.plugins), "distribution": self._distributions()}
                for kind, names in known.items():
                    name = getattr(each, kind)
                    if name is not None and name not in names:
                        raise UnknownNameError(kind, name, names)
            elif exact_names([each]) and not registry.entries(each):
                raise UnknownNameError("tool", each, registry.names())

    def _distributions(self) -> set[str]:
        found = (each.distribution for each in self.plugins.values())
        return {each for each in found if each is not None}

    def _deny(self, board: Board | None, selector: Selector) -> None:
        granted = self._granted.get((board, selector))
        if granted is not None:
            granted.close()
            self._granted[board, selector] = None  # it is back once this is allowed again
        if (board, selector) in self._denied:
            return
        if board is None:
            self._switch_off(selector)
        else:
            self._denied[board, selector] = board.restrict(deny=[selector], pending=True)

    def _switch_off(self, selector: Selector) -> None:
        self._denied[None, selector] = switch_off(self.engine, (selector,), "an operator")

    def _still_shown(self, board: Board, selectors: tuple[Selector, ...]) -> Iterator[str]:
        scope, meant = self.boards.scope(board), Selectors(selectors)
        for entry in scope.view().entries.values():
            if meant.match(entry):
                is_own = scope.layer.get(entry.name) is entry and not entry.masked_by
                why = "the board itself owns it" if is_own else "a grant lifts the board's masks"
                yield f"{entry.name!r} stays visible on board {board.name!r}: {why}"

    def allow(self, selectors: tuple[Selector, ...], *, board: Board | None) -> tuple[str, ...]:
        """Take back what was denied; on a board, else lift its own masks.

        Returns:
            which of them stay hidden, and why.

        Raises:
            RestrictionError: there is nothing to take back or to lift, and nothing has changed.
        """
        _check_said(selectors)
        self._forget_closed()
        for each in selectors:
            if (board, each) not in self._denied:
                self._check_allowable(board, each)
        if board is None:
            self.file.allow(tuple(each for each in selectors if isinstance(each, str)))
        for each in selectors:
            self._allow(board, each)
        return _shortened(self._still_hidden(board, selectors))

    def _allow(self, board: Board | None, selector: Selector) -> None:
        denied = self._denied.pop((board, selector), None)
        if denied is not None:
            denied.close()
        key = (board, selector)
        is_to_grant = denied is None or key in self._granted
        if board is not None and is_to_grant and self._granted.get(key) is None:
            self._granted[key] = board.grant(selector)

    def _check_allowable(self, board: Board | None, selector: Selector) -> None:
        """Refuse to allow what no operator has denied, and no mask of the board hides."""
        if board is not None and (board, selector) in self._granted:
            return
        if board is not None and any(self._masked(board, selector)):
            return
        where = "every board" if board is None else f"board {board.name!r}"
        hidden = next(self._still_hidden(board, (selector,)), None)
        said = "" if hidden is None else f"; {hidden}"
        denied = ", ".join(sorted(repr(str(each)) for on, each in self._denied if on is board))
        raise RestrictionError(
            f"no operator has denied {str(selector)!r} on {where}{said}; "
            f"denied there by operators: {denied or 'nothing'}"
        )

    def _masked(self, board: Board, selector: Selector) -> Iterator[Entry]:
        """The tools that a selector means and the board's own masks hide."""
        scope, meant = self.boards.scope(board), Selectors([selector])
        for entry in _standing(scope):
            if meant.match(entry) and not scope.admits(entry):
                yield entry

    def _still_hidden(self, board: Board | None, selectors: tuple[Selector, ...]) -> Iterator[str]:
        root = self.engine.registry.root
        scope = root if board is None else self.boards.scope(board)
        shown, meant = scope.view().entries, Selectors(selectors)
        for entry in _standing(scope):
            if entry.name in shown or not meant.match(entry):
                continue
            masks = (mask for each in scope.ancestry for mask in each.restrictions)
            objections = (mask.objection(entry) for mask in masks)
            why = next((each for each in objections if each is not None), "see explain")
            yield f"{entry.name!r} stays hidden: {why}"

    def _forget_closed(self) -> None:
        """Forget what has gone with its board."""
        for key in {key for key in (*self._denied, *self._granted) if not self._is_there(key[0])}:
            self._denied.pop(key, None)
            self._granted.pop(key, None)

    def _is_there(self, board: Board | None) -> bool:
        return board is None or self.boards.open.get(board.name) is board


def _check_said(selectors: tuple[Selector, ...]) -> None:
    """Refuse selectors that say nothing.

    Raises:
        RestrictionError: names the way out.
    """
    check_restriction(None, selectors)
    if Select() in selectors:
        raise RestrictionError("an empty Select says nothing; for all tools, write '*'")


def _standing(scope: Scope, name: str | None = None) -> Iterator[Entry]:
    """The tools on the layers of a board, of one name or all."""
    for each in scope.ancestry:
        for entry in each.layer.entries.values():
            if name in (None, entry.name):
                yield entry


def _shortened(remarks: Iterator[str]) -> tuple[str, ...]:
    """The first of them, and how many more there are."""
    known = list(remarks)
    more = len(known) - _MOST
    return (*known[:_MOST], *([f"and {more} more"] if more > 0 else []))
