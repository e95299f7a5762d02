"""Real tools, for what a framework makes of their schemas."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard import Tool
from pegboard.formats import mcp


@pytest.fixture
def real_tools(shared_definitions: Path) -> list[Tool]:
    """Tools with the schemas of real ones, each with a name of its own."""
    found = [
        Tool(**mcp.tool_fields(each), run=lambda arguments, context: arguments)
        for path in sorted(shared_definitions.glob("*.json"))
        for each in _listed(json.loads(path.read_text()))
    ]
    return list({each.name: each for each in found}.values())


def _listed(listed: Any) -> Iterator[dict[str, Any]]:
    if isinstance(listed, dict):
        yield from listed["tools"]
        return
    for each in listed:
        shown = {"name": each["name"], "description": each["description"]}
        yield shown | {"inputSchema": each["input_schema"]}
