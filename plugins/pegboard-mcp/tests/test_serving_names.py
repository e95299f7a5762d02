"""What the package gives, and what importing it costs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pegboard_mcp
import pegboard_mcp.attached
import pegboard_mcp.serving
import pytest

LOADED = """
import json, sys
import pegboard_mcp
{line}
print(json.dumps([name for name in sys.modules if name.startswith("pegboard_mcp.")]))
"""


def loaded_after(line: str) -> set[str]:
    """The halves that a program has imported."""
    ran = subprocess.run(
        [sys.executable, "-c", LOADED.format(line=line)], capture_output=True, check=True, text=True
    )
    return {name.split(".")[1] for name in json.loads(ran.stdout)}


def test_every_name_is_there_and_told_to_type_checkers() -> None:
    stub = ast.parse(Path(pegboard_mcp.__file__).with_suffix(".pyi").read_text())
    told = {
        alias.name for each in stub.body if isinstance(each, ast.ImportFrom) for alias in each.names
    }

    assert told == set(pegboard_mcp.__all__)
    assert all(getattr(pegboard_mcp, name) is not None for name in told)
    assert told <= set(dir(pegboard_mcp))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'pegboard_mcp' has no attribute 'nothing'"):
        _ = pegboard_mcp.nothing


@pytest.mark.parametrize(
    ("line", "halves"),
    [
        ("", set()),
        ("from pegboard_mcp import BoardServer", {"serving"}),
        ("from pegboard_mcp import McpServer", {"attached"}),
    ],
)
def test_importing_one_half_does_not_import_the_other(line: str, halves: set[str]) -> None:
    assert loaded_after(line) == halves
