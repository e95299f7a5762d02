"""Answering `tools/call`: one call on the board, and whatever its client is asked on the way."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any

import anyio
import attrs
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    ClientCapabilities,
    InputRequest,
)
from pegboard import ApprovalRequest, Board, Code, Failure, Outcome, Signal
from pydantic import ValidationError

from pegboard_mcp.serving.answers import Result, failed, input_required, result_of
from pegboard_mcp.serving.clients import CALLING, McpClient, Needs, needs_of
from pegboard_mcp.serving.eras import is_modern
from pegboard_mcp.serving.listing import Listing
from pegboard_mcp.serving.progress import Reports
from pegboard_mcp.serving.questions import (
    answer_of,
    approval_form,
    can_fill_forms,
    lacking,
    named,
    send,
    shown,
)
from pegboard_mcp.serving.rounds import Round, Rounds
from pegboard_mcp.serving.sessions import Context, log

_MOST_ROUNDS = 20
_ASKING = "pegboard_approval_{}"


@attrs.frozen(eq=False)
class _Calling:
    """One run of a call that a client has made.

    Attributes:
        granted: answers to requests for approval, by digest, that hold for this run too.
        later: the approvals that its client is asked for once the run has ended.
    """

    ctx: Context
    now: Round
    granted: dict[str, str]
    later: list[ApprovalRequest] = attrs.field(factory=list)

    @property
    def is_modern(self) -> bool:
        """Whether the client is asked between runs, rather than during one."""
        return is_modern(self.ctx.protocol_version)


class Calls:
    """Makes the calls of the clients of one board."""

    def __init__(self, board: Board, listing: Listing) -> None:
        self._board = board
        self._listing = listing
        self._rounds = Rounds()
        self._running: dict[str, _Calling] = {}

    async def approve(self, request: ApprovalRequest) -> str | None:
        """Answer for a client whether its call may run; None for any other call."""
        calling = self._running.get(request.call_id.partition(":")[0])
        if calling is None:
            return None
        if request.digest in calling.granted:
            return calling.granted[request.digest]
        session = calling.ctx.session
        if not can_fill_forms(session.client_capabilities):
            return None
        if calling.is_modern:
            calling.later.append(request)
            return "later"
        if not session.can_send_request:
            return None
        response = await send(session, approval_form(request), calling.ctx.request_id)
        answer = calling.granted[request.digest] = answer_of(response)
        return answer

    async def call(self, ctx: Context, params: CallToolRequestParams) -> Result:
        """The result of one `tools/call`.

        Raises:
            MCPError: the board shows no such tool, or the client lacks what the tool asks for.
        """
        now = self._rounds.next(params)
        for _ in range(_MOST_ROUNDS):
            calling = _Calling(ctx, now, dict(now.granted))
            outcome = await self._outcome(calling, params)
            if isinstance(outcome, Failure) and outcome.code is Code.UNKNOWN_TOOL:
                raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name[:128]}")
            ended = await self._ended(calling, outcome)
            if not isinstance(ended, Round):
                return ended
            now = ended
        return failed(f"the tool has asked for something {_MOST_ROUNDS} times")

    async def _outcome(self, calling: _Calling, params: CallToolRequestParams) -> Outcome:
        """Make the call; a client that goes away cancels it, and it still has its one outcome."""
        signal, reports = Signal(), Reports(calling.ctx.session)
        call_id, client = calling.now.call_id, _client(calling)

        async def make() -> Outcome:
            CALLING.set(client)
            return await self._board.call(
                params.name,
                params.arguments,
                id=call_id,
                signal=signal,
                on_progress=reports.take,
                approvals=calling.now.approvals,
            )

        if call_id in self._running:
            raise MCPError(INVALID_PARAMS, "this call is being answered already")
        self._running[call_id] = calling
        try:
            outcome = await _outlasting(make(), signal)
            await reports.flush()
        finally:
            del self._running[call_id]
            reports.close()
        return outcome

    async def _ended(self, calling: _Calling, outcome: Outcome) -> Result | Round:
        """What a client gets after a run of its call, or the next run.

        Raises:
            MCPError: the client lacks what the tool asks for.
        """
        if calling.later and isinstance(outcome, Failure):
            return self._asked(calling)
        needs = needs_of(outcome)
        if needs is None:
            modern = calling.is_modern
            promised = self._listing.promises_value(outcome.tool, modern=modern)
            return result_of(outcome, modern=modern, promises_value=promised)
        missing = lacking(needs.requests.values(), calling.ctx.session.client_capabilities)
        if missing is not None:
            return _refused(missing, modern=calling.is_modern)
        now = attrs.evolve(calling.now, granted=calling.granted, state=needs.state)
        if calling.is_modern:
            return input_required(needs.requests, self._rounds.kept(now))
        try:
            return attrs.evolve(now, responses=await _answers(calling.ctx, needs))
        except (MCPError, ValidationError) as error:
            said = error.message if isinstance(error, MCPError) else "it isn't of the protocol"
            return failed(f"the client has given no answer: {said}")

    def _asked(self, calling: _Calling) -> Result | Round:
        """What asks a client for approvals, or a new call where they were used before."""
        now = calling.now
        given = {*now.approvals, *now.granted}
        if any(each.digest in given for each in calling.later):
            return Round(responses=now.responses, state=now.state)
        asked = {_ASKING.format(n): each for n, each in enumerate(calling.later, 1)}
        forms: dict[str, InputRequest] = {key: approval_form(each) for key, each in asked.items()}
        digests = {key: each.digest for key, each in asked.items()}
        return input_required(forms, self._rounds.kept(now, digests))


def _client(calling: _Calling) -> McpClient:
    session = calling.ctx.session
    return McpClient(
        protocol_version=calling.ctx.protocol_version,
        capabilities=session.client_capabilities or ClientCapabilities(),
        info=None if session.client_params is None else session.client_params.client_info,
        responses=dict(calling.now.responses),
        state=calling.now.state,
        log=partial(log, calling.ctx),
    )


async def _outlasting(call: Coroutine[Any, Any, Outcome], signal: Signal) -> Outcome:
    """Await a call; being cancelled cancels it, and waits until it has ended."""
    task = asyncio.ensure_future(call)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        signal.cancel("the client has cancelled it")
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise


def _refused(missing: ClientCapabilities, *, modern: bool) -> Result:
    """What a client gets whose tool needs what it lacks.

    Raises:
        MCPError: the client is of the era that has an error for it.
    """
    message = f"the client lacks {named(missing)}, which the tool needs"
    if modern:
        data = {"requiredCapabilities": shown(missing)}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, message, data)
    return failed(message)


async def _answers(ctx: Context, needs: Needs) -> dict[str, Any]:
    """Ask a client of the handshake era for everything, one thing after the other."""
    return {
        key: await send(ctx.session, each, ctx.request_id) for key, each in needs.requests.items()
    }
