"""The built-in plugin that enforces the time limits of tools."""

from collections.abc import Awaitable, Callable
from functools import partial

from pegboard.calls import Allowance, Execution, Signal
from pegboard.hooks import applies_to, hookimpl, innermost
from pegboard.outcomes import Code, Failure, Outcome
from pegboard.tools import Tool

_STOPPED = (Code.ABORTED, Code.ABORTED_BEFORE_START)


def _has_limit(tool: Tool) -> bool:
    return tool.timeout is not None


class Deadline:
    """Stops a body that takes longer than its tool may; each attempt has the whole limit."""

    @hookimpl
    @innermost
    @applies_to(_has_limit)
    async def pegboard_around_call(
        self, execution: Execution, call_next: Callable[..., Awaitable[Outcome]]
    ) -> Outcome:
        """Let the body happen with a signal in front that is cancelled when the time is up."""
        limit = execution.timeout
        if limit is None:
            return await call_next()
        front = Signal()
        reason = f"the time limit of {limit:g} s has passed"
        front.allowance = allowance = Allowance(limit)
        allowance.arm(partial(front.cancel, reason))
        try:
            outcome = await call_next(signal=front)
        finally:
            allowance.disarm()
        if not front.cancelled or _is_of_another_cause(outcome, reason):
            return outcome
        is_unstarted = isinstance(outcome, Failure) and outcome.code is Code.ABORTED_BEFORE_START
        how = "had not started within" if is_unstarted else "was stopped after"
        message = f"tool {execution.tool!r} {how} its time limit of {limit:g} s"
        details = outcome.details if isinstance(outcome, Failure) else None
        return Failure(outcome.call_id, outcome.tool, Code.TIMED_OUT, message, details=details)


def _is_of_another_cause(outcome: Outcome, reason: str) -> bool:
    """Whether the call had been cancelled before its time was up."""
    if not isinstance(outcome, Failure) or outcome.code not in _STOPPED:
        return False
    return outcome.message != reason
