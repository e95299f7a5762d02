"""One tool behind three MCP servers: a board's, the SDK's own low level, and fastmcp's.

Run as a program, it serves one of them: `python mcp_servers.py KIND`, over standard input and
output, or `python mcp_servers.py KIND PORT` over streamable HTTP.
"""

import asyncio
import json
import sys
from typing import Any

import mcp_types as t
from mcp.server.lowlevel.server import Server
from pegboard import Host, tool

KINDS = ("pegboard", "SDK", "fastmcp")


async def add(a: int, b: int = 0, label: str | None = None) -> dict[str, Any]:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
        label: What to call the sum.
    """
    return {"sum": a + b, "label": label}


def bare_server() -> Server[Any]:
    """The SDK's low level with that tool, and no check of what is sent."""
    made = tool(add)
    shown = t.Tool(name="add", description=made.description, input_schema=made.parameters)

    async def listed(_ctx: Any, _params: Any) -> t.ListToolsResult:
        return t.ListToolsResult(tools=[shown])

    async def called(_ctx: Any, params: t.CallToolRequestParams) -> t.CallToolResult:
        value = await add(**(params.arguments or {}))
        text = t.TextContent(type="text", text=json.dumps(value))
        return t.CallToolResult(content=[text], structured_content=value)

    return Server("bare", on_list_tools=listed, on_call_tool=called)


def fast_server() -> Any:
    """The same with fastmcp."""
    from fastmcp import FastMCP

    server = FastMCP("fast")
    server.tool(add)
    return server


async def serve(kind: str, port: int | None) -> None:
    """Serve one kind until the client has gone or somebody ends the process."""
    if kind == "pegboard":
        await _serve_board(port)
    elif kind == "fastmcp":
        served = {"transport": "stdio"} if port is None else {"transport": "http", "port": port}
        await fast_server().run_async(show_banner=False, log_level="ERROR", **served)
    else:
        await _serve_bare(port)


async def _serve_board(port: int | None) -> None:
    from pegboard_mcp import serve_http, serve_stdio

    async with Host(discover=False) as host:
        host.register(tool(add))
        if port is None:
            await serve_stdio(await host.board("default"))
        else:
            await serve_http(host, port=port)


async def _serve_bare(port: int | None) -> None:
    server = bare_server()
    if port is None:
        from mcp.server.stdio import stdio_server

        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
        return
    import uvicorn

    app = server.streamable_http_app(streamable_http_path="/mcp")
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error")
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None))
