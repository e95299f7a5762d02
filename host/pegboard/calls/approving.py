"""Stage 5: somebody is asked, and an answer holds for one digest, once."""

import asyncio
import hashlib
import math
import time
from collections.abc import Callable
from typing import Any

import attrs

from pegboard.calls.allowance import Allowance
from pegboard.calls.asking import Asking
from pegboard.calls.flight import Flight
from pegboard.calls.policies import Opinion
from pegboard.calls.settle import Settled
from pegboard.calls.signal import Signal
from pegboard.calls.threads import Returned
from pegboard.decisions import ANSWERS, Ask, Rejected
from pegboard.errors import PegboardError
from pegboard.outcomes import Code, Failure
from pegboard.registry import Entry, HookEntry, Owner
from pegboard.values import JSON, Snapshot
from pegboard.values.codec import sorted_text


@attrs.frozen(eq=False)
class ApprovalRequest:
    """What somebody is asked to approve.

    Attributes:
        board: the name of the board.
        tool: the name that was called.
        owner: whose tool it is.
        call_id: the id of the call.
        reason: why a policy asks.
        digest: stands for board, tool, owner, arguments and call id, and is the same in another
            process; an approval is for one digest, once.
        is_inside: whether the running tool itself asks, rather than a policy.
    """

    board: str
    tool: str
    owner: Owner
    _arguments: Snapshot
    call_id: str
    reason: str
    _labels: Snapshot
    digest: str
    is_inside: bool = False

    @property
    def arguments(self) -> JSON:
        """The arguments as the tool gets them, with secret ones hidden; a copy."""
        return self._arguments.read()

    @property
    def labels(self) -> dict[str, JSON]:
        """Text to JSON, from the board and the call; a copy."""
        return self._labels.read()  # type: ignore[no-any-return]

    def to_json(self) -> dict[str, JSON]:
        """The same as plain JSON."""
        owner = attrs.asdict(self.owner)
        return {
            "board": self.board,
            "tool": self.tool,
            "owner": owner,
            "arguments": self.arguments,
            "call_id": self.call_id,
            "reason": self.reason,
            "labels": self.labels,
            "digest": self.digest,
        }


@attrs.frozen(eq=False)
class ApprovalAsked:
    """A policy wants somebody to approve a call.

    Attributes:
        request: what is to be approved.
    """

    request: ApprovalRequest


@attrs.frozen(eq=False)
class ApprovalAnswered:
    """A request for approval has its answer.

    Attributes:
        request: what was to be approved.
        answer: `once`, `board`, `always`, `rejected`, `cancelled`, `later`, or why there is none.
        by: whose hook answered; None where the answer came with the call, or there is none.
    """

    request: ApprovalRequest
    answer: str
    by: Owner | None = None


@attrs.frozen
class _Answer:
    given: object
    by: HookEntry | None = None


