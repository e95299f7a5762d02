"""What a board shows is the same bytes in every process."""

import itertools
import json
import os
import subprocess
import sys

import pytest

PROGRAM = '''
import asyncio, json, sys
from types import ModuleType
from typing import Literal, TypedDict

from pegboard import Host, Select, ToolAnnotations, formats, tool

class Point(TypedDict, total=False):
    """A place."""
    x: int
    y: float | None

WORDS = {"x", "y", "z", "word"}

def plugin(name, count):
    module = ModuleType(name)
    for number in range(count):
        @tool(name=f"{name}_{number}", tags={"b", "a", name}, title=f"Tool {number}",
              annotations=ToolAnnotations(read_only=True, destructive=False))
        def made(at: Point, kind: Literal["one", "two"] = "one",
                 words: set[str] = WORDS) -> Point:
            """Do it.

            Args:
                at: Where.
                kind: Which.
            """
            return at
        setattr(module, f"tool_{number}", made)
    return module

async def main(order):
    async with Host(discover=False) as host:
        board = await host.board("a", allow=[Select(tags={"a", "b"})], deny=["two_1*"])
        for name in order:
            await host.load(plugin(name, 3))
        shown = {shape: board.encoded_definitions(shape).decode() for shape in formats.SHAPES}
        neutral = [[each.name, each.description, each.parameters_text.decode()]
                   for each in board.definitions()]
        print(json.dumps({**shown, "neutral": neutral}))

asyncio.run(main(sys.argv[1:]))
'''
ORDERS = list(itertools.permutations(["one", "two", "Three"]))


@pytest.fixture(scope="module")
def shown() -> list[dict[str, object]]:
    """What processes with other hash seeds and orders of loading show."""
    return [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", PROGRAM, *order],
                check=True,
                env=os.environ | {"PYTHONHASHSEED": str(seed)},
                stdout=subprocess.PIPE,
            ).stdout
        )
        for seed, order in enumerate(ORDERS[::2])
    ]


@pytest.mark.parametrize(
    "shape", ["anthropic", "gemini", "mcp", "neutral", "openai", "openai_responses", "pi"]
)
def test_definitions_are_the_same_in_every_process_and_order_of_loading(
    shown: list[dict[str, object]], shape: str
) -> None:
    first, *others = (each[shape] for each in shown)

    assert str(first).count("Do it.") == 8
    assert len(others) == 2
    assert all(other == first for other in others)
