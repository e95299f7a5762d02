"""What a client can be asked, how it is asked, and what its answers mean."""

import json
from collections.abc import Iterable
from typing import Any, assert_never

from mcp.server.session import ServerSession
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    FormElicitationCapability,
    InputRequest,
    InputResponse,
    ListRootsRequest,
    ListRootsResult,
    RequestId,
    RootsCapability,
    SamplingCapability,
    UrlElicitationCapability,
)
from pegboard import ApprovalRequest

_LONGEST = 4000
_ANSWERS = ("once", "board", "rejected")
_FORM = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "title": "May it run?",
            "description": "once: this call; board: later ones on this board too; rejected: no",
            "enum": list(_ANSWERS),
        }
    },
    "required": ["answer"],
}


def can_fill_forms(capabilities: ClientCapabilities | None) -> bool:
    """Whether a client can have somebody fill in a form."""
    asked = None if capabilities is None else capabilities.elicitation
    return asked is not None and (asked.form is not None or asked.url is None)


def lacking(
    requests: Iterable[InputRequest], capabilities: ClientCapabilities | None
) -> ClientCapabilities | None:
    """The capabilities that a client would need beside its own; None where it has them all."""
    had = capabilities or ClientCapabilities()
    missing: dict[str, object] = {}
    for each in requests:
        match each:
            case ListRootsRequest() if had.roots is None:
                missing["roots"] = RootsCapability()
            case CreateMessageRequest() if had.sampling is None:
                missing["sampling"] = SamplingCapability()
            case ElicitRequest(params=ElicitRequestFormParams()) if not can_fill_forms(had):
                missing["elicitation"] = ElicitationCapability(form=FormElicitationCapability())
            case ElicitRequest(params=ElicitRequestURLParams()) if not _can_open(had):
                missing["elicitation"] = ElicitationCapability(url=UrlElicitationCapability())
            case _:
                continue
    return ClientCapabilities.model_validate(missing) if missing else None


def _can_open(capabilities: ClientCapabilities) -> bool:
    asked = capabilities.elicitation
    return asked is not None and asked.url is not None


async def send(
    session: ServerSession, request: InputRequest, request_id: RequestId | None
) -> InputResponse:
    """Ask a client of the handshake era, beside the call that is being answered.

    Raises:
        MCPError: it refuses.
    """
    meta = ServerMessageMetadata(related_request_id=request_id)
    match request:
        case ElicitRequest():
            return await session.send_request(request, ElicitResult, metadata=meta)
        case ListRootsRequest():
            return await session.send_request(request, ListRootsResult, metadata=meta)
        case CreateMessageRequest(params=params):
            if params.tools is None and params.tool_choice is None:
                return await session.send_request(request, CreateMessageResult, metadata=meta)
            kind = CreateMessageResultWithTools
            return await session.send_request(request, kind, metadata=meta)
        case _:
            assert_never(request)


def approval_form(request: ApprovalRequest) -> ElicitRequest:
    """The form that asks a client's user whether a call may run."""
    lines = [
        f"{request.tool} of {request.owner}, on board {request.board!r}, needs an approval.",
        *([f"Reason: {request.reason}"] if request.reason else []),
        f"Arguments: {json.dumps(request.arguments, ensure_ascii=False, indent=2)}",
    ]
    text = "".join(map(_seen, "\n".join(lines)))
    more = len(text) - _LONGEST
    message = text if more <= 0 else f"{text[:_LONGEST]}\n… and {more} more characters"
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=_FORM))


def answer_of(response: InputResponse | None) -> str:
    """What a filled-in form answers; anything unclear is `cancelled`, which lets nothing run."""
    if not isinstance(response, ElicitResult):
        return "cancelled"
    if response.action != "accept":
        return "rejected" if response.action == "decline" else "cancelled"
    answer = (response.content or {}).get("answer")
    return answer if isinstance(answer, str) and answer in _ANSWERS else "cancelled"


def shown(capabilities: ClientCapabilities) -> dict[str, Any]:
    """Capabilities as they go over the wire."""
    return capabilities.model_dump(by_alias=True, mode="json", exclude_none=True)


def named(capabilities: ClientCapabilities) -> str:
    """The names of capabilities."""
    return " and ".join(shown(capabilities))


def _seen(character: str) -> str:
    """A character that shows; what would hide or turn text around is escaped."""
    if character == "\n" or character.isprintable():
        return character
    return character.encode("unicode_escape").decode()
