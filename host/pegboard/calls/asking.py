"""Calling a hook: at once where it is sync, else in a task of its own and within its limit."""

import logging
from collections.abc import Callable
from typing import Any

from pegboard.calls.allowance import Allowance
from pegboard.calls.carrier import Carriers
from pegboard.calls.flight import Flight
from pegboard.calls.flights import Flights
from pegboard.calls.messages import describe
from pegboard.calls.settle import Interrupt, Settled, is_cancellation, settle
from pegboard.calls.signal import Signal
from pegboard.calls.threads import Raised, Returned, Running
from pegboard.calls.turns import Turns
from pegboard.calls.wrapping import Inside
from pegboard.config import Config
from pegboard.outcomes import Code, Failure
from pegboard.registry import HookEntry

_STOPPED = (Interrupt.SIGNAL, Interrupt.TASK)
_log = logging.getLogger("pegboard.calls")


class Asking:
    """Calls the hooks of one host.

    Attributes:
        in_turn: asks hooks that don't wrap until one has something to say; see `Turns`.
    """

    __slots__ = ("_config", "_flights", "in_turn")

    def __init__(self, config: Config, flights: Flights, carriers: Carriers) -> None:
        self._config = config
        self._flights = flights
        self.in_turn = Turns(carriers).in_turn

    def configure(self, config: Config) -> None:
        """Follow another configuration from now on."""
        self._config = config

    @property
    def limit(self) -> float:
        """Seconds that one hook may wait."""
        return self._config.hook_timeout

    @property
    def grace(self) -> float:
        """Seconds that an interrupted hook has to stop."""
        return self._config.stop_grace

    async def ask(self, flight: Flight, hook: HookEntry, *given: Any) -> Settled:
        """What a hook gives or raises, within the hook limit.

        Cancelling the call interrupts it, unless the call is cancelled already.
        """
        _, answer = self.in_turn(flight, (hook,), given)
        return await self.settled(flight, answer)

    async def settled(self, flight: Flight, answer: Any) -> Settled:
        """What a hook gives or raises in the end."""
        if isinstance(answer, Running):
            signal = None if flight.should_stop() else flight.signal
            allowance = Allowance(self.limit)
            return await self._wait(flight, answer, signal=signal, allowance=allowance)
        return _at_once(answer)

    async def wrap(
        self, flight: Flight, hook: HookEntry, *given: Any, inside: Inside[Any]
    ) -> Settled:
        """The same for a hook that wraps; it isn't interrupted while what is inside happens."""
        signal = None if flight.should_stop() else flight.signal
        settled = self._begin(flight, hook, given)
        if isinstance(settled, Running):
            settled = await self._wait(
                flight, settled, signal=signal, allowance=inside.allowance, stop=inside.stop
            )
        await inside.close()
        return settled

    async def ask_patiently(
        self, flight: Flight, hook: HookEntry, *given: Any, signal: Signal
    ) -> Settled:
        """The same for a hook that has no limit and ends with a signal."""
        begun = self._begin(flight, hook, given)
        if isinstance(begun, Settled):
            return begun
        return await self._wait(flight, begun, signal=signal)

    def _begin(self, flight: Flight, hook: HookEntry, given: tuple[Any, ...]) -> Settled | Running:
        _, answer = self.in_turn(flight, (hook,), given)
        return answer if isinstance(answer, Running) else _at_once(answer)

    async def _wait(
        self,
        flight: Flight,
        running: Running,
        *,
        signal: Signal | None,
        allowance: Allowance | None = None,
        stop: Callable[[str], None] | None = None,
    ) -> Settled:
        settled = await settle(
            running, grace=self.grace, signal=signal, allowance=allowance, stop=stop
        )
        flight.tear = settled.tear or flight.tear
        if settled.ended is None:
            self._flights.outlive(flight, running.future)
        return settled

    async def observe(self, flight: Flight, hook: HookEntry, *given: Any) -> None:
        """Let a hook see something; what it raises is logged and goes nowhere."""
        settled = await self.ask(flight, hook, *given)
        self.note(settled, hook, flight.call.id)

    def note(self, settled: Settled, hook: HookEntry, call_id: str) -> None:
        """Log what a hook raised, or that it took too long."""
        if settled.interrupt is Interrupt.LIMIT:
            _log.error("%s gave no answer within %g s in call %r", hook.what, self.limit, call_id)
        elif isinstance(settled.ended, Raised):
            _log.error("%s raised in call %r", hook.what, call_id, exc_info=settled.ended.error)

    def fault(self, flight: Flight, hook: HookEntry, settled: Settled) -> Failure | None:
        """What a hook's not answering makes of the call, or None if it has answered.

        A cancelled call is aborted, unless the hook has raised something else meanwhile.
        """
        if isinstance(settled.ended, Returned) and settled.interrupt is None:
            return None
        is_stopped = settled.interrupt in _STOPPED or flight.should_stop()
        if is_stopped and not _has_failed(settled):
            return flight.aborted()
        self.note(settled, hook, flight.call.id)
        return self.failed(flight, f"{hook.what} {self._how(settled)}")

    def failed(self, flight: Flight, message: str) -> Failure:
        """A call that ends here since a policy didn't do what it should."""
        flight.skips_after = True
        return flight.failed(Code.POLICY_FAILED, message)

    def _how(self, settled: Settled) -> str:
        if settled.interrupt is Interrupt.LIMIT or not isinstance(settled.ended, Raised):
            return f"gave no answer within {self.limit:g} s"
        error = settled.ended.error
        kind = type(error).__name__
        if self._config.mask_errors:
            return f"raised {kind}"
        text = describe(error)
        return f"raised {kind}" if text == kind else f"raised {kind}: {text}"


def _at_once(answer: Any) -> Settled:
    return Settled(answer if isinstance(answer, Raised) else Returned(answer))


def _has_failed(settled: Settled) -> bool:
    if settled.interrupt is Interrupt.LIMIT:
        return True
    ended = settled.ended
    return isinstance(ended, Raised) and not is_cancellation(ended.error)
