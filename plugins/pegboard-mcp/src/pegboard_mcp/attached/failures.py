"""Why a server can't be reached or used, in words."""

from collections.abc import Iterator

import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, METHOD_NOT_FOUND
from pegboard import PegboardError
from pydantic import ValidationError

from pegboard_mcp.attached.listing import ListingError
from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.requests import is_broken_off
from pegboard_mcp.attached.transports import Way

_ENDED = "Connection closed"


class StartError(PegboardError):
    """A server that can't be used.

    Attributes:
        may_pass: whether it may get better by itself.
    """

    def __init__(self, message: str, *, may_pass: bool) -> None:
        super().__init__(message)
        self.may_pass = may_pass


async def start_error(error: BaseException, way: Way, *, shown: str, masks: Masks) -> StartError:
    """What to say of a server that has not come up.

    Args:
        error: what was raised.
        way: how it was tried.
        shown: the target.
        masks: takes out what must not show.
    """
    leaf = first_leaf(error)
    why, may_pass = _reason(leaf, way)
    is_gone = isinstance(leaf, MCPError) and is_of_sdk(leaf)
    ending = await way.ending() if is_gone else way.last_words
    return StartError(masks.hide(f"the MCP server of {shown} {why}{ending}"), may_pass=may_pass)


def is_of_sdk(error: MCPError) -> bool:
    """Whether the SDK says that the connection has ended; servers use the code for other things."""
    return error.code == CONNECTION_CLOSED and error.message == _ENDED


def first_leaf(error: BaseException) -> BaseException:
    """The first error in a group, at any depth."""
    return next(_leaves(error))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _reason(error: BaseException, way: Way) -> tuple[str, bool]:
    """What is wrong, and whether it may get better by itself."""
    match error:
        case TimeoutError():
            return "didn't list its tools in time", True
        case httpx2.TransportError():
            return f"can't be reached: {str(error) or type(error).__name__}", True
        case OSError() | ValueError() if way.stdio is not None and way.stdio.child is None:
            return f"can't be started: {_of_system(error)}", False
        case MCPError():
            return _refusal(error, way)
        case ValidationError():
            return "answered with something else than a list of tools", False
        case ListingError():
            return f"can't be used: {error}", False
        case _:
            return f"can't be used: {type(error).__name__}: {error}", False


def _refusal(error: MCPError, way: Way) -> tuple[str, bool]:
    status = None if way.http is None else way.http.requests.status
    if is_of_sdk(error):
        return "ended before it had listed its tools", False
    if status is not None and error.code in (INTERNAL_ERROR, METHOD_NOT_FOUND):
        return f"answered with HTTP status {status}", status >= 500
    if way.http is not None and is_broken_off(error.message):
        return "can't be reached: the connection broke", True
    return f"refused: {error.message}", False


def _of_system(error: BaseException) -> str:
    if not isinstance(error, OSError):
        return str(error)
    where = f": {error.filename!r}" if error.filename else ""
    return f"{(error.strerror or type(error).__name__).lower()}{where}"
