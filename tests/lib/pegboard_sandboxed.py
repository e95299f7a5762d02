"""A host whose programs run in real sandboxes, and the processes that these are."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pegboard_code
from pegboard import Board, Config, Host, Outcome, Tool, ToolCall


@asynccontextmanager
async def sandboxed(
    *tools: Tool, config: Config | None = None, presentation: str | None = "code"
) -> AsyncIterator[tuple[Host, Board]]:
    """An open host with the plugin `code` and these tools, and a board that offers programs."""
    async with Host(config, discover=False) as host:
        await host.load(pegboard_code, name="code")
        for each in tools:
            host.register(each)
        yield host, await host.board("case", presentation=presentation)


def written(code: str, call_id: str = "p") -> ToolCall:
    """A call of `run_code` with this program."""
    return ToolCall(call_id, "run_code", {"description": "A case.", "code": code})


async def ran(code: str, *tools: Tool, config: Config | None = None) -> Outcome:
    """The outcome of a program that may call these tools."""
    async with sandboxed(*tools, config=config) as (_, board):
        return await board.call(written(code))


def workers() -> list[int]:
    """The processes that descend from this one."""
    parents = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit() and (parent := _parent(each)) is not None:
            parents[int(each.name)] = parent
    found = [os.getpid()]
    for above in found:
        found += [pid for pid, parent in parents.items() if parent == above]
    return found[1:]


def _parent(process: Path) -> int | None:
    """The parent of a process that has neither ended nor gone."""
    try:
        text = (process / "stat").read_text()
    except OSError:
        return None
    state, parent = text.rpartition(")")[2].split()[:2]
    return None if state == "Z" else int(parent)
