"""The methods that change something; each is told as `OperatorActed` events."""

from typing import Annotated, TypeAlias

import attrs
from annotated_types import Ge, Le, MaxLen, MinLen

from pegboard.board.shapes import plain
from pegboard.configuration.tables import SelectTable
from pegboard.control.asking import Name, Served, listed
from pegboard.control.bounds import MOST_ITEMS
from pegboard.control.frames import shown
from pegboard.errors import ControlError
from pegboard.plugins.sources import is_path
from pegboard.selection import Select, Selector, can_match
from pegboard.values import JSON

Grace: TypeAlias = Annotated[float, Ge(0), Le(1e9)]
Words: TypeAlias = Annotated[str, MaxLen(1024)]
Selectors: TypeAlias = Annotated[list[Name | SelectTable], MinLen(1), MaxLen(MOST_ITEMS)]

_GRACE = 10.0


@attrs.frozen
class Load:
    """Load an installed plugin."""

    name: Name

    is_changing = True

    async def answer(self, served: Served) -> JSON:
        """The plugin, as it is then."""
        if is_path(self.name):
            raise _wrong("name must be the name of an installed plugin, not a path")
        return plain(await served.host.load(self.name))


@attrs.frozen
class Unload:
    """Take everything of a plugin back."""

    name: Name
    grace: Grace = _GRACE
    block: bool = False
    force: bool = False

    is_changing = True

    async def answer(self, served: Served) -> JSON:
        """The report."""
        report = await served.host.unload(
            self.name, grace=self.grace, force=self.force, block=self.block
        )
        return plain(report)


@attrs.frozen
class Reload:
    """Exchange a plugin for its code on disk."""

    name: Name
    grace: Grace = _GRACE

    is_changing = True

    async def answer(self, served: Served) -> JSON:
        """The plugin, as it is then."""
        return plain(await served.host.reload(self.name, grace=self.grace))


@attrs.frozen
class Sync:
    """Follow what is installed and configured now."""

    dry_run: bool = False

    @property
    def is_changing(self) -> bool:
        """Whether anything happens."""
        return not self.dry_run

    async def answer(self, served: Served) -> JSON:
        """The report."""
        return plain(await served.host.sync(dry_run=self.dry_run))


@attrs.frozen
class Deny:
    """Hide tools, everywhere or on one board."""

    selectors: Selectors
    board: Name | None = None
    keep: bool = False
    pending: bool = False

    is_changing = True

    async def answer(self, served: Served) -> JSON:
        """What is to be said of tools that stay visible all the same."""
        chosen = await listed(self.selectors, _selector, at_once=1)
        remarks = served.host.deny(*chosen, board=self.board, keep=self.keep, pending=self.pending)
        return {"remarks": list(remarks)}


@attrs.frozen
class Allow:
    """Take such a denial back, or lift a board's own masks."""

    selectors: Selectors
    board: Name | None = None

    is_changing = True

    async def answer(self, served: Served) -> JSON:
        """What is to be said of tools that stay hidden all the same."""
        chosen = await listed(self.selectors, _selector, at_once=1)
        return {"remarks": list(served.host.allow(*chosen, board=self.board))}


@attrs.frozen
class Cancel:
    """Cancel what runs on a board, or the calls of an id."""

    board: Name | None = None
    call_id: Words | None = None
    reason: Words = "cancelled by an operator"

    is_changing = True

    async def answer(self, served: Served) -> JSON:
        """How many were cancelled."""
        if self.board is None and self.call_id is None:
            raise _wrong("cancel takes board, call_id or both, and got neither")
        cancelled = await served.host.cancel(self.reason, board=self.board, call_id=self.call_id)
        return {"cancelled": cancelled}


def _selector(written: str | SelectTable) -> Selector:
    """A selector as it was written, if it can mean any tool."""
    if isinstance(written, str):
        if not can_match(written):
            raise _wrong(f"selector {shown(written)} matches no name that a tool can have")
        return written
    chosen = Select(**attrs.asdict(written))
    if chosen == Select():
        raise _wrong('a selector says nothing of the tools it means; for all of them, write "*"')
    return chosen


def _wrong(message: str) -> ControlError:
    return ControlError(message, kind="invalid_request")
