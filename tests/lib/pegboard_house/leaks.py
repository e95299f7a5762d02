"""See that a test leaves the process as it found it."""

import gc
import linecache
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import attrs
import importlib_metadata  # noqa: F401 - it puts a finder of its own among the others, once

_OF_MULTIPROCESSING = "__mp_main__"
"""What importing multiprocessing calls the main module."""
PATIENCE = 2.0
"""Seconds in which threads that were told to stop may end."""

_DESCRIPTORS = next((p for p in ("/proc/self/fd", "/dev/fd") if Path(p).is_dir()), None)
_HARMLESS = ("/dev/null", "/dev/urandom", "/dev/random")


@attrs.frozen
class _Seen:
    """What could be left behind, at one moment."""

    threads: frozenset[threading.Thread]
    descriptors: frozenset[str]
    modules: frozenset[str]
    sources: frozenset[str]
    path: tuple[str, ...]
    finders: tuple[object, ...]
    handlers: tuple[object, ...]
    folder: str
    has_children: bool

    @classmethod
    def now(cls) -> "_Seen":
        return cls(
            threads=frozenset(threading.enumerate()),
            descriptors=_open_descriptors(),
            modules=frozenset(sys.modules),
            sources=frozenset(linecache.cache),
            path=tuple(sys.path),
            finders=(*sys.meta_path, *sys.path_hooks),
            handlers=(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)),
            folder=os.getcwd(),  # noqa: PTH109 - a thousand times cheaper than a Path
            has_children=_has_children(),
        )


@contextmanager
def nothing_is_left(temporary: Path) -> Iterator[None]:
    """Fail if the block leaves a thread, an open file, a module or more behind.

    Args:
        temporary: the folder where tests write their plugins; what is imported from below it
            must be gone afterwards.
    """
    before = _Seen.now()
    yield
    left = _left(before, temporary)
    if left:
        gc.collect()
        _await_threads(before)
        left = _left_in_the_end(before, temporary)
    assert not left, "the test left behind: " + "; ".join(left)


def _left_in_the_end(before: _Seen, temporary: Path) -> list[str]:
    """What is left once threads that Python doesn't know have closed what they wait on."""
    deadline = time.monotonic() + PATIENCE
    while True:
        left = _left(before, temporary)
        if time.monotonic() > deadline or not any("anon_inode:" in each for each in left):
            return left
        time.sleep(0.002)


def _left(before: _Seen, temporary: Path) -> list[str]:
    now = _Seen.now()
    return [
        *(f"thread {thread.name!r}" for thread in now.threads - before.threads),
        *_open_files(now.descriptors - before.descriptors),
        *_imported(now.modules - before.modules, temporary),
        *_cached(now.sources - before.sources, temporary),
        *_changed(before, now),
    ]


def _changed(before: _Seen, now: _Seen) -> Iterator[str]:
    for name, words in (
        ("path", "another sys.path"),
        ("finders", "other import finders"),
        ("handlers", "other signal handlers"),
        ("folder", "another working folder"),
    ):
        if getattr(now, name) != getattr(before, name):
            yield words
    if now.has_children and not before.has_children:
        yield "a child process"


def _imported(names: frozenset[str], temporary: Path) -> Iterator[str]:
    for name in sorted(names - {_OF_MULTIPROCESSING}):
        module = sys.modules.get(name)
        package = sys.modules.get(name.partition(".")[0])
        owners = [each for each in (module, package) if each is not None]
        if module is not None and all(_is_of_a_test(each, str(temporary)) for each in owners):
            yield f"module {name!r}"


def _is_of_a_test(module: ModuleType, temporary: str) -> bool:
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    if any(str(place).startswith(temporary) for place in places if place):
        return True
    return not any(places) and getattr(module, "__spec__", None) is None


def _cached(names: frozenset[str], temporary: Path) -> Iterator[str]:
    return (f"source {name!r}" for name in sorted(names) if name.startswith(str(temporary)))


def _open_files(descriptors: frozenset[str]) -> Iterator[str]:
    for descriptor in sorted(descriptors):
        try:
            target = os.readlink(f"{_DESCRIPTORS}/{descriptor}")  # noqa: PTH115 - pipes have no path
        except OSError:
            continue
        if target not in _HARMLESS:
            yield f"open file {descriptor} ({target})"


def _open_descriptors() -> frozenset[str]:
    names = os.listdir(_DESCRIPTORS) if _DESCRIPTORS else ()  # noqa: PTH208
    return frozenset(filter(_is_open, names))


def _is_open(descriptor: str) -> bool:
    """Whether it still is; the one that listed the folder is not."""
    try:
        os.fstat(int(descriptor))
    except OSError:
        return False
    return True


def _has_children() -> bool:
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _await_threads(before: _Seen) -> None:
    deadline = time.monotonic() + PATIENCE
    for thread in set(threading.enumerate()) - before.threads:
        thread.join(max(0.0, deadline - time.monotonic()))
