"""An attached server satisfies what every package of an author must."""

from typing import Annotated

from mcp.server import MCPServer
from mcp_types import ToolAnnotations
from pegboard.testing import check_plugin
from pegboard_mcp import McpServer
from pydantic import Field

library = MCPServer("library")


@library.tool(annotations=ToolAnnotations(read_only_hint=True))
def find(title: Annotated[str, Field(description="What stands on its back.")]) -> str:
    """Find a book."""
    return f"{title}: third shelf"


TestPlugin = check_plugin(McpServer(library), name="library")
