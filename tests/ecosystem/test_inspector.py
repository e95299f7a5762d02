"""MCP's inspector on its command line, in both eras, over stdio and HTTP."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pegboard_served import Served, served

TOOL_FAILED = 5
Inspect = Callable[..., Any]

ways = pytest.mark.parametrize("way", ["stdio", "http"])
eras = pytest.mark.parametrize("era", ["legacy", "modern"])


def entries(board: Served) -> dict[str, Any]:
    """What a client's configuration says of a board, for each way to reach it."""
    command, *words = board.command
    stdio = {"command": command, "args": words, "env": board.variables, "cwd": str(board.folder)}
    return {"stdio": stdio, "http": {"type": "streamable-http", "url": board.url}}


@pytest.fixture
def inspect(node: Callable[..., Any], tmp_path: Path) -> Inspect:
    """`inspect(board, way, era, method, *options)`: what the inspector did."""

    def run(board: Served, way: str, era: str, method: str, *options: str) -> Any:
        file = tmp_path / "servers.json"
        file.write_text(json.dumps({"mcpServers": entries(board)}))
        to = ("--cli", "--config", file, "--server", way, "--protocol-era", era)
        return node("mcp-inspector", *to, "--method", method, "--format", "json", *options)

    return run


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A board with the tools of pegboard's own plugins, served."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "pegboard.toml").write_text('only = ["clock", "echo", "files"]\n')
    with served(folder) as found:
        yield found


@ways
@eras
def test_the_inspector_lists_the_tools(
    plugins: Served, inspect: Inspect, way: str, era: str
) -> None:
    ran = inspect(plugins, way, era, "tools/list", "-q")

    listed = json.loads(ran.stdout)["result"]["tools"]
    assert {"echo", "files_read"} <= {each["name"] for each in listed}
    assert ran.returncode == 0


@ways
@eras
def test_the_inspector_calls_a_tool(plugins: Served, inspect: Inspect, way: str, era: str) -> None:
    call = ("--tool-name", "echo", "--tool-args-json", '{"value": "Pi"}')

    ran = inspect(plugins, way, era, "tools/call", "-q", *call)

    assert json.loads(ran.stdout)["result"]["content"] == [{"type": "text", "text": "Pi"}]
    assert ran.returncode == 0


@ways
@eras
def test_a_failed_call_fails_the_inspector(
    plugins: Served, inspect: Inspect, way: str, era: str
) -> None:
    call = ("--tool-name", "files_read", "--tool-args-json", '{"path": "absent"}')

    ran = inspect(plugins, way, era, "tools/call", "-q", *call)

    assert ran.returncode == TOOL_FAILED, ran.stdout + ran.stderr
    assert json.loads(ran.stderr)["error"]["code"] == "tool_is_error"


@ways
@eras
def test_an_unknown_tool_fails_the_inspector(
    plugins: Served, inspect: Inspect, way: str, era: str
) -> None:
    ran = inspect(plugins, way, era, "tools/call", "-q", "--tool-name", "absent")

    assert ran.returncode == TOOL_FAILED, ran.stdout + ran.stderr
    assert json.loads(ran.stderr)["error"]["code"] == "tool_not_found"


@eras
@pytest.mark.parametrize("board", ["plugins", "conformance"])
def test_strict_finds_nothing_in_the_schemas(
    request: pytest.FixtureRequest, inspect: Inspect, board: str, era: str
) -> None:
    ran = inspect(request.getfixturevalue(board), "http", era, "tools/list", "--strict")

    assert ran.returncode == 0, ran.stderr
    assert "Issue:" not in ran.stderr
