"""Stage 12, and progress: what is told of a call, to those who only listen."""

import asyncio
import logging
import time
from typing import Any

from pegboard.calls.allowance import Allowance
from pegboard.calls.asking import Asking
from pegboard.calls.carrier import Carriers
from pegboard.calls.execution import Timing
from pegboard.calls.flight import Flight
from pegboard.calls.settle import guarded, settle
from pegboard.calls.threads import Returned, Running
from pegboard.config import Config
from pegboard.outcomes import Outcome
from pegboard.registry import Chains

_log = logging.getLogger("pegboard.calls")


class Observing:
    """Tells those who listen to the calls of one host; what they raise is logged."""

    __slots__ = ("_asking", "_carriers", "_config")

    def __init__(self, config: Config, asking: Asking, carriers: Carriers) -> None:
        self._config = config
        self._asking = asking
        self._carriers = carriers

    def configure(self, config: Config) -> None:
        """Follow another configuration from now on."""
        self._config = config

    async def tell(self, flight: Flight, outcome: Outcome) -> None:
        """Tell the observers of a call how it has ended."""
        flight.stage = "finished"
        total = time.monotonic() - flight.started
        timing = Timing(total, flight.waited, flight.body)
        await self._tell(flight, (flight.execution, outcome, timing))
        note_torn(flight)

    async def tell_late(self, flight: Flight, given: tuple[Any, ...]) -> Returned:
        """Tell those who observe now of a call that ended while they were exchanged."""
        flight.pin(flight.scope.chains())
        try:
            await self._tell(flight, given)
        except Exception:  # noqa: BLE001 - past a task of the host, nobody would hear of it
            _log.exception("observers of call %r could not be told", flight.call.id)
        finally:
            flight.pin(Chains())
        return Returned(None)

    async def _tell(self, flight: Flight, given: tuple[Any, ...]) -> None:
        hooks = flight.chains.finished
        place, answer = self._asking.in_turn(flight, hooks, given)
        while answer is not None:
            settled = await self._asking.settled(flight, answer)
            self._asking.note(settled, hooks[place], flight.call.id)
            place, answer = self._asking.in_turn(flight, hooks, given, place + 1)

    async def heard(self, flight: Flight, told: list[Any]) -> None:
        """Let an async `on_progress` hear everything, unless the call is cancelled meanwhile."""
        started = self._carriers.start(guarded(lambda: asyncio.wait(told)))
        if isinstance(started, Running):
            allowance = Allowance(self._config.hook_timeout)
            signal = None if flight.should_stop() else flight.signal
            settled = await settle(started, signal=signal, allowance=allowance, grace=0.0)
            flight.tear = settled.tear
            note_torn(flight)
        for each in told:
            each.cancel()


def note_torn(flight: Flight) -> None:
    """Have a call be cancelled whose awaiting task was."""
    tear = flight.pop_tear()
    if tear is not None:
        flight.cancelled_by = tear
        flight.cancel("the caller was cancelled")
