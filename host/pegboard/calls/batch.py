"""A batch: many calls, one outcome each, in the order of the calls."""

from collections.abc import AsyncIterator, Sequence

from pegboard.calls.flight import Request
from pegboard.calls.messages import failure
from pegboard.calls.pipeline import Pipeline
from pegboard.outcomes import Code, Outcome, ToolCall
from pegboard.registry import Scope


async def run_in_order(
    pipeline: Pipeline, scope: Scope, calls: Sequence[ToolCall], request: Request
) -> AsyncIterator[Outcome]:
    """The outcome of each call, one after the other.

    A call id that has occurred before in the batch is `invalid_call`, and that call doesn't run.
    """
    seen: set[str] = set()
    for call in calls:
        if call.id in seen:
            message = f"call id {call.id[:80]!r} has occurred before in this batch"
            yield failure(call.id, call.name, Code.INVALID_CALL, message)
            continue
        seen.add(call.id)
        yield await pipeline.call(scope, call, request)
