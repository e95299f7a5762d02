"""What a registered tool takes: memory before and after its first call, and time."""

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pegboard import Host, tool
from side_by_side import Way, measure
from ways import FunctionToolset, StructuredTool, add, function_tool

PROGRAM = Path(__file__).with_name("many_tools.py")


def kibibytes(*options: str) -> dict[str, float]:
    """KiB a tool, before its first call and after."""
    command = [sys.executable, *options, str(PROGRAM)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)  # type: ignore[no-any-return]  # what the program prints


def test_a_tool_takes_little_memory_and_not_much_more_once_it_was_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    resident, traced = kibibytes(), kibibytes("-X", "tracemalloc")

    with capsys.disabled():
        print("\n\n| memory a tool | before its first call | after |\n|---|---:|---:|")
        for name, kib in (("the process", resident), ("its Python objects", traced)):
            print(f"| {name} | {kib['before']:.2f} KiB | {kib['after']:.2f} KiB |")
    assert 0 < resident["before"] <= 2.5
    assert resident["before"] < resident["after"] <= 9


async def test_registering_a_tool_beside_what_it_reads_and_beside_the_peers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with Host(discover=False) as host:
        figures = await measure(
            {
                "signature and hints": later(lambda: (inspect.signature(add), get_type_hints(add))),
                "pegboard": later(lambda: host.register(tool(add)).close()),
                "openai-agents `function_tool`": later(lambda: function_tool(add)),
                "pydantic-ai `FunctionToolset`": later(lambda: FunctionToolset([add])),
                "langchain `from_function`": later(
                    lambda: StructuredTool.from_function(coroutine=add)
                ),
            },
            rounds=15,
        )

    with capsys.disabled():
        print("\n\n" + figures.table("registering one tool", "pegboard"))


def later(function: Any) -> Way:
    """A function as something to await."""

    async def run() -> Any:
        return function()

    return run
