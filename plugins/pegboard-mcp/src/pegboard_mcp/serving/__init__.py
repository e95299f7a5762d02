"""A board as an MCP server: in memory, over stdio, over HTTP."""

from pegboard_mcp.serving.clients import InputRequired, McpClient, calling_client
from pegboard_mcp.serving.http import http_app, serve_http
from pegboard_mcp.serving.server import BoardServer
from pegboard_mcp.serving.stdio import serve_stdio

__all__ = [
    "BoardServer",
    "InputRequired",
    "McpClient",
    "calling_client",
    "http_app",
    "serve_http",
    "serve_stdio",
]
