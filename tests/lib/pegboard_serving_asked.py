"""A board whose calls need approvals, and clients of the newer era that are asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client
from mcp_types import ElicitResult
from pegboard import Ask, Board, Host
from pegboard_mcp import BoardServer
from pegboard_serving import Person, board_with, echo

RAN: Any = {"value": "Pi"}
"""What the tool is called with."""


@asynccontextmanager
async def asking(*tools: Any, reason: str = "it costs money") -> AsyncIterator[tuple[Host, Board]]:
    """A board on which every call needs an approval."""
    async with board_with(*(tools or (echo,))) as (host, board):
        host.hook(before_call=lambda execution: Ask(reason))
        yield host, board


def asked_client(board: Board) -> Client:
    """A modern client that says that it can ask somebody."""
    return Client(BoardServer(board), elicitation_callback=Person().fill)


def raw(client: Client, **given: Any) -> Any:
    """A call of which the client shows what it is asked, rather than answering."""
    return client.session.call_tool("echo", RAN, allow_input_required=True, **given)


def yes(answer: str = "once") -> dict[str, Any]:
    """An answer to the first question for an approval."""
    return {"pegboard_approval_1": ElicitResult(action="accept", content={"answer": answer})}
