"""What two thousand different tools take in memory: a program for a process of its own."""

import asyncio
import gc
import json
import resource
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pegboard import Host, tool

MANY = 2000
STATM = Path("/proc/self/statm")
SOURCE = '''
async def tool_{number}(a: int, b: int = 0, label: str | None = None) -> dict:
    """Add two numbers, way {number}.

    Args:
        a: The first of way {number}.
        b: The second.
        label: What to call the sum.
    """
    return {{"sum": a + b, "label": label}}
'''


def functions(count: int) -> list[Callable[..., Any]]:
    """As many functions, no two with the same schema."""
    names: dict[str, Any] = {}
    for number in range(count):
        exec(SOURCE.format(number=number), names)
    return [names[f"tool_{number}"] for number in range(count)]


def resident() -> int:
    """Bytes of this process in memory, what libraries in other languages hold included."""
    gc.collect()
    if STATM.exists():
        return int(STATM.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes where there is no /proc


def traced() -> int:
    """Bytes that Python objects take."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


async def main() -> None:
    """Register, call each once, and print the KiB that each tool takes before and after."""
    made, warm = functions(MANY), functions(1)
    size = traced if tracemalloc.is_tracing() else resident
    async with Host(discover=False) as host, Host(discover=False) as other:
        other.register(tool(warm[0]))
        await (await other.board("warm")).call("tool_0", {"a": 1})
        board = await host.board("bench")
        sizes = [size()]
        for each in made:
            host.register(tool(each))
        sizes.append(size())
        for each in made:
            await board.call(each.__name__, {"a": 1})
        sizes.append(size())
    before, after = [(later - sizes[0]) / MANY / 1024 for later in sizes[1:]]
    print(json.dumps({"before": before, "after": after}))


asyncio.run(main())
