"""What the interpreter keeps of modules goes with them; what isn't theirs stays."""

import importlib
import linecache
import logging
import os
import sys
import time
import typing
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from pegboard.plugins.forgetting import (
    forget_bytecode,
    forget_loggers,
    forget_modules,
    forget_types,
)


def module(name: str, file: str | None = None) -> ModuleType:
    """An empty module."""
    made = ModuleType(name)
    made.__dict__["__file__"] = file
    return made


@pytest.fixture
def sources() -> Iterator[dict[str, object]]:
    """The cache of sources, put back in the end."""
    before = dict(linecache.cache)
    yield linecache.cache  # type: ignore[misc]
    linecache.cache.clear()
    linecache.cache.update(before)


@pytest.mark.parametrize(
    ("source", "is_dropped"),
    [
        ("/site/web.py", True),
        ("/site/other.py", False),
        ("<attrs generated methods web.Item>", True),
        ("<attrs generated methods web.Item-3>", True),
        ("<attrs generated methods web.Outer.Inner>", True),
        ("<cattrs generated structure web.Item>", True),
        ("<attrs generated methods webber.Item>", False),
        ("<attrs generated methods my.web.Item>", False),
        ("<string>", False),
    ],
)
def test_sources_of_the_modules_are_dropped(
    sources: dict[str, object], source: str, *, is_dropped: bool
) -> None:
    sources[source] = (1, None, [""], source)

    forget_modules({"web": module("web", "/site/web.py")})

    assert (source not in sources) is is_dropped


def test_a_module_without_a_file_is_forgotten_too() -> None:
    forget_modules({"web": module("web")})
    forget_modules({})


@pytest.mark.parametrize("set_up", ["level", "handler", "filter", "propagate", "disabled"])
def test_a_logger_that_somebody_set_up_stays_and_so_does_what_is_above_it(set_up: str) -> None:
    known = logging.Logger.manager.loggerDict
    logger = logging.getLogger("life_test.part.set_up")
    logging.getLogger("life_test.part.plain")
    match set_up:
        case "level":
            logger.setLevel(logging.ERROR)
        case "handler":
            logger.addHandler(logging.NullHandler())
        case "filter":
            logger.addFilter(bool)
        case "propagate":
            logger.propagate = False
        case _:
            logger.disabled = True

    forget_loggers(["life_test.part"])

    try:
        assert {each for each in known if each.startswith("life_test")} == {
            "life_test",
            "life_test.part",
            "life_test.part.set_up",
        }
    finally:
        for each in [name for name in known if name.startswith("life_test")]:
            del known[each]


def test_loggers_whose_names_only_begin_alike_stay() -> None:
    known = logging.Logger.manager.loggerDict
    for name in ("life_web", "life_web.a", "life_webber"):
        logging.getLogger(name)

    forget_loggers(["life_web"])

    left = {each for each in known if each.startswith("life_web")}
    known.pop("life_webber")
    assert left == {"life_webber"}


def test_types_that_only_typing_keeps_can_go() -> None:
    cls = type("Once", (), {})
    watched = weakref.ref(cls)
    assert typing.Optional[cls]  # noqa: UP045 - what fills the cache

    del cls
    forget_types()

    import gc

    gc.collect()
    assert watched() is None


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module whose source is old, with bytecode that was written a second later."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    source = tmp_path / "forgotten_demo.py"
    source.write_text("V = 1\n")
    os.utime(source, (1_000_000_000, 1_000_000_000))
    yield importlib.import_module("forgotten_demo")
    del sys.modules["forgotten_demo"]


def written_later(module: ModuleType) -> Path:
    """The bytecode of a module, made to look as if it was written a while after the source."""
    bytecode = Path(str(module.__cached__))
    later = time.time() + 5
    os.utime(bytecode, (later, later))
    return bytecode


def test_bytecode_that_is_younger_than_its_source_stays(imported: ModuleType) -> None:
    bytecode = written_later(imported)

    forget_bytecode([str(imported.__file__)])

    assert bytecode.is_file()


def test_bytecode_of_a_source_that_has_changed_since_goes_whatever_its_time_says(
    imported: ModuleType,
) -> None:
    source, bytecode = Path(str(imported.__file__)), Path(str(imported.__cached__))
    source.write_text("V = 2\n")
    os.utime(source, (1_000_000_000, 1_000_000_000))

    forget_bytecode([str(imported.__file__)])

    assert not bytecode.exists()


def test_bytecode_of_a_source_that_may_yet_change_unseen_goes(imported: ModuleType) -> None:
    bytecode = written_later(imported)
    os.utime(str(imported.__file__))

    forget_bytecode([str(imported.__file__)])

    assert not bytecode.exists()


def test_bytecode_of_a_source_that_is_gone_goes(imported: ModuleType) -> None:
    bytecode = written_later(imported)
    Path(str(imported.__file__)).unlink()

    forget_bytecode([str(imported.__file__)])

    assert not bytecode.exists()
