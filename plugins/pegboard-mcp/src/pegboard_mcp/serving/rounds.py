"""What a call keeps while its client answers: sealed with the client, or here and for one use."""

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
from pydantic import TypeAdapter, ValidationError

from pegboard_mcp.serving.questions import answer_of

_RESPONSES: TypeAdapter[dict[str, InputResponse]] = TypeAdapter(dict[str, InputResponse])
_MOST = 10_000


def new_id() -> str:
    """The id of a call that no other call has; ids of calls inside it begin with it and a colon."""
    return f"mcp-{uuid.uuid4().hex}"


@attrs.frozen
class Round:
    """One run of a call, and what is known from the runs before.

    Attributes:
        call_id: the id of the call, in each of its runs.
        approvals: what was answered just now, by the digest of the request.
        granted: what was answered and used before; each run has all its questions again.
        responses: what the client has answered to the tool itself.
        state: what the tool has kept.
    """

    call_id: str = attrs.field(factory=new_id)
    approvals: Mapping[str, str] = attrs.field(factory=dict)
    granted: Mapping[str, str] = attrs.field(factory=dict)
    responses: Mapping[str, InputResponse] = attrs.field(factory=dict)
    state: JSON = None


class Rounds:
    """Goes on with calls whose clients were asked for something.

    What was granted stays here, so that it is used once only; the rest is with the client, and
    comes back as it was, since the SDK seals it.
    """

    def __init__(self) -> None:
        self._granted: OrderedDict[str, Mapping[str, str]] = OrderedDict()

    def kept(self, now: Round, digests: Mapping[str, str] | None = None) -> str:
        """What a client is to send back.

        Args:
            now: the run that has ended; its responses and state are those of the next one.
            digests: of the requests for approval that it is to answer, by key.
        """
        once = secrets.token_hex(8)
        self._granted[once] = {**now.granted, **now.approvals}
        if len(self._granted) > _MOST:
            self._granted.popitem(last=False)
        responses = dict(now.responses) if digests else {}
        shown = _RESPONSES.dump_python(responses, by_alias=True, mode="json", exclude_none=True)
        kept = {"call": now.call_id, "once": once, "state": now.state}
        return json.dumps({**kept, "asked": digests or {}, "responses": shown})

    def next(self, params: CallToolRequestParams) -> Round:
        """The run that a request asks for: the first one, or one more with what was answered.

        Raises:
            MCPError: what came back isn't what was kept.
        """
        given = params.input_responses or {}
        if params.request_state is None:
            return Round(responses=given)
        try:
            kept: dict[str, Any] = json.loads(params.request_state)
            asked: dict[str, str] = kept["asked"]
            responses = _RESPONSES.validate_python(kept["responses"]) if asked else given
            return Round(
                call_id=kept["call"],
                approvals={
                    digest: answer_of(given[key]) for key, digest in asked.items() if key in given
                },
                granted=self._granted.pop(kept["once"], {}),
                responses=responses,
                state=kept["state"],
            )
        except (AttributeError, KeyError, TypeError, ValueError, ValidationError):
            raise MCPError(INVALID_PARAMS, "Invalid or expired requestState") from None