class Approvals:
    """Asks for approvals on one host, and knows which were used."""

    __slots__ = ("_asking", "_inside", "_spent", "tell")

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._spent: set[str] = set()
        self._inside: set[asyncio.Task[str]] = set()
        self.tell: Callable[[Flight, ApprovalAsked | ApprovalAnswered], None] = _nobody

    async def approve(self, flight: Flight, opinion: Opinion) -> Failure | None:
        """Get an answer: why the call ends here, or None if it may go on."""
        flight.stage = "approve"
        reasons = dict.fromkeys(str(ask.reason) for ask, _ in opinion.asked if ask.reason)
        request = request_of(flight, "; ".join(reasons))
        answer = await self._asked(flight, request)
        if isinstance(answer, Failure):
            return answer
        ended = self._heard(flight, request, answer)
        for ask, hook in opinion.asked:
            await self._tell_policy(flight, ask, hook, (request, answer.given))
        return ended

    def ask_inside(self, flight: Flight, reason: str) -> "asyncio.Task[str]":
        """Have a running body ask: what the first approver answers that has an answer.

        Returns:
            gives `once`, `board`, `always`, `rejected`, or `cancelled` where nobody answers now.
        """
        flight.inquiries += 1
        task = asyncio.ensure_future(self._inquired(flight, _inquiry(flight, reason)))
        self._inside.add(task)
        task.add_done_callback(self._inside.discard)
        return task

    async def _inquired(self, flight: Flight, request: ApprovalRequest) -> str:
        stage, flight.stage = flight.stage, "approve"
        allowance, before = flight.signal.allowance or Allowance(math.inf), flight.waited
        allowance.pause()
        try:
            answer = await self._asked(flight, request)
        finally:
            allowance.resume()
            flight.began += flight.waited - before
            flight.stage = stage
        if isinstance(answer, Failure):
            return "cancelled"
        self._say_answered(flight, request, answer)
        ended = _meaning(flight, request, answer.given)
        if ended is None:
            self._spent.add(request.digest)
            return str(answer.given)
        return "cancelled" if answer.given in ("cancelled", "later") else "rejected"

    async def _asked(self, flight: Flight, request: ApprovalRequest) -> _Answer | Failure:
        """What is answered, or why nothing is; the time that it takes is people's."""
        began = time.monotonic()
        self._say(flight, ApprovalAsked(request))
        try:
            answer = self._given_before(flight, request) or await self._answer(flight, request)
        finally:
            flight.waited += time.monotonic() - began
        if isinstance(answer, Failure):
            self._say(flight, ApprovalAnswered(request, answer.message))
        return answer

    def _say_answered(self, flight: Flight, request: ApprovalRequest, answer: _Answer) -> None:
        by = None if answer.by is None else answer.by.generation.owner
        self._say(flight, ApprovalAnswered(request, _word(answer.given), by))

    def _say(self, flight: Flight, event: ApprovalAsked | ApprovalAnswered) -> None:
        self.tell(flight, event)
        if flight.request.on_asked is not None:
            flight.request.on_asked(event)

    def _given_before(self, flight: Flight, request: ApprovalRequest) -> _Answer | None:
        given = flight.request.approvals.get(request.digest)
        if given is None or request.digest in self._spent:
            return None
        return _Answer(given)

    async def _answer(self, flight: Flight, request: ApprovalRequest) -> _Answer | Failure:
        """What the first approver answers that has an answer."""
        approvers = flight.chains.approve
        if not approvers:
            return _denied(flight, "it needs an approval, and there is no approver to ask")
        for hook in approvers:
            answer = await self._ask(flight, hook, request)
            if isinstance(answer, Failure) or answer.given is not None:
                return answer
        return _denied(flight, "it needs an approval, and no approver has answered")

    async def _ask(
        self, flight: Flight, hook: HookEntry, request: ApprovalRequest
    ) -> _Answer | Failure:
        patience = Signal()
        voided: list[str] = []

        def void(reason: str) -> None:
            voided.append(reason)
            patience.cancel(reason)

        flight.on_void = void
        unlisten = flight.signal.listen(patience.cancel)
        asking = self._asking
        settled = await asking.ask_patiently(flight, hook, request, signal=patience)
        unlisten()
        flight.on_void = None
        if voided:
            return _denied(flight, f"the approval is void: {voided[0]}")
        if flight.is_torn or flight.should_stop():
            return flight.aborted()
        return self._answered(flight, hook, settled)

    def _answered(self, flight: Flight, hook: HookEntry, settled: Settled) -> _Answer | Failure:
        if isinstance(settled.ended, Returned):
            return _Answer(settled.ended.value, hook)
        self._asking.note(settled, hook, flight.call.id)
        return _denied(flight, f"the approval is unavailable: {hook.what} failed")

    def _heard(self, flight: Flight, request: ApprovalRequest, answer: _Answer) -> Failure | None:
        self._say_answered(flight, request, answer)
        ended = _meaning(flight, request, answer.given)
        if ended is None and (flight.entry is None or not flight.scope.holds(flight.entry)):
            return _denied(flight, "the approval was for a tool that has changed since")
        if ended is None:
            self._spent.add(request.digest)
        return ended

    async def _tell_policy(
        self, flight: Flight, ask: Ask, hook: HookEntry, given: tuple[Any, ...]
    ) -> None:
        if ask.answered is not None:
            told = HookEntry("answered", ask.answered, hook.generation)
            await self._asking.observe(flight, told, *given)


def request_of(flight: Flight, reason: str) -> ApprovalRequest:
    """What somebody is asked to approve of a call, and why.

    Raises:
        PegboardError: the tool of the call isn't resolved.
    """
    entry = flight.entry
    if entry is None:
        raise PegboardError(f"call {flight.call.id!r} has no tool to approve")
    return ApprovalRequest(
        board=flight.scope.name or "",
        tool=flight.call.name,
        owner=entry.owner,
        arguments=_without_secrets(flight),
        call_id=flight.call.id,
        reason=reason,
        labels=flight.request.labels,
        digest=_digest(flight, entry),
    )


def _inquiry(flight: Flight, reason: str) -> ApprovalRequest:
    """What somebody is asked in the middle of a call; each question has a digest of its own."""
    asked = request_of(flight, reason)
    text = sorted_text([asked.digest, flight.inquiries, reason])
    return attrs.evolve(asked, digest=hashlib.sha256(text).hexdigest(), is_inside=True)


def _digest(flight: Flight, entry: Entry) -> str:
    owner = entry.owner
    named = [flight.scope.name, flight.call.name, owner.plugin, owner.distribution, owner.version]
    rest = [flight.call.id, entry.digest.hex(), flight.arguments.read()]
    return hashlib.sha256(sorted_text([*named, *rest])).hexdigest()


def _without_secrets(flight: Flight) -> Snapshot:
    execution = flight.execution
    if not execution.secret_arguments:
        return flight.arguments
    return Snapshot.of(execution.masked_arguments)


def _meaning(flight: Flight, request: ApprovalRequest, given: object) -> Failure | None:
    if isinstance(given, Rejected):
        said = str(given.message).strip() if given.message else ""
        return _denied(flight, said or "the approval was rejected")
    match given:
        case "once" | "board" | "always":
            return None
        case "rejected":
            return _denied(flight, "the approval was rejected")
        case "cancelled":
            return _denied(flight, "the question for an approval was cancelled")
        case "later":
            message = "it needs an approval that is still to come; call again once it is there"
            details = {"request": request.to_json()}
            return flight.failed(Code.APPROVAL_REQUIRED, message, details=details)
        case _:
            kind = type(given).__name__
            return _denied(flight, f"the answer of an approver is unknown: {kind}")


def _word(given: object) -> str:
    if isinstance(given, Rejected):
        return "rejected"
    return given if isinstance(given, str) and given in ANSWERS else "unknown"


def _denied(flight: Flight, message: str) -> Failure:
    return flight.failed(Code.DENIED, message)


def _nobody(_flight: Flight, _event: ApprovalAsked | ApprovalAnswered) -> None:
    """Nobody is told."""
