from pegboard_mcp.attached import McpServer, McpSettings
from pegboard_mcp.serving import (
    BoardServer,
    InputRequired,
    McpClient,
    calling_client,
    http_app,
    serve_http,
    serve_stdio,
)

__all__ = [
    "BoardServer",
    "InputRequired",
    "McpClient",
    "McpServer",
    "McpSettings",
    "calling_client",
    "http_app",
    "serve_http",
    "serve_stdio",
]
