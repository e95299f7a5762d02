"""The right tool is among the first five of many, for nearly every request."""

import json
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Tool
from pegboard.formats import mcp
from pegboard_services import tools_of_services

REQUESTS = Path(__file__).with_name("requests.txt")
"""Fifty requests, each with the tool that is right for it."""

BESIDE = {
    "show the folders and files below a directory as a tree": "directory_tree",
    "download a web page as markdown": "fetch",
    "run a snippet of JavaScript": "QuickJS_execute_javascript",
    "the sum of two numbers": "get-sum",
    "compress a file with gzip": "gzip-file-as-resource",
    "remember a fact for later conversations": "Memory_create_memory",
    "think a hard problem through step by step": "sequentialthinking",
    "which directories am I allowed to access": "list_allowed_directories",
    "run a command in a docker container": "DockerAlpine_execute_command",
    "read several files at once": "read_multiple_files",
}
"""Requests for the tools of real servers and packages beside the repository."""


def requests() -> dict[str, str]:
    """The fifty requests."""
    lines = REQUESTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split(" | ") for line in lines)


def of_plugins() -> Iterator[Tool]:
    """The tools of every plugin that is installed, whatever its settings offer."""
    for each in entry_points(group="pegboard"):
        found = vars(each.load()).values()
        yield from (tool for tool in found if isinstance(tool, Tool) and each.name != "search")


def of_servers(folder: Path) -> Iterator[Tool]:
    """The tools in files of definitions."""
    for path in sorted(folder.glob("*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        for each in file["tools"] if isinstance(file, dict) else file:
            schema = each.get("inputSchema") or each.get("input_schema")
            shown = {"name": each["name"], "inputSchema": schema}
            yield Tool(
                **mcp.tool_fields(shown | {"description": each.get("description") or ""}), run=print
            )


def to_be_found(tools: Sequence[Tool]) -> list[Tool]:
    """Each of these tools once, marked to be found."""
    by_name = {each.name.lower(): each for each in tools}
    return [attrs.evolve(each, defer_loading=True) for each in by_name.values()]


async def missed(desk: Any, tools: list[Tool], wanted: dict[str, str]) -> list[str]:
    """The requests whose tool isn't among the first five."""
    assert len(tools) >= 500
    assert set(wanted.values()) <= {each.name for each in tools}
    async with desk(*tools) as it:
        return [each for each, name in wanted.items() if name not in await it.names(each)]


def test_there_are_fifty_requests_each_for_another_tool() -> None:
    assert len(requests()) == len(set(requests().values())) == 50


async def test_at_least_45_of_50_requests_find_their_tool_among_the_first_five(desk: Any) -> None:
    wrong = await missed(desk, to_be_found([*tools_of_services(), *of_plugins()]), requests())

    assert len(wrong) <= 5, wrong


@pytest.mark.shared
async def test_as_many_do_among_the_tools_of_real_servers_too(
    desk: Any, definitions_beside: Path
) -> None:
    tools = [*tools_of_services(), *of_plugins(), *of_servers(definitions_beside)]
    wanted = requests() | BESIDE
    wrong = await missed(desk, to_be_found(tools), wanted)

    assert len(wrong) <= len(wanted) // 10, wrong
    assert len([each for each in wrong if each not in BESIDE]) <= 5, wrong


async def test_every_tool_is_the_first_one_that_is_found_by_its_own_name(desk: Any) -> None:
    tools = to_be_found(tools_of_services())
    async with desk(*tools) as it:
        firsts = [(await it.names(each.name))[0] for each in tools[::7]]

    assert firsts == [each.name for each in tools[::7]]
