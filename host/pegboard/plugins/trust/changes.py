"""What is otherwise in one lock than in another: what an operator accepts."""

from collections.abc import Iterator, Sequence

from pegboard.plugins.trust.lockfile import Identity, Lock, LockedPlugin
from pegboard.registry import Pinned, differences
from pegboard.reports import LockChange

_NOBODY = LockedPlugin(Identity())


def changes_between(before: Lock, now: Lock) -> Iterator[LockChange]:
    """Every plugin and every tool that came, went or changed, by name."""
    for name in sorted(before.plugins.keys() | now.plugins.keys()):
        old, new = before.plugins.get(name), now.plugins.get(name)
        kind = "new" if old is None else "gone" if new is None else "changed"
        old, new = old or _NOBODY, new or _NOBODY
        diff = differences(old.identity.said(), new.identity.said())
        if diff or kind != "changed":
            yield LockChange(name, None, kind, diff)
        yield from _of_tools(name, old.tools, new.tools)


def _of_tools(plugin: str, before: Sequence[Pinned], now: Sequence[Pinned]) -> Iterator[LockChange]:
    for name in sorted({each.name for each in (*before, *now)}):
        olds, news = _only_in(name, before, now), _only_in(name, now, before)
        for old, new in zip(olds, news, strict=False):
            diff = differences(old.definition, new.definition)
            yield LockChange(plugin, name, "changed", diff)
        for old in olds[len(news) :]:
            yield LockChange(plugin, name, "gone", differences(old.definition, {}))
        for new in news[len(olds) :]:
            yield LockChange(plugin, name, "new", differences({}, new.definition))


def _only_in(name: str, some: Sequence[Pinned], others: Sequence[Pinned]) -> list[Pinned]:
    """The definitions of a tool that the others haven't."""
    known = {each.digest for each in others}
    return sorted(
        (each for each in some if each.name == name and each.digest not in known),
        key=lambda each: each.digest,
    )
