"""Tools that tell the client something while they run."""

import asyncio

from pegboard import RunContext, tool

from pegboard_conformance.asking import client

PAUSE = 0.05


@tool
async def test_tool_with_logging() -> str:
    """Log three messages."""
    for message in ("execution started", "processing data", "execution completed"):
        await client().log("info", f"Tool {message}")
        await asyncio.sleep(PAUSE)
    return "Three messages were logged."


@tool
async def test_logging_tool() -> str:
    """Log a message."""
    await client().log("info", "A message")
    return "A message was logged."


@tool
async def test_tool_with_progress(context: RunContext) -> str:
    """Report progress three times."""
    for done in (0, 50, 100):
        context.report(done, 100)
        await asyncio.sleep(PAUSE)
    return "Progress was reported."
