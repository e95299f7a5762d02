"""A client for MCP's conformance suite: a board with the suite's server as a plugin."""

import asyncio
import json
import os
import sys
from typing import Any

from pegboard import Board, Host
from pegboard.formats import mcp
from pegboard_mcp import McpServer

SAMPLES = {"string": "text", "integer": 3, "number": 2, "boolean": True, "array": [], "object": {}}
FOCAL, ECHO = "json_schema_2020_12_tool", "json_schema_echo"


def arguments_of(definition: dict[str, Any]) -> dict[str, Any]:
    """Arguments that a tool takes."""
    schema = definition["inputSchema"]
    properties = schema.get("properties", {})
    return {key: SAMPLES[properties[key]["type"]] for key in schema.get("required", ())}


def sayable(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments without nulls: what isn't nullable is left out, or no board lets it through."""
    return {key: each for key, each in arguments.items() if each is not None}


def calls_for(board: Board) -> list[dict[str, Any]]:
    """What the scenario asks for, or else a call of every tool."""
    told = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")).get("toolCalls")
    tools: dict[str, Any] = {each["name"]: each for each in mcp.definitions(board)}
    if told is not None:
        return [{**each, "arguments": sayable(each["arguments"])} for each in told]
    if ECHO in tools:
        return [{"name": ECHO, "arguments": {"schema": tools[FOCAL]["inputSchema"]}}]
    return [{"name": name, "arguments": arguments_of(each)} for name, each in tools.items()]


async def main(url: str) -> None:
    """Attach the server, and call its tools at once."""
    async with Host(discover=False) as host:
        host.hook(approve=lambda request: "once")
        await host.load(McpServer(url, prefix=""), name="suite")
        board = await host.board("desk")
        calls = [board.call(each["name"], each["arguments"]) for each in calls_for(board)]
        for outcome in await asyncio.gather(*calls):
            sys.stderr.write(f"{outcome}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
