"""Answering `tools/call`: one call on the board, and whatever its client is asked on the way."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
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
from pegboard import ApprovalRequest, Board, Code, Failure, Outcome, Progress, Signal
from pydantic import ValidationError

from pegboard_mcp.serving.answers import Result, failed, input_required, result_of
from pegboard_mcp.serving.clients import Needs, needs_of
from pegboard_mcp.serving.listing import Listing
from pegboard_mcp.serving.ongoing import Ongoing
from pegboard_mcp.serving.questions import (
    answer_of,
    approval_form,
    can_fill_forms,
    lacking,
    named,
    send,
    shown,
)
from pegboard_mcp.serving.rounds import Resumption, Round, Rounds
from pegboard_mcp.serving.sessions import Context

_MOST_ROUNDS = 20
MOST_WAITING = 500
PATIENCE = 60 * 60.0
_GONE = "the call is gone; call again"


@attrs.frozen(eq=False)
class _Waiting:
    """A call whose client has been asked, until it answers or its time is over."""

    run: Ongoing
    timer: asyncio.TimerHandle


class Calls:
    """Makes the calls of the clients of one board.

    A call of a modern client stays here while its client has questions to answer: nothing of it
    happens twice.
    """

    def __init__(self, board: Board, listing: Listing) -> None:
        self._board = board
        self._listing = listing
        self._rounds = Rounds()
        self._running: dict[str, Ongoing] = {}
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()

    @property
    def is_waiting(self) -> bool:
        """Whether a call waits for the answers of its client."""
        return bool(self._waiting)

    async def approve(self, request: ApprovalRequest) -> str | None:
        """Answer for a client whether its call may run; None for any other call."""
        run = self._running.get(request.call_id.partition(":")[0])
        if run is None:
            return None
        is_own = request.call_id == run.now.call_id and not request.is_inside
        if is_own and request.digest in run.now.granted:
            return run.now.granted[request.digest]
        answer = await _asked(run, request)
        if is_own and answer is not None:
            run.granted[request.digest] = answer
        return answer

    async def call(self, ctx: Context, params: CallToolRequestParams) -> Result:
        """The result of one `tools/call`.

        Raises:
            MCPError: the board shows no such tool, or the client lacks what the tool asks for.
        """
        begun = self._rounds.next(params)
        if isinstance(begun, Resumption):
            run = self._resumed(begun)
            return failed(_GONE) if run is None else await self._answered(run, ctx, params)
        return await self._answered(self._begun(ctx, params, begun), ctx, params)

    async def close(self) -> None:
        """Cancel every call, and return once they have ended."""
        for each in self._waiting.values():
            each.timer.cancel()
        self._waiting.clear()
        runs = list(self._running.values())
        for run in runs:
            run.cancel("the board is served no more")
        with anyio.CancelScope(shield=True):
            for run in runs:
                await run.ended()

    def _begun(self, ctx: Context, params: CallToolRequestParams, now: Round) -> Ongoing:
        async def make(
            call_id: str, signal: Signal, on_progress: Callable[[Progress], None]
        ) -> Outcome:
            return await self._board.call(
                params.name, params.arguments, id=call_id, signal=signal, on_progress=on_progress
            )

        if now.call_id in self._running:
            raise MCPError(INVALID_PARAMS, "this call is being answered already")
        run = self._running[now.call_id] = Ongoing(ctx, now, make)
        run.when_done(lambda: self._running.pop(now.call_id))
        return run

    def _resumed(self, resumption: Resumption) -> Ongoing | None:
        """The call that waits for these answers, if it still does."""
        waiting = self._waiting.get(resumption.call_id)
        if waiting is None or waiting.run.turn != resumption.turn:
            return None
        del self._waiting[resumption.call_id]
        waiting.timer.cancel()
        waiting.run.answer(resumption.answers)
        return waiting.run

    async def _answered(self, run: Ongoing, ctx: Context, params: CallToolRequestParams) -> Result:
        for left in reversed(range(_MOST_ROUNDS)):
            outcome = await run.attended(ctx)
            if outcome is None:
                return self._suspended(run)
            if isinstance(outcome, Failure) and outcome.code is Code.UNKNOWN_TOOL:
                raise MCPError(INVALID_PARAMS, self._unknown(params.name, outcome))
            ended = await self._ended(run, outcome)
            if not isinstance(ended, Round):
                return ended
            if left:
                run = self._begun(ctx, params, ended)
        return failed(f"the tool has asked for something {_MOST_ROUNDS} times")

    def _unknown(self, name: str, outcome: Failure) -> str:
        """What is told of a tool that isn't there, with the way in where only programs reach it."""
        said = f"Unknown tool: {name[:128]}"
        _, _, way = outcome.message.partition("; ")
        return f"{said}; {way}" if way and self._board.presentation == "code" else said

    def _suspended(self, run: Ongoing) -> Result:
        """What asks a client; the call waits for its answers."""
        forms: dict[str, InputRequest] = dict(run.asked())
        call_id = run.now.call_id
        timer = asyncio.get_running_loop().call_later(PATIENCE, self._give_up, call_id)
        self._waiting[call_id] = _Waiting(run, timer)
        if len(self._waiting) > MOST_WAITING:
            self._give_up(next(iter(self._waiting)))
        return input_required(forms, self._rounds.waiting(call_id, run.turn))

    def _give_up(self, call_id: str) -> None:
        waiting = self._waiting.pop(call_id)
        waiting.timer.cancel()
        waiting.run.give_up()

    async def _ended(self, run: Ongoing, outcome: Outcome) -> Result | Round:
        """What a client gets after a run of its call, or the next run.

        Raises:
            MCPError: the client lacks what the tool asks for.
        """
        needs = needs_of(outcome)
        if needs is None:
            promised = self._listing.promises_value(outcome.tool, modern=run.is_modern)
            return result_of(outcome, modern=run.is_modern, promises_value=promised)
        missing = lacking(needs.requests.values(), run.ctx.session.client_capabilities)
        if missing is not None:
            return _refused(missing, modern=run.is_modern)
        now = attrs.evolve(run.now, granted=run.granted, state=needs.state)
        if run.is_modern:
            return input_required(needs.requests, self._rounds.again(now))
        try:
            return attrs.evolve(now, responses=await _answers(run.ctx, needs))
        except (MCPError, ValidationError) as error:
            said = error.message if isinstance(error, MCPError) else "it isn't of the protocol"
            return failed(f"the client has given no answer: {said}")


async def _asked(run: Ongoing, request: ApprovalRequest) -> str | None:
    """What a client answers; None where it can ask nobody."""
    session = run.ctx.session
    if not can_fill_forms(session.client_capabilities):
        return None
    if run.is_modern:
        return await run.ask(request)
    if not session.can_send_request:
        return None
    return answer_of(await send(session, approval_form(request), run.ctx.request_id))


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
