"""Having the interpreter forget modules that are gone: sources, loggers, types."""

import importlib.util
import linecache
import logging
import os
import re
import time
import typing
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any

from pegboard.plugins.unasked import file_of

_SECOND = 1.0
_GENERATED = re.compile(r"<\w+ generated [\w ]*?(?P<name>[^\s>]+)>")


def forget_types() -> None:
    """Empty the caches of `typing`: they keep the classes that annotations name."""
    clean: Iterable[Any] = getattr(typing, "_cleanups", ())
    for each in clean:
        each()


def forget_modules(modules: Mapping[str, ModuleType]) -> None:
    """Drop the sources and loggers of modules, by name; loggers that somebody set up stay."""
    forget_sources(modules)
    forget_loggers(modules)


def forget_sources(modules: Mapping[str, ModuleType]) -> None:
    """Drop the lines that are kept of modules, by name, for tracebacks."""
    if not modules:
        return
    files = set(map(file_of, modules.values()))
    for source in list(linecache.cache):
        if source in files or _is_generated_for(source, modules):
            linecache.cache.pop(source, None)


def forget_bytecode(sources: Iterable[str]) -> None:
    """Remove bytecode that Python would take for that of a source which is another, or is gone.

    Python knows bytecode by the size of its source and the whole second of its last change. So what
    is changed right after an import goes unseen, as does what is changed while that second lasts.

    Args:
        sources: the files that modules came from.
    """
    now = time.time()
    for source in sources:
        with suppress(OSError, ValueError, NotImplementedError):
            bytecode = importlib.util.cache_from_source(source)
            if source.endswith(".py") and _is_uncertain(source, bytecode, now):
                os.unlink(bytecode)  # noqa: PTH108 - paths as they stand in modules


def _is_uncertain(source: str, bytecode: str, now: float) -> bool:
    """Whether the source has changed since its bytecode was written, or may yet, unseen."""
    made = os.stat(bytecode)  # noqa: PTH116 - the same
    try:
        text = os.stat(source)  # noqa: PTH116 - the same
    except FileNotFoundError:
        return True
    return text.st_ctime_ns >= made.st_mtime_ns or now - int(text.st_mtime) < _SECOND


def forget_loggers(names: Iterable[str]) -> None:
    """Drop loggers by name, and those below them, unless somebody set them up or one below."""
    gone = tuple(names)
    below = tuple(f"{name}." for name in gone)
    known = logging.Logger.manager.loggerDict
    own = [name for name in list(known) if name in gone or name.startswith(below)]
    for name in sorted(own, key=len, reverse=True):
        logger = known[name]
        is_bare = not isinstance(logger, logging.Logger) or _is_as_made(logger)
        if is_bare and not any(each.startswith(f"{name}.") for each in list(known)):
            del known[name]


def _is_as_made(logger: logging.Logger) -> bool:
    is_set_up = logger.handlers or logger.filters or logger.level or logger.disabled
    return logger.propagate and not is_set_up


def _is_generated_for(source: str, modules: Mapping[str, ModuleType]) -> bool:
    """Whether attrs or cattrs made this source for a class of one of the modules."""
    found = _GENERATED.match(source)
    if found is None:
        return False
    name = found["name"]
    while name:
        name = name.rpartition(".")[0]
        if name in modules:
            return True
    return False
