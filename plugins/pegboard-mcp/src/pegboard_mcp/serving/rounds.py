"""What a client sends back with its answers: which call they are for, sealed by the SDK."""

import json
import secrets
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import attrs
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, InputResponse
from pegboard import JSON

_MOST = 10_000
_GONE = "Invalid or expired requestState: the call is gone; call again"


def new_id() -> str:
    """The id of a call that no other call has; ids of calls inside it begin with it and a colon."""
    return f"mcp-{uuid.uuid4().hex}"


@attrs.frozen
class Round:
    """One run of a call, and what is known from the runs that ended in an `InputRequired`.

    Attributes:
        call_id: the id of the call, in each of its runs.
        granted: what was answered for the call itself, by the digest of the request.
        responses: what the client has answered to the tool.
        state: what the tool has kept.
    """

    call_id: str = attrs.field(factory=new_id)
    granted: Mapping[str, str] = attrs.field(factory=dict)
    responses: Mapping[str, InputResponse] = attrs.field(factory=dict)
    state: JSON = None


@attrs.frozen
class Resumption:
    """A client has answered a call that waits for it.

    Attributes:
        call_id: which call.
        turn: which of the times that it has waited.
        answers: by the keys of the questions.
    """

    call_id: str
    turn: int
    answers: Mapping[str, InputResponse]


class Rounds:
    """Tells from what a client sends back how its call goes on.

    What was granted stays here, so that it is used once only; the rest is with the client, and
    comes back as it was, since the SDK seals it.
    """

    def __init__(self) -> None:
        self._granted: OrderedDict[str, Mapping[str, str]] = OrderedDict()

    def again(self, now: Round) -> str:
        """What a client is to send back for the next run."""
        once = secrets.token_hex(8)
        self._granted[once] = now.granted
        if len(self._granted) > _MOST:
            self._granted.popitem(last=False)
        return json.dumps({"call": now.call_id, "once": once, "state": now.state})

    def waiting(self, call_id: str, turn: int) -> str:
        """What a client is to send back to a call that waits for its answers."""
        return json.dumps({"call": call_id, "turn": turn})

    def next(self, params: CallToolRequestParams) -> Round | Resumption:
        """What a request asks for: a first run, one more, or that a call goes on.

        Raises:
            MCPError: what came back isn't what was kept.
        """
        given = params.input_responses or {}
        if params.request_state is None:
            return Round(responses=given)
        try:
            kept: dict[str, Any] = json.loads(params.request_state)
            if "turn" in kept:
                return Resumption(kept["call"], kept["turn"], given)
            granted = self._granted.pop(kept["once"], {})
            return Round(kept["call"], granted, given, kept["state"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise MCPError(INVALID_PARAMS, _GONE) from None


def explained(error: MCPError) -> MCPError:
    """The SDK's refusal of what a client sends back, with what the client can do."""
    if error.code == INVALID_PARAMS and error.message == _GONE.partition(":")[0]:
        return MCPError(INVALID_PARAMS, _GONE)
    return error
