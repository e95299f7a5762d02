"""Calling hooks one after the other: those that never suspend cost one start together."""

from collections.abc import Sequence
from contextvars import Context, copy_context
from inspect import isawaitable
from types import CoroutineType
from typing import Any

from pegboard.calls.carrier import Carriers
from pegboard.calls.flight import CURRENT, Flight
from pegboard.calls.settle import guarded
from pegboard.calls.threads import Ended, Raised, Returned
from pegboard.registry import HookEntry

Hooks = Sequence[HookEntry]


class _Turn:
    """Whose turn it is.

    Attributes:
        at: its place.
        has_suspended: whether it has suspended; nobody else gets a turn after it.
    """

    at: int = 0
    has_suspended: bool = False


async def _from(turn: _Turn, flight: Flight, hooks: Hooks, given: tuple[Any, ...]) -> Ended:
    """Call hooks from one on, until one has something to say or has suspended."""
    CURRENT.set(flight)
    at = turn.at
    try:
        for hook in hooks[at:] if at else hooks:
            turn.at = at
            answer = hook.function(*given)
            if answer is not None and (type(answer) is CoroutineType or isawaitable(answer)):
                answer = await answer
            if answer is not None or turn.has_suspended:
                return Returned(answer)
            at += 1
    except BaseException as error:  # noqa: BLE001 - past a task, SystemExit would stop the loop
        return Raised(error)
    turn.at = at
    return Returned(None)


class Turns:
    """Calls the hooks of one host; what suspends is never in its caller's task."""

    __slots__ = ("_carriers",)

    def __init__(self, carriers: Carriers) -> None:
        self._carriers = carriers

    def in_turn(
        self, flight: Flight, hooks: Hooks, given: tuple[Any, ...], at: int = 0
    ) -> tuple[int, Any]:
        """Call hooks that don't wrap, one after the other, until one has something to say.

        Args:
            flight: the call.
            hooks: sync or async.
            given: their arguments.
            at: the place of the first.

        Returns:
            the place of the one that stopped it, and what it gave: not None, `Raised`, or `Running`
            if it has suspended; one place past the last and None if all gave None.
        """
        context: Context | None = None
        while at < len(hooks):
            hook = hooks[at]
            if hook.is_async:
                turn = _Turn()
                turn.at = at
                ended = self._carriers.start(_from(turn, flight, hooks, given))
                if type(ended) is Returned:
                    return turn.at, ended.value
                turn.has_suspended = True
                return turn.at, ended
            context = context or copy_context()
            try:
                answer = context.run(hook.function, *given)
            except BaseException as error:  # noqa: BLE001 - a policy may raise SystemExit as well
                return at, Raised(error)
            answer = self._awaited(flight, answer)
            if answer is not None:
                return at, answer
            at += 1
        return at, None

    def _awaited(self, flight: Flight, answer: Any) -> Any:
        """What a hook gave that doesn't look async, and may yet have to be awaited."""
        if answer is None or not isawaitable(answer):
            return answer
        ended = self._carriers.start(guarded(lambda: answer, flight))
        return ended.value if type(ended) is Returned else ended
