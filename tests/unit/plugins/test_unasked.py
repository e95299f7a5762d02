"""Looking at objects of plugins runs none of their code."""

from types import ModuleType
from typing import Any

import pytest
from pegboard.plugins.unasked import file_of, is_extension, is_module, module_of, vars_of


def refuse(*_: object) -> Any:
    """Be asked."""
    raise RuntimeError("asked")


def silent_class() -> Any:
    """A class that answers nothing."""
    body = {"__getattribute__": refuse, "__dict__": property(refuse)}
    return type("Silent", (type,), body)("Kind", (), {"__module__": "odd"})


def pretending() -> object:
    """An object that answers nothing when it is asked for its class."""
    return type("Proxy", (), {"__class__": property(refuse), "__module__": "odd"})()


def text(value: str) -> str:
    """Text that can't be compared."""
    kind: Any = type("Text", (str,), {"__eq__": refuse, "__hash__": refuse})
    made: str = kind(value)
    return made


def silent() -> object:
    """An object of such a class."""
    made: object = silent_class()()
    return made


@pytest.mark.parametrize("make", [silent_class, silent, pretending])
def test_the_module_of_anything_is_told_without_asking_it(make: Any) -> None:
    assert module_of(make()) == "odd"


def test_what_stands_in_a_module_is_seen_without_asking_it() -> None:
    body = {"__getattribute__": refuse, "__dict__": property(refuse)}
    module: Any = type("Module", (ModuleType,), body)("odd")

    assert (is_module(module), is_module(pretending())) == (True, False)
    assert vars_of(module)["__name__"] == "odd"


def test_what_only_looks_like_text_or_a_loader_is_neither() -> None:
    module = ModuleType("odd")
    module.__dict__.update(__file__=text("x"), __loader__=pretending())

    assert (file_of(module), is_extension(module)) == ("", False)
