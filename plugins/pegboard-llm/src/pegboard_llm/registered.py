"""What an llm plugin registers, asked for by its own hook, without llm's plugin manager."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import llm

HOOK = "register_tools"


@attrs.frozen
class Registered:
    """One thing that an llm plugin has registered.

    Attributes:
        what: a function, an `llm.Tool`, or a toolbox: its class, or the toolbox itself.
        name: the name that it was given, or None.
    """

    what: Any
    name: str | None = None

    @property
    def is_made(self) -> bool:
        """Whether it is a toolbox itself, rather than the class of one."""
        return isinstance(self.what, llm.Toolbox)

    @property
    def toolbox(self) -> type[llm.Toolbox] | None:
        """The class, where it is a toolbox."""
        kind = self.what if isinstance(self.what, type) else type(self.what)
        return kind if issubclass(kind, llm.Toolbox) else None

    @property
    def label(self) -> str:
        """The name that it was given, or has by itself."""
        own = self.toolbox or self.what
        known = (self.name, getattr(own, "name", None), getattr(own, "__name__", None))
        return next((each for each in known if isinstance(each, str)), type(self.what).__name__)


def registered_by(plugin: object) -> list[Registered] | None:
    """What a plugin registers as tools; None where it doesn't implement that hook."""
    implementations = list(_implementations(plugin))
    if not implementations:
        return None
    found: list[Registered] = []

    def register(what: Any, name: str | None = None) -> None:
        found.append(Registered(what, name))

    for each in implementations:
        takes = inspect.signature(each).parameters
        each(**({"register": register} if "register" in takes else {}))
    return found


def _implementations(plugin: object) -> Iterator[Callable[..., Any]]:
    """Its functions that llm's marker says are implementations of the hook."""
    for name in dir(plugin):
        function: Callable[..., Any] | None = getattr(plugin, name, None)
        marked = getattr(function, "llm_impl", None)
        own = marked.get("specname") or name if isinstance(marked, dict) else None
        if function is not None and own == HOOK:
            yield function
