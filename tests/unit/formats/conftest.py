"""Boards of a few tools, without a host."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard.formats import mcp
from pegboard.tools.model import Tool, ToolDefinition


@attrs.frozen
class FakeBoard:
    """A board that shows the definitions that it was given."""

    shown: tuple[ToolDefinition, ...]
    tools: Mapping[str, Tool] = attrs.field(factory=dict)
    findable: tuple[ToolDefinition, ...] = ()

    def definitions(self) -> Sequence[ToolDefinition]:
        return self.shown


@pytest.fixture(scope="session")
def board_of() -> Callable[..., FakeBoard]:
    """A function that makes a board of tools."""

    def make(*tools: Tool) -> FakeBoard:
        shown = [
            ToolDefinition(each.name, each.description, each.parameters, each.defer_loading)
            for each in tools
        ]
        return FakeBoard(tuple(shown), {each.name: each for each in tools})

    return make


@pytest.fixture(scope="session")
def board_with() -> Callable[..., FakeBoard]:
    """A function that makes a board of one tool `t` that shows these parameters, valid or not."""

    def make(parameters: dict[str, Any], **fields: Any) -> FakeBoard:
        tool = Tool(name="t", parameters={"type": "object"}, run=print, **fields)
        return FakeBoard((ToolDefinition("t", "", parameters, tool.defer_loading),), {"t": tool})

    return make


@pytest.fixture(scope="session")
def board_showing() -> Callable[..., FakeBoard]:
    """A function that makes a board that shows tools by name with any parameters."""

    def make(**parameters: dict[str, Any]) -> FakeBoard:
        return FakeBoard(tuple(ToolDefinition(name, "", each) for name, each in parameters.items()))

    return make


@pytest.fixture(scope="session")
def transcripts() -> Path:
    """The folder of messages as models send them."""
    return Path(__file__).parents[2] / "transcripts"


@pytest.fixture(scope="session")
def real_definitions(shared_definitions: Path) -> list[dict[str, Any]]:
    """Every definition of a real tool, in MCP's shape."""
    return list(_each_definition(shared_definitions))


@pytest.fixture(scope="session")
def real_tools(real_definitions: list[dict[str, Any]]) -> list[Tool]:
    """The same as tools; some names occur in several sources."""
    return [Tool(**mcp.tool_fields(each), run=print) for each in real_definitions]


def _each_definition(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        listed = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(listed, dict):
            yield from listed["tools"]
        else:
            for each in listed:
                shown = {"name": each["name"], "description": each["description"]}
                yield shown | {"inputSchema": each["input_schema"]}
