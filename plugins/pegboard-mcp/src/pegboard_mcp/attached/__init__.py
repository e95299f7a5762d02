"""MCP servers as plugins."""

from pegboard_mcp.attached.plugin import McpServer
from pegboard_mcp.attached.settings import McpSettings

__all__ = ["McpServer", "McpSettings"]
