"""One OpenTelemetry span a call, after the conventions for generative AI's `execute_tool`."""

import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from pegboard import Execution, Failure, Outcome, Timing

NANO = 1_000_000_000


def is_imported() -> bool:
    """Whether anything uses the API of OpenTelemetry, as spans do from their making on."""
    return "opentelemetry.trace" in sys.modules


class Spans:
    """The spans of the calls that run.

    A span begins before anything is decided of its call, as a child of what is current there. It
    is current while the body runs, so that nested calls become its children.
    """

    @classmethod
    def if_available(cls) -> "Spans | None":
        """Spans, or None where the API of OpenTelemetry isn't installed."""
        try:
            from opentelemetry import trace
        except ImportError:
            return None
        return cls(trace)

    def __init__(self, trace: Any) -> None:
        self._trace = trace
        self._tracer = trace.get_tracer("pegboard")
        self._open: dict[object, Any] = {}

    def begin(self, execution: Execution) -> None:
        """A call is about to be decided on."""
        self._open[execution.token] = span = self._started(execution)
        span.add_event("before")

    async def inside(
        self, execution: Execution, call_next: Callable[..., Awaitable[Outcome]]
    ) -> Outcome:
        """Let the body happen, with the call's span as the current one."""
        span = self._open.get(execution.token)
        if span is None:
            span = self._open[execution.token] = self._started(execution)
        span.add_event("around")
        with self._trace.use_span(span, record_exception=False, set_status_on_exception=False):
            outcome = await call_next()
        span.add_event("after")
        return outcome

    def end(self, execution: Execution, outcome: Outcome, timing: Timing) -> None:
        """A call has ended, wherever it came to."""
        span = self._open.pop(execution.token, None) or self._started(execution)
        span.set_attribute("pegboard.waited", timing.waited)
        span.set_attribute("pegboard.body", timing.body)
        if isinstance(outcome, Failure):
            span.set_attribute("error.type", str(outcome.code))
            span.set_status(self._trace.StatusCode.ERROR, outcome.message)
        span.end()

    def _started(self, execution: Execution) -> Any:
        elapsed = time.monotonic() - execution.started
        return self._tracer.start_span(
            f"execute_tool {execution.tool}",
            kind=self._trace.SpanKind.INTERNAL,
            attributes=_attributes(execution),
            start_time=time.time_ns() - int(elapsed * NANO),
        )


def _attributes(execution: Execution) -> dict[str, str | int]:
    found: dict[str, str | int | None] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": execution.tool,
        "gen_ai.tool.call.id": execution.call_id,
        "gen_ai.tool.type": "function",
        "pegboard.board": execution.board,
        "pegboard.root_call_id": execution.root_call_id,
    }
    owner = execution.owner
    if owner is not None and owner.plugin is not None:
        found |= {
            "pegboard.plugin": owner.plugin,
            "pegboard.distribution": owner.distribution,
            "pegboard.version": owner.version,
            "pegboard.generation": owner.generation,
        }
    return {key: value for key, value in found.items() if value is not None}
