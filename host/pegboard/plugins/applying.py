"""What a sync is to have a host follow, and what it has done so far."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Protocol, TypeAlias

import attrs

from pegboard.config import Config
from pegboard.plugins.requiring import Around
from pegboard.reports import ConfigChange, SyncReport


class Taking(Protocol):
    """Has a host follow another configuration that was checked."""

    @property
    def boards(self) -> tuple[str, ...]:
        """The boards for which it says something else than before."""

    def changes(
        self, failed: Collection[str] = (), behind: Mapping[str, Config] | None = None
    ) -> tuple[ConfigChange, ...]:
        """The keys that say something else.

        Args:
            failed: the plugins that could not follow them.
            behind: the configurations that plugins have followed which are behind, by name.
        """

    def begin(self) -> None:
        """Take it over, in one step; what was hidden before stays hidden."""

    def settle(self) -> None:
        """Hide no more than it says, now that no plugin is as it was before."""

    def end(self) -> None:
        """Let no call run without what it requires, now that everything was loaded."""


@attrs.frozen(eq=False)
class Coming:
    """A configuration that a host may follow.

    Attributes:
        config: what is configured.
        check: what takes it over, given what is there.
    """

    config: Config
    check: Callable[[Around], Taking]


Ask: TypeAlias = Callable[[], Awaitable[Coming]]
"""Reads what is configured now, and raises `PegboardError` where it is broken."""


@attrs.define(eq=False)
class Applied:
    """What a sync has done so far."""

    loaded: list[str] = attrs.field(factory=list)
    unloaded: list[str] = attrs.field(factory=list)
    reloaded: list[str] = attrs.field(factory=list)
    failed: list[str] = attrs.field(factory=list)

    def report(
        self, taking: Taking, behind: Mapping[str, Config], errors: Iterable[str] = ()
    ) -> SyncReport:
        """The same for who asked.

        Args:
            taking: tells the keys that say something else.
            behind: what was configured when plugins that were behind have followed last.
            errors: why plugins would fail.
        """
        return SyncReport(
            loaded=tuple(sorted(self.loaded)),
            unloaded=tuple(sorted(self.unloaded)),
            reloaded=tuple(sorted(self.reloaded)),
            failed=tuple(sorted(self.failed)),
            boards=taking.boards,
            changes=taking.changes(self.failed, behind),
            errors=tuple(errors),
        )
