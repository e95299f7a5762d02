"""A server object of this program, whose tools can end their own calls and nothing else."""

import asyncio
import copy
from typing import Any

from mcp.server import MCPServer, Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR


def contained(server: Server[Any] | MCPServer) -> Server[Any]:
    """The same server, for one connection; the object itself stays as it is."""
    inner = server._lowlevel_server if isinstance(server, MCPServer) else server  # noqa: SLF001 - the SDK has no other way to it
    found = copy.copy(inner)
    found.middleware = [_contain, *inner.middleware]
    return found


async def _contain(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Make an error of what would end the loop, or look as if the call had been cancelled."""
    try:
        return await call_next(ctx)
    except (Exception, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        raised = type(error).__name__
        raise MCPError(INTERNAL_ERROR, f"the tool has ended with {raised}") from error


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
