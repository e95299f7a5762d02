"""One run of a call that a client has made: it goes on while its client is asked."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import anyio
import attrs
from mcp_types import (
    ClientCapabilities,
    ElicitRequest,
    InputResponse,
    LoggingLevel,
)
from pegboard import JSON, ApprovalRequest, Outcome, Progress, Signal

from pegboard_mcp.serving.clients import CALLING, McpClient
from pegboard_mcp.serving.eras import is_modern
from pegboard_mcp.serving.progress import Reports
from pegboard_mcp.serving.questions import answer_of, approval_form
from pegboard_mcp.serving.rounds import Round
from pegboard_mcp.serving.sessions import Context, log

_ASKING = "pegboard_approval_{}"
Make = Callable[[str, Signal, Callable[[Progress], None]], Awaitable[Outcome]]


@attrs.frozen(eq=False)
class _Question:
    request: ApprovalRequest
    answer: "asyncio.Future[str]"


class Ongoing:
    """A call that runs, whether or not a request of its client is being answered now.

    Attributes:
        ctx: the newest request of its client.
        now: what is known from the runs before.
        granted: what was answered for the call itself, by digest; the next run has it too.
        turn: how often its client was asked.
    """

    def __init__(self, ctx: Context, now: Round, make: Make) -> None:
        self.ctx = ctx
        self.now = now
        self.granted = dict(now.granted)
        self.turn = 0
        self._signal = Signal()
        self._reports = Reports(ctx.session)
        self._questions: list[_Question] = []
        self._shown: dict[str, _Question] = {}
        self._is_given_up = False
        self._stirred = asyncio.Event()
        self._task = asyncio.ensure_future(self._made(make))
        self._task.add_done_callback(lambda _: self._stirred.set())

    @property
    def is_modern(self) -> bool:
        """Whether its client is asked with results, rather than with requests."""
        return is_modern(self.ctx.protocol_version)

    def when_done(self, then: Callable[[], object]) -> None:
        """Have something called once it has ended."""
        self._task.add_done_callback(lambda _: then())

    async def attended(self, ctx: Context) -> Outcome | None:
        """Its outcome, or None as soon as its client is to be asked.

        A client that goes away meanwhile cancels it, and it still has its one outcome.
        """
        self.ctx, self._reports = ctx, Reports(ctx.session)
        try:
            await self._stir()
            await self._reports.flush()
        except asyncio.CancelledError:
            self.cancel("the client has cancelled it")
            with anyio.CancelScope(shield=True):
                await self.ended()
            raise
        finally:
            self._reports.close()
        return self._task.result() if self._task.done() else None

    async def ask(self, request: ApprovalRequest) -> str:
        """What its client answers, whenever that is."""
        if self._is_given_up:
            return "cancelled"
        question = _Question(request, asyncio.get_running_loop().create_future())
        self._questions.append(question)
        self._stirred.set()
        try:
            return await question.answer
        finally:
            self._questions.remove(question)

    def asked(self) -> dict[str, ElicitRequest]:
        """What its client is asked now, by key."""
        self.turn += 1
        self._shown = {_ASKING.format(n): each for n, each in enumerate(self._open(), 1)}
        return {key: approval_form(each.request) for key, each in self._shown.items()}

    def answer(self, given: Mapping[str, InputResponse]) -> None:
        """Take what its client has answered; what it hasn't is asked once more."""
        self.turn += 1
        shown, self._shown = self._shown, {}
        for key in shown.keys() & given.keys():
            _settle(shown[key], answer_of(given[key]))
        if self._open():
            self._stirred.set()

    def give_up(self) -> None:
        """Ask its client nothing any more: whatever it was asked is cancelled."""
        self._is_given_up = True
        for question in self._questions:
            _settle(question, "cancelled")

    def cancel(self, reason: str) -> None:
        """Cancel it."""
        self._signal.cancel(reason)

    async def ended(self) -> None:
        """Return once it has its outcome."""
        await asyncio.wait([self._task])

    def _open(self) -> list[_Question]:
        return [each for each in self._questions if not each.answer.done()]

    async def _stir(self) -> None:
        while not self._task.done():
            await self._stirred.wait()
            self._stirred.clear()
            if self._open() and not self._task.done():
                return

    async def _made(self, make: Make) -> Outcome:
        CALLING.set(self._client())
        return await make(self.now.call_id, self._signal, self._report)

    def _report(self, progress: Progress) -> None:
        self._reports.take(progress)

    def _client(self) -> McpClient:
        session = self.ctx.session
        return McpClient(
            protocol_version=self.ctx.protocol_version,
            capabilities=session.client_capabilities or ClientCapabilities(),
            info=None if session.client_params is None else session.client_params.client_info,
            responses=dict(self.now.responses),
            state=self.now.state,
            log=self._log,
        )

    async def _log(self, level: LoggingLevel, data: JSON, logger: str | None) -> None:
        await log(self.ctx, level, data, logger)


def _settle(question: _Question, answer: str) -> None:
    if not question.answer.done():
        question.answer.set_result(answer)
