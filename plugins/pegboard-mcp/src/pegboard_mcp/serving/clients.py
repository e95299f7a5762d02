"""What a served tool may know of the MCP client that called it, and ask of it."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar

import attrs
from mcp_types import (
    ClientCapabilities,
    CreateMessageRequest,
    ElicitRequest,
    Implementation,
    InputRequest,
    InputResponse,
    ListRootsRequest,
    LoggingLevel,
)
from pegboard import JSON, Code, Failure, ToolError, WrongArgumentError
from pydantic import TypeAdapter, ValidationError

_CODE = "input_required"
_REQUESTS: TypeAdapter[dict[str, InputRequest]] = TypeAdapter(dict[str, InputRequest])
CALLING: ContextVar["McpClient | None"] = ContextVar("pegboard_mcp_client", default=None)


@attrs.frozen(eq=False)
class McpClient:
    """The MCP client that made the call which runs now.

    Attributes:
        protocol_version: what it speaks.
        capabilities: what it can be asked for.
        info: its name and version, if it has told them.
        responses: what it has answered to an `InputRequired`, by key; empty on the first run.
        state: what that `InputRequired` kept; None on the first run.
    """

    protocol_version: str
    capabilities: ClientCapabilities
    info: Implementation | None
    responses: Mapping[str, InputResponse]
    state: JSON
    _log: Callable[[LoggingLevel, JSON, str | None], Awaitable[None]] = attrs.field(repr=False)

    async def log(self, level: LoggingLevel, data: JSON, logger: str | None = None) -> None:
        """Send the client a message for its log, if it wants those of this level.

        Args:
            level: from `debug` to `emergency`.
            data: text, or any JSON value.
            logger: who says it.

        Raises:
            NotJSONError: the data isn't JSON.
        """
        await self._log(level, data, logger)


def calling_client() -> McpClient | None:
    """The client that made the call which runs now; None where no MCP client made it.

    Calls inside that call have it too, but only the tool that the client itself has called can ask
    it with `InputRequired`; the answers are that tool's.
    """
    return CALLING.get()


class InputRequired(ToolError):  # noqa: N818 - the word of the protocol
    """Raised by a served tool that can't go on without something from the client.

    The client is asked, and the tool is called again, from its beginning; `calling_client()` then
    has the answers. So nothing that has effects belongs before it. It is a failure like any other
    in a tool that a tool has called.

    Args:
        requests: what is asked for, by keys of the tool's own.
        state: any JSON value; `calling_client().state` gives it back.
    """

    def __init__(self, requests: Mapping[str, InputRequest], state: JSON = None) -> None:
        for key, each in requests.items():
            _check(key, each)
        shown = _REQUESTS.dump_python(dict(requests), by_alias=True, mode="json", exclude_none=True)
        keys = ", ".join(map(repr, requests)) or "nothing"
        super().__init__(
            f"an MCP client has to answer first: {keys}; "
            "only the tool that a client itself has called can ask it",
            code=_CODE,
            details={"requests": shown, "state": state},
        )
        self.requests = dict(requests)
        self.state = state


def _check(key: str, request: object) -> None:
    if not isinstance(request, (CreateMessageRequest, ElicitRequest, ListRootsRequest)):
        kind = type(request).__name__
        raise WrongArgumentError(f"request {key!r} is a request of MCP, not {kind}")


@attrs.frozen
class Needs:
    """What a tool needs before it can go on."""

    requests: dict[str, InputRequest]
    state: JSON


def needs_of(outcome: object) -> Needs | None:
    """What a call needs that ended in an `InputRequired`; None for any other."""
    if not isinstance(outcome, Failure) or outcome.code is not Code.TOOL_ERROR:
        return None
    details = outcome.details or {}
    if details.get("code") != _CODE:
        return None
    try:
        return Needs(_REQUESTS.validate_python(details.get("requests")), details.get("state"))
    except ValidationError:
        return None
