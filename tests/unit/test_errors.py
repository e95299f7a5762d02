"""The errors that pegboard raises, and the tree that is drawn of them."""

import importlib
import inspect
import pkgutil
import re

import pegboard
from pegboard import PegboardError, errors


def _all_errors() -> set[type[Exception]]:
    for module in pkgutil.walk_packages(pegboard.__path__, "pegboard."):
        if not module.name.endswith("__main__") and ".frameworks." not in module.name:
            importlib.import_module(module.name)
    found, level = set(), [PegboardError]
    while level:
        level = [below for each in level for below in each.__subclasses__()]
        found.update(each for each in level if each.__module__.startswith("pegboard."))
    return found


def test_every_error_is_drawn_in_the_tree_and_nothing_else_is() -> None:
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or ""))

    assert {each.__name__ for each in _all_errors()} == drawn


def test_every_error_says_in_a_docstring_what_it_is() -> None:
    assert not [each.__name__ for each in _all_errors() if not inspect.getdoc(each)]
