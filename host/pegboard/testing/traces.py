"""What a plugin could leave in the process: threads, open files, tasks and modules."""

import asyncio
import gc
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

_PATIENCE = 2.0
_DESCRIPTORS = next((each for each in ("/proc/self/fd", "/dev/fd") if Path(each).is_dir()), None)


@attrs.frozen(eq=False)
class Traces:
    """The threads, tasks and open files of one moment."""

    threads: frozenset[threading.Thread]
    tasks: frozenset["asyncio.Task[Any]"]
    files: frozenset[tuple[str, str]]

    @classmethod
    def now(cls) -> "Traces":
        """Those that there are now, in a running loop."""
        return cls(
            frozenset(threading.enumerate()), frozenset(asyncio.all_tasks()), frozenset(_files())
        )

    async def left(self) -> list[str]:
        """What has come since and doesn't go, each in words."""
        deadline = time.monotonic() + _PATIENCE
        gc.collect()
        left = self._new()
        while left and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
            left = self._new()
        return left

    def _new(self) -> list[str]:
        now = Traces.now()
        return [
            *(f"thread {each.name!r}" for each in now.threads - self.threads),
            *(f"task {each.get_name()!r}" for each in now.tasks - self.tasks),
            *(f"open file {target}" for _, target in sorted(now.files - self.files)),
        ]


def _files() -> Iterator[tuple[str, str]]:
    """The open files where the system lists them: their numbers, and where they lead."""
    for number in os.listdir(_DESCRIPTORS) if _DESCRIPTORS else ():  # noqa: PTH208 - names only
        try:
            target = os.readlink(f"{_DESCRIPTORS}/{number}")  # noqa: PTH115 - pipes have no path
        except OSError:
            continue
        if not target.endswith("/fd"):
            yield number, target


@contextmanager
def modules_kept() -> Iterator[None]:
    """Put modules back that leave `sys.modules` in the block: the tests around still use them."""
    before = dict(sys.modules)
    held = [(name, module) for name, module in before.items() if _is_held(name, module)]
    try:
        yield
    finally:
        sys.modules.update(before)
        for name, module in held:
            parent, _, child = name.rpartition(".")
            vars(sys.modules[parent])[child] = module


def _is_held(name: str, module: object) -> bool:
    """Whether its package has the module as an attribute."""
    parent, _, child = name.rpartition(".")
    package = sys.modules.get(parent)
    return type(package) is ModuleType and vars(package).get(child) is module
