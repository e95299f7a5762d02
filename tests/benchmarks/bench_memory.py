"""What a registered tool takes: memory before and after its first call, and time."""

import inspect
import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import FunctionType
from typing import Any, get_type_hints

import pytest
from pegboard import Host, tool
from side_by_side import Way, measure
from ways import FunctionToolset, StructuredTool, add, function_tool

NUMBERS = count()
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


async def test_registering_a_tool_costs_at_most_six_times_its_signature_and_hints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with Host(discover=False) as host:
        figures = await measure(
            {
                "a new function": later(cold),
                "signature and hints": later(read),
                "pegboard": later(lambda: host.register(tool(cold())).close()),
                "openai-agents `function_tool`": later(lambda: function_tool(cold())),
                "pydantic-ai `FunctionToolset`": later(lambda: FunctionToolset([cold()])),
                "langchain `from_function`": later(
                    lambda: StructuredTool.from_function(coroutine=cold())
                ),
            },
            rounds=15,
        )

    with capsys.disabled():
        print("\n\n" + figures.table("decorating and registering a new function", "pegboard"))
    assert figures.ratio("pegboard", "signature and hints") <= 6


def cold() -> Any:
    """The function of the other benchmarks as nobody has seen it yet: all of it is read anew."""
    made = FunctionType(add.__code__, add.__globals__, add.__name__, add.__defaults__)
    made.__annotations__ = dict(add.__annotations__)
    made.__doc__ = str(add.__doc__).replace("numbers", f"numbers in way {next(NUMBERS)}")
    return made


def read() -> Any:
    """What the standard library takes to read a new function."""
    function = cold()
    return inspect.signature(function), get_type_hints(function)


def later(function: Any) -> Way:
    """A function as something to await."""

    async def run() -> Any:
        return function()

    return run
