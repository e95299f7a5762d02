"""The root names what pegboard gives, and imports nothing before it is asked for."""

import ast
import inspect
import json
import pkgutil
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pegboard
import pytest

STUB = Path(pegboard.__file__).with_suffix(".pyi")


def stubbed() -> tuple[dict[str, str], list[str]]:
    """What the stub imports from where, and its `__all__`."""
    homes: dict[str, str] = {}
    listed: list[str] = []
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            homes |= {each.name: str(node.module) for each in node.names}
        elif isinstance(node, ast.Assign):
            listed = ast.literal_eval(node.value)
    return homes, listed


def told(program: str) -> Any:
    """What a program prints as JSON, in a fresh interpreter."""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_the_stub_and_the_root_give_the_same_names_from_the_same_modules() -> None:
    homes, listed = stubbed()
    modules = {name for name, home in homes.items() if home == "pegboard"}

    assert listed == pegboard.__all__
    assert {name: homes[name].removeprefix("pegboard.") for name in listed} == pegboard._HOMES
    assert modules == set(pegboard._MODULES) == homes.keys() - set(listed)


def test_the_names_are_sorted_as_ruff_sorts_them() -> None:
    def place(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    assert pegboard.__all__ == sorted(set(pegboard.__all__), key=place)


@pytest.mark.parametrize("name", pegboard.__all__)
def test_a_name_is_what_its_module_gives(name: str) -> None:
    given = getattr(pegboard, name)

    home = sys.modules[f"pegboard.{pegboard._HOMES[name]}"]
    assert given is getattr(home, name) is vars(pegboard)[name]


@pytest.mark.parametrize("name", pegboard._MODULES)
def test_the_modules_that_programs_import_are_there_without_that(name: str) -> None:
    assert told(f"import pegboard; print('\"' + pegboard.{name}.__name__ + '\"')") == (
        f"pegboard.{name}"
    )


def test_no_name_is_that_of_a_module() -> None:
    modules = {each.name for each in pkgutil.iter_modules(pegboard.__path__)}

    assert modules.isdisjoint(pegboard.__all__)


def test_importing_the_root_imports_nothing_else() -> None:
    program = (
        "import json, sys; before = set(sys.modules); import pegboard; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )

    assert told(program) == ["pegboard", "pegboard.version"]


def test_a_star_imports_every_name() -> None:
    given = told("from pegboard import *; import json; print(json.dumps(sorted(globals())))")

    assert set(pegboard.__all__) <= set(given)


def test_dir_lists_what_was_not_asked_for_yet() -> None:
    listed = told("import json, pegboard; print(json.dumps(dir(pegboard)))")

    assert {*pegboard.__all__, *pegboard._MODULES, "__version__"} <= set(listed)


def test_an_unknown_name_is_an_attribute_error_with_near_names() -> None:
    with pytest.raises(AttributeError) as caught:
        pegboard.Hosts  # noqa: B018 - the misuse is the test

    assert caught.value.name == "Hosts"
    assert str(caught.value) == (
        "module 'pegboard' has no attribute 'Hosts'; "
        "did you mean 'Host' or 'HostStatus' or 'hooks'?"
    )


def test_an_unknown_name_can_t_be_imported() -> None:
    with pytest.raises(ImportError, match="cannot import name 'Hosts' from 'pegboard'"):
        exec("from pegboard import Hosts", {})


def test_a_special_name_is_looked_for_without_a_word_about_near_ones() -> None:
    with pytest.raises(AttributeError, match=r"no attribute '__wrapped__'$"):
        pegboard.__wrapped__  # noqa: B018 - the same


def test_help_and_inspection_see_what_the_root_gives() -> None:
    members = dict(inspect.getmembers(pegboard))

    assert members["Host"] is pegboard.Host
    assert "class Host" in pydoc.plain(pydoc.render_doc(pegboard))


def test_many_threads_that_ask_for_the_first_time_get_the_same() -> None:
    program = (
        "import json, threading, pegboard\n"
        "found, gate = [], threading.Barrier(16)\n"
        "def ask():\n    gate.wait()\n    found.append(pegboard.Host)\n"
        "threads = [threading.Thread(target=ask) for _ in range(16)]\n"
        "[each.start() for each in threads]; [each.join() for each in threads]\n"
        "print(json.dumps([len(found), len(set(map(id, found)))]))"
    )

    assert told(program) == [16, 1]
