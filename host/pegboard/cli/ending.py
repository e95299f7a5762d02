"""Running a command, and ending the process with it whatever code of plugins goes on."""

import asyncio
import os
from collections.abc import Coroutine
from typing import Any

from pegboard.cli.streams import Streams

_PATIENCE = 1.0
"""Seconds in which tasks end that were told to."""


def run(work: Coroutine[Any, Any, int], streams: Streams) -> int:
    """The exit status that a command gives; the process ends with it if tasks refuse to."""
    return asyncio.run(_ended(work, streams))


async def _ended(work: Coroutine[Any, Any, int], streams: Streams) -> int:
    status = await work
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for each in tasks:
        each.cancel()
    if tasks and (await asyncio.wait(tasks, timeout=_PATIENCE))[1]:
        streams.results.flush()
        streams.messages.flush()
        os._exit(status)  # asyncio would wait for them for ever
    return status
