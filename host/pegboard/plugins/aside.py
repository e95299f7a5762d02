"""Modules set aside while their successors are imported, and put back if those fail."""

import importlib
import sys
from collections.abc import Iterable

import attrs

from pegboard.plugins.forgetting import forget_loggers, forget_sources, forget_types
from pegboard.plugins.modules import Ground, owned, standing_in
from pegboard.plugins.unasked import is_module, vars_of


@attrs.frozen(eq=False)
class Aside:
    """Modules that were taken out of `sys.modules`, with the places where they hung.

    Attributes:
        grounds: where they and their successors come from.
        kept: names on that ground that belong to others.
        modules: the modules by name, in the order of their import, and what stands for some.
    """

    grounds: tuple[Ground, ...]
    kept: frozenset[str]
    modules: dict[str, object]
    _hung: frozenset[str]

    def put_back(self) -> None:
        """Have them stand where they stood, in the place of what was imported since."""
        for name, module in _owned(self.grounds, self.kept).items():
            del sys.modules[name]
            _unhang(name, module)
        known: dict[str, object] = sys.modules  # type: ignore[assignment]  # anything may stand there
        known.update(self.modules)
        for name in self._hung:
            parent, _, child = name.rpartition(".")
            setattr(sys.modules[parent], child, self.modules[name])

    def let_go(self) -> None:
        """Forget them: their successors stand there."""
        forget_loggers([name for name in self.modules if name not in sys.modules])
        self.modules.clear()
        forget_types()


def set_aside(grounds: Iterable[Ground], *, others: Iterable[Ground]) -> Aside:
    """Take the modules of plugins out of `sys.modules`, so that the code on disk is imported.

    Args:
        grounds: where they come from.
        others: the grounds of plugins that stay, whose modules stay too.
    """
    wanted = tuple(grounds)
    kept = frozenset(name for other in others for name in (*owned(other), *standing_in(other)))
    modules = _owned(wanted, kept)
    forget_sources({name: each for name, each in modules.items() if is_module(each)})
    for name in modules:
        del sys.modules[name]
    hung = frozenset([name for name, module in modules.items() if _unhang(name, module)])
    importlib.invalidate_caches()
    return Aside(wanted, kept, modules, hung)


def _owned(grounds: Iterable[Ground], kept: frozenset[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for ground in grounds:
        found.update(owned(ground))
        found.update(standing_in(ground))
    return {name: module for name, module in found.items() if name not in kept}


def _unhang(name: str, module: object) -> bool:
    """Take a module out of its parent; whether it hung there."""
    parent, _, child = name.rpartition(".")
    holder = sys.modules.get(parent)
    names = vars_of(holder) if is_module(holder) else {}
    if child not in names or names[child] is not module:
        return False
    del names[child]
    return True
