"""What belongs to one connection of a client, and lasts as long."""

import json
from typing import Any, TypeAlias, get_args

from mcp.server.connection import Connection, allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp_types import LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams
from pegboard import JSON, NotJSONError

from pegboard_mcp.serving.eras import is_modern

Context: TypeAlias = ServerRequestContext[Any, Any]
_LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
_KEY = "pegboard.level"


def connection_of(ctx: Context) -> Connection:
    """The connection on which a message has come."""
    return ctx.session._connection  # noqa: SLF001 - the SDK has no other way to it


def set_level(ctx: Context, level: LoggingLevel) -> None:
    """Send the client messages of this level and above only."""
    connection_of(ctx).state[_KEY] = level


async def log(ctx: Context, level: LoggingLevel, data: JSON, logger: str | None) -> None:
    """Send a message for a client's log beside what it has asked; none that it doesn't want.

    Raises:
        NotJSONError: it isn't JSON.
    """
    _check([data, logger])
    if level in _wanted(ctx):
        params = LoggingMessageNotificationParams(level=level, data=data, logger=logger)
        note = LoggingMessageNotification(params=params)
        await ctx.session.send_notification(note, related_request_id=ctx.request_id)


def _check(data: JSON) -> None:
    """Refuse what has no place in JSON: writing it would end the connection."""
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJSONError(f"a message for a log is JSON: {error}") from None


def _wanted(ctx: Context) -> frozenset[LoggingLevel]:
    if is_modern(ctx.protocol_version):
        return allowed_log_levels(ctx.protocol_version, ctx.meta)
    least = connection_of(ctx).state.get(_KEY, _LEVELS[0])
    return frozenset(_LEVELS[_LEVELS.index(least) :])
