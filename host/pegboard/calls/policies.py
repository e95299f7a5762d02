"""Stages 4 and 6: decisions and guards, before anything of the tool runs."""

from typing import Any

import attrs

from pegboard.calls.asking import Asking
from pegboard.calls.flight import Flight
from pegboard.calls.settle import Settled
from pegboard.calls.threads import Returned
from pegboard.calls.wrapping import Inside
from pegboard.decisions import DECISIONS, Allow, Ask, Cancel, Decision, Deny
from pegboard.outcomes import Code, Failure
from pegboard.registry import HookEntry

Question = tuple[Ask, HookEntry]
_STRICTNESS: dict[type, int] = {Allow: 0, Ask: 1, Cancel: 2, Deny: 2}


@attrs.frozen
class Opinion:
    """A decision, and whose it is.

    Attributes:
        decision: the decision.
        hook: who gave it.
        others: further questions that are asked with it, and whose they are.
    """

    decision: Decision
    hook: HookEntry
    others: tuple[Question, ...] = ()

    @property
    def asked(self) -> tuple[Question, ...]:
        """Every question that is asked, and whose it is; none unless it is one."""
        if not isinstance(self.decision, Ask):
            return ()
        return ((self.decision, self.hook), *self.others)


@attrs.define(eq=False)
class Spoken:
    """The first hook that has something to say, of those before the body.

    Attributes:
        stage: `before` or `guards`.
        place: its place in its chain.
        answer: what it has begun to say; None where wrappers are still to be asked.
    """

    stage: str
    place: int
    answer: Any


def first_to_speak(asking: Asking, flight: Flight) -> Spoken | None:
    """Ask before hooks and guards until one has something to say; None if none has."""
    chains = flight.chains
    given = (flight.execution,)
    if chains.before:
        flight.stage = "before"
        if chains.wraps_before:
            return Spoken("before", 0, None)
        at, answer = asking.in_turn(flight, chains.before, given)
        if answer is not None or flight.should_stop():
            return Spoken("before", at, answer)
    if chains.guards:
        flight.stage = "guards"
        at, answer = asking.in_turn(flight, chains.guards, given)
        if answer is not None or flight.should_stop():
            return Spoken("guards", at, answer)
    return None


async def decide(
    asking: Asking, flight: Flight, spoken: Spoken | None = None
) -> Failure | Opinion | None:
    """Hear the before hooks.

    Args:
        asking: asks them.
        flight: the call.
        spoken: the first of them that has spoken, where they were asked already.

    Returns:
        why the call ends, an opinion that somebody must be asked, or None: it may go on.
    """
    flight.stage = "before"
    place, answer = (0, None) if spoken is None else (spoken.place, spoken.answer)
    found = await _opinion(asking, flight, place, answer)
    if found is None or isinstance(found, Failure):
        return found or _stopped(flight)
    owner = found.hook.owner
    match found.decision:
        case Deny(reason=reason):
            return flight.failed(Code.DENIED, _said(reason) or f"refused by {owner}")
        case Cancel(reason=reason):
            return flight.failed(Code.CANCELLED, _said(reason) or f"called off by {owner}")
        case Ask():
            return _stopped(flight) or found
        case Allow():
            return _stopped(flight)


async def guard(asking: Asking, flight: Flight, spoken: Spoken | None = None) -> Failure | None:
    """Ask the guards; the first that refuses ends the call."""
    flight.stage = "guards"
    guards = flight.chains.guards
    place, answer = (0, None) if spoken is None else (spoken.place, spoken.answer)
    while place < len(guards):
        if answer is None:
            place, answer = asking.in_turn(flight, guards, (flight.execution,), place)
            continue
        hook = guards[place]
        settled = await asking.settled(flight, answer)
        refused = asking.fault(flight, hook, settled) or _refusal(asking, flight, hook, settled)
        if refused is not None:
            return refused
        place, answer = place + 1, None
    return _stopped(flight)


async def _opinion(
    asking: Asking, flight: Flight, place: int, answer: Any = None
) -> Opinion | Failure | None:
    """The strictest opinion of the hooks from one on inwards.

    Args:
        asking: asks them.
        flight: the call.
        place: the first of them.
        answer: what it has begun to say, where it was asked already.
    """
    found: Opinion | None = None
    chain = flight.chains.before
    end = next((at for at in range(place, len(chain)) if chain[at].wraps), len(chain))
    while place < end:
        if answer is None:
            place, answer = asking.in_turn(flight, chain[:end], (flight.execution,), place)
            continue
        hook = chain[place]
        settled = await asking.settled(flight, answer)
        own = asking.fault(flight, hook, settled) or _decision(asking, flight, hook, settled)
        if isinstance(own, Failure):
            return own
        found = _stricter(found, own)
        place, answer = place + 1, None
    if end == len(chain):
        return found
    inner = await _wrapped(asking, flight, end)
    return inner if isinstance(inner, Failure) else _stricter(found, inner)


async def _wrapped(asking: Asking, flight: Flight, at: int) -> Opinion | Failure | None:
    hook = flight.chains.before[at]

    async def rest() -> "_Heard | Failure":
        found = await _opinion(asking, flight, at + 1)
        return found if isinstance(found, Failure) else _Heard(found)

    inside: Inside[_Heard] = Inside(flight, rest, limit=asking.limit, grace=asking.grace)

    async def call_next() -> Decision:
        heard = await inside.happen()
        return Allow() if heard.opinion is None else heard.opinion.decision

    settled = await asking.wrap(flight, hook, flight.execution, call_next, inside=inside)
    ended = inside.ended or asking.fault(flight, hook, settled)
    own = ended or _decision(asking, flight, hook, settled)
    if isinstance(own, Failure):
        return own
    within = None if inside.latest is None else inside.latest.opinion
    is_passed_on = own is None or (within is not None and within.decision is own.decision)
    return within if is_passed_on else own


@attrs.frozen
class _Heard:
    opinion: Opinion | None


def _decision(
    asking: Asking, flight: Flight, hook: HookEntry, settled: Settled
) -> Opinion | Failure | None:
    answer = settled.ended.value if isinstance(settled.ended, Returned) else None
    if answer is None:
        return None
    if type(answer) in DECISIONS:
        return Opinion(answer, hook)
    return asking.failed(flight, f"{hook.what} gave {_kind(answer)}, which is no decision")


def _refusal(asking: Asking, flight: Flight, hook: HookEntry, settled: Settled) -> Failure | None:
    answer = settled.ended.value if isinstance(settled.ended, Returned) else None
    if answer is None:
        return None
    if isinstance(answer, str):
        return flight.failed(Code.DENIED, _said(answer) or f"refused by {hook.what}")
    told = f"{hook.what} gave {_kind(answer)}, which is neither a reason nor None"
    return asking.failed(flight, told)


def _stricter(one: Opinion | None, other: Opinion | None) -> Opinion | None:
    if one is None or other is None:
        return one or other
    if isinstance(one.decision, Ask) and isinstance(other.decision, Ask):
        return attrs.evolve(one, others=(*one.others, *other.asked))
    ranks = [_STRICTNESS[type(each.decision)] for each in (one, other)]
    return other if ranks[1] > ranks[0] else one


def _stopped(flight: Flight) -> Failure | None:
    return flight.aborted() if flight.should_stop() else None


def _said(reason: object) -> str:
    return reason.strip() if isinstance(reason, str) else ""


def _kind(answer: object) -> str:
    return type(answer).__name__
