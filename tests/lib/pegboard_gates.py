"""Gates that the code of a plugin under test waits at, by name: `import a_gate`."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import attrs


@attrs.frozen
class Gate:
    """A place in a plugin's code: `import {name}; {name}.pass_through()`.

    Attributes:
        reached: set once somebody waits there.
        opened: lets them through.
    """

    reached: threading.Event = attrs.field(factory=threading.Event)
    opened: threading.Event = attrs.field(factory=threading.Event)

    def pass_through(self) -> None:
        """Wait until the gate is opened, for at most ten seconds."""
        self.reached.set()
        self.opened.wait(10)


@contextmanager
def gate(name: str) -> Iterator[Gate]:
    """A gate as a module of this name, which is opened in the end."""
    made = Gate()
    module = ModuleType(name)
    module.__dict__["pass_through"] = made.pass_through
    sys.modules[name] = module
    try:
        yield made
    finally:
        made.opened.set()
        sys.modules.pop(name, None)
