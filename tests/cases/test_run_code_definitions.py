"""Every real definition: its declarations hold, and a program's call arrives as it was written."""

import json
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from typing import Any

import pegboard_code
import pytest
from pegboard import Board, Host, RunContext, Tool
from pegboard.formats import mcp

pytestmark = pytest.mark.usefixtures("sandboxes")

FILES = (
    "llm-plugins",
    "mcp-server-calculator",
    "mcp-server-fetch",
    "server-everything",
    "server-filesystem",
    "server-sequential-thinking",
)
SAMPLES = {
    "boolean": True,
    "integer": 3,
    "null": None,
    "number": 2.5,
    "string": 'a "quoted" \\ text\nof two lines: ä €',
}


def listed(path: Path) -> Iterator[dict[str, Any]]:
    """The definitions of one file, in MCP's shape; a name that comes twice once."""
    read = json.loads(path.read_text(encoding="utf-8"))
    rows = read["tools"] if isinstance(read, dict) else read
    for each in {row["name"]: row for row in rows}.values():
        yield {
            "name": each["name"],
            "description": each.get("description", ""),
            "inputSchema": each.get("inputSchema") or each["input_schema"],
        }


def sample(schema: Any, root: Any, *, is_whole: bool) -> Any:
    """A value that a schema accepts, with every optional property or with none."""
    if "$ref" in schema:
        found = root
        for key in schema["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        return sample(found, root, is_whole=is_whole)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[-1])
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return sample(branches[-1 if is_whole else 0], root, is_whole=is_whole)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        wanted = [*schema.get("properties", {})] if is_whole else schema.get("required", [])
        parts = schema.get("properties", {})
        return {each: sample(parts[each], root, is_whole=is_whole) for each in wanted}
    if kind == "array":
        least = schema.get("minItems", 1 if is_whole else 0)
        return [sample(schema.get("items", {}), root, is_whole=is_whole) for _ in range(least)]
    return _within(schema, SAMPLES[kind])


def _within(schema: Any, value: Any) -> Any:
    """The same, kept to the bounds of the schema."""
    if schema.get("format") == "uri":
        return "https://example.org/"
    if isinstance(value, str):
        return value[: schema.get("maxLength")].ljust(schema.get("minLength", 0), "x")
    if isinstance(value, bool) or value is None:
        return value
    return min(max(value, schema.get("minimum", value)), schema.get("maximum", value))


async def board_of(host: Host, file: Path, got: dict[str, Any]) -> Board:
    """A board of a file's tools, which note what they get, for programs."""

    def noting(name: str) -> Any:
        def run(arguments: Any, _: RunContext) -> None:
            got[name] = arguments

        return run

    for each in listed(file):
        host.register(Tool(**mcp.tool_fields(each), run=noting(each["name"])))
    await host.load(pegboard_code, name="code")
    return await host.board("programs", presentation="code")


def call_of(board: Board, name: str, arguments: dict[str, Any]) -> str:
    """A program that calls a tool with these arguments, as its declaration says."""
    called = name if f"async def {name}(" in board.sdk else f"tools[{name!r}]"
    keys = board.tools[name].parameters.get("properties", {})
    if all(each.isidentifier() and not iskeyword(each) for each in keys):
        given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        return f"await {called}({given})"
    return f"await {called}({arguments!r})"


@pytest.mark.shared
@pytest.mark.parametrize("is_whole", [False, True], ids=["required", "all"])
@pytest.mark.parametrize("file", FILES)
async def test_a_program_s_call_of_each_tool_arrives_with_equal_arguments(
    shared_definitions: Path, file: str, is_whole: bool
) -> None:
    got: dict[str, Any] = {}
    async with Host(discover=False) as host:
        board = await board_of(host, shared_definitions / f"{file}.json", got)
        compile(board.sdk, "sdk", "exec")
        for name, tool in board.tools.items():
            if name == "run_code":
                continue
            given = sample(tool.parameters, tool.parameters, is_whole=is_whole)
            code = call_of(board, name, given)

            outcome = await board.call("run_code", {"description": name, "code": code})

            assert not outcome.is_error, (code, outcome)
            assert got.pop(name) == given


@pytest.mark.shared
@pytest.mark.parametrize("file", FILES)
async def test_a_call_without_what_a_tool_requires_is_refused_before_anything_runs(
    shared_definitions: Path, file: str
) -> None:
    got: dict[str, Any] = {}
    async with Host(discover=False) as host:
        board = await board_of(host, shared_definitions / f"{file}.json", got)
        needy = [name for name, t in board.tools.items() if t.parameters.get("required")]
        for name in needy:
            if name == "run_code":
                continue
            outcome = await board.call(
                "run_code", {"description": name, "code": f"print(1)\n{call_of(board, name, {})}"}
            )

            assert (outcome.details["kind"], outcome.details["logs"]) == ("types", ""), outcome
    assert got == {}
