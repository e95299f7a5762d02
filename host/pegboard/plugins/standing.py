"""What a loaded plugin has put on its layer, where its tools can be swapped in one step."""

import attrs

from pegboard.names import folded
from pegboard.registry import Contributions, Entry, Registry, Scope, sifted
from pegboard.registry.layer import Layer


class Standing:
    """The contributions of one load on its layer.

    Attributes:
        contributions: what stands there.
    """

    def __init__(self, registry: Registry, scope: Scope, given: Contributions) -> None:
        self._registry = registry
        self._scope = scope
        given = sifted(registry, scope, given)
        self.contributions = given
        self._rest = registry.put(scope, attrs.evolve(given, entries=()))
        try:
            self._tools = registry.put(scope, Contributions(given.entries))
        except BaseException:
            self._rest.close()
            raise

    @property
    def is_open(self) -> bool:
        """Whether it has not been taken back."""
        return self._rest.is_open

    def swap(self, asked: Contributions) -> None:
        """Put other tools in the place of those that stand here, or leave everything as it is.

        Tools that are the same as before keep their entries, and with them what was approved.

        Raises:
            CollisionError: a name is taken by somebody else, or twice.
            ReservedNameError: a name is reserved by somebody else.
        """
        before = {each.name: each for each in self.contributions.entries}
        own = {folded(name) for name in before}
        asked = sifted(self._registry, self._scope, asked, own=own)
        after = tuple(_same(before.get(each.name), each) for each in asked.entries)
        others = tuple(each for each in after if folded(each.name) not in own)
        Layer(self._scope.layer.name).check(after)
        self._registry.check(self._scope, Contributions(others))
        self._tools.close()
        self._tools = self._registry.put(self._scope, Contributions(after))
        self.contributions = attrs.evolve(self.contributions, entries=after, refused=asked.refused)

    def close(self) -> None:
        """Take everything back."""
        self._tools.close()
        self._rest.close()


def _same(before: Entry | None, after: Entry) -> Entry:
    """The entry that stood before, if it is the same tool; else the new one."""
    return before if before is not None and _parts(before) == _parts(after) else after


def _parts(entry: Entry) -> tuple[object, ...]:
    return entry.quarantined, entry.max_running, *attrs.astuple(entry.tool, recurse=False)
