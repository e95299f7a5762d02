"""A board with more real tools than a model should be shown: those of many servers, and our own."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
from mcp import Client  # noqa: F401 - what it imports once is nothing that a test leaves behind
from pegboard import Board, Host, Tool
from pegboard.formats import mcp
from pegboard_servers import FOLDER, SERVERS, RealServer, furnish, tables_of

CONFIG = """
only = {only}

[tools."*"]
defer_loading = true

[plugins.files]
delete = true
move = true

[plugins.sqlite]
databases = {{ rows = "rows.db" }}
writable = true
"""
REQUESTS = Path(__file__).parents[1] / "ecosystem" / "search-requests.txt"
OURS = ("clock", "echo", "files", "search", "shell", "sqlite", "todo", "web")


def _npm(name: str, command: str, *words: str, **environment: str) -> RealServer:
    program = (f"{FOLDER}/node/bin/node", f"{FOLDER}/node/node_modules/.bin/{command}")
    return RealServer(name, (*program, *words), (), environment=environment)


_QUIET = {
    "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1",
    "CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS": "1",
}
_PARTS = "vision,pdf,devtools,network,storage,testing,config"
_ALL_OF_GITLAB = {"GITLAB_PERSONAL_ACCESS_TOKEN": "none", "GITLAB_TOOLSETS": "all"}

MANY = (
    _npm("chart", "mcp-server-chart"),
    _npm("chrome", "chrome-devtools-mcp", "--headless", **_QUIET),
    _npm("drive", "google-drive-mcp"),
    _npm("github", "mcp-server-github", GITHUB_PERSONAL_ACCESS_TOKEN="none"),
    _npm("gitlab", "mcp-gitlab", **_ALL_OF_GITLAB),
    _npm("notion", "notion-mcp-server", NOTION_TOKEN="none"),
    _npm("playwright", "playwright-mcp", "--headless", "--caps", _PARTS),
    _npm("shortcut", "mcp-server-shortcut", SHORTCUT_API_TOKEN="none"),
    _npm("slack", "mcp-server-slack", SLACK_BOT_TOKEN="none", SLACK_TEAM_ID="none"),
)
"""Servers that list hundreds of tools to whoever starts them, without an account or a network."""


@attrs.frozen
class Request:
    """Something that people ask for, and how it is found.

    Attributes:
        asked: what they say.
        query: what a model that is asked so may search for.
        right: the names of the tools that are right for it.
    """

    asked: str
    query: str
    right: frozenset[str]


def requests() -> list[Request]:
    """Fifty requests."""
    lines = REQUESTS.read_text(encoding="utf-8").splitlines()
    parts = (line.split(" | ") for line in lines)
    return [Request(asked, query, frozenset(names.split())) for asked, query, names in parts]


@asynccontextmanager
async def plenty(
    prepared: Path, work: Path, more: Iterable[Tool] = ()
) -> AsyncIterator[tuple[Host, Board]]:
    """A board with the tools of all servers and of pegboard's plugins, which wait to be found.

    Args:
        prepared: the folder with the installed servers.
        work: an empty folder of the caller's own.
        more: further tools for it.
    """
    furnish(work)
    servers = [*MANY, *map(_unlike_ours, SERVERS)]
    lines = [CONFIG.format(only=json.dumps([*OURS, *(each.name for each in servers)]))]
    lines += [line for each in servers for line in tables_of(each, prepared, work)]
    (work / "pegboard.toml").write_text("\n".join([*lines, ""]))
    (work / "rows.db").touch()
    async with Host(work / "pegboard.toml") as host:
        for tool in more:
            host.register(tool)
        yield host, await host.board("desk")


def _unlike_ours(server: RealServer) -> RealServer:
    """A server by a name that no plugin of pegboard has."""
    return attrs.evolve(server, name=f"{server.name}s") if server.name in OURS else server


def kept_definitions(folder: Path) -> Iterator[Tool]:
    """The tools in a folder with files of definitions that none of the servers lists."""
    listed = {each.definitions for each in SERVERS}
    for path in sorted(folder.glob("*.json")):
        if path.stem not in listed:
            file = json.loads(path.read_text(encoding="utf-8"))
            yield from map(_kept, file["tools"] if isinstance(file, dict) else file)


def _kept(definition: dict[str, Any]) -> Tool:
    shown = {
        "name": f"kept_{definition['name']}",
        "description": definition.get("description") or "",
        "inputSchema": definition.get("inputSchema") or definition["input_schema"],
    }
    return Tool(**mcp.tool_fields(shown), run=print, defer_loading=True)
