"""Start-up pays for nothing that it doesn't use."""

from pathlib import Path
from typing import Any

import pytest

PLUGINS = ("audit", "clock", "echo", "files", "permissions")
UNUSED = ("click", "mcp", "rich", "typer", *(f"pegboard_{name}" for name in PLUGINS))

IMPORTED = "import json, sys\nfrom pegboard import Host\nprint(json.dumps(sorted(sys.modules)))\n"

HELPED = """
import contextlib, io, json, sys
from pegboard.cli import main
sys.argv = ["pegboard", "--help"]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as printed:
    main()
assert "plugins" in printed.getvalue(), printed.getvalue()
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture
def equipped(environment: Any, wheels: dict[str, Path]) -> Any:
    """An environment in which every first plugin is installed."""
    environment.install(*(wheels[name] for name in PLUGINS))
    return environment


@pytest.mark.parametrize("program", [IMPORTED, HELPED], ids=["Host", "pegboard --help"])
def test_neither_the_terminal_libraries_nor_any_plugin_is_imported(
    equipped: Any, program: str
) -> None:
    modules = equipped.script(program)

    assert [name for name in modules if name.partition(".")[0] in UNUSED] == []


def test_what_calls_types_and_files_need_is_imported_for_them_only(equipped: Any) -> None:
    modules = equipped.script(IMPORTED)

    of_calls = {"cattrs", "importlib_metadata", "jsonschema_rs", "msgspec"}
    late = of_calls | {"annotated_types", "docstring_parser", "tomllib", "typing_inspection"}
    assert late.intersection(modules) == set()
