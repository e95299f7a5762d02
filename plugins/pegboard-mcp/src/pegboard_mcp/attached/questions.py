"""What a server asks people in the middle of a call."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.client import ClientRequestContext
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult
from pegboard import PegboardError, RunContext

_MOST = 2000
_MOST_LOGGED = 20

_asking: ContextVar[RunContext | None] = ContextVar("pegboard_mcp_asking", default=None)

Filled = dict[str, str | int | float | bool | list[str] | None]


class Questions:
    """Hands the questions of one server to the approvers of the board whose call it is."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._running: list[RunContext] = []
        self._unanswered = 0

    @contextmanager
    def of(self, context: RunContext) -> Iterator[None]:
        """Let what is asked inside belong to a call."""
        self._running.append(context)
        token = _asking.set(context)
        try:
            yield
        finally:
            _asking.reset(token)
            self._running.remove(context)

    async def elicit(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        """Ask, and give the answer in the protocol's words."""
        call = self._call()
        if call is None:
            calls = len(self._running)
            self._note(context, f"is declined: it belongs to none of {calls} running calls")
            return ElicitResult(action="decline")
        try:
            answer = await call.ask(_reason(params))
        except PegboardError:
            self._note(context, "is withdrawn: its call has ended", level=logging.INFO)
            return ElicitResult(action="cancel")
        if answer == "cancelled":
            return ElicitResult(action="cancel")
        if answer == "rejected":
            return ElicitResult(action="decline")
        accepted = _accepted(params)
        if accepted is None:
            self._note(context, "is declined: yes doesn't answer it")
        return accepted or ElicitResult(action="decline")

    def _note(
        self, context: ClientRequestContext, what: str, *, level: int = logging.WARNING
    ) -> None:
        """Log what became of a question, as long as there aren't too many."""
        self._unanswered += 1
        if self._unanswered <= _MOST_LOGGED:
            self._log.log(level, "question %s of the server %s", context.request_id, what)
        if self._unanswered == _MOST_LOGGED:
            self._log.log(level, "further questions without an answer aren't logged")

    def _call(self) -> RunContext | None:
        """The call that a question belongs to; by itself, an old protocol doesn't say."""
        context = _asking.get()
        if context is not None and any(each is context for each in self._running):
            return context
        return self._running[0] if len(self._running) == 1 else None


def _accepted(params: ElicitRequestParams) -> ElicitResult | None:
    """What yes says to a question; None where that doesn't answer it."""
    if not isinstance(params, ElicitRequestFormParams):
        return ElicitResult(action="accept")
    content = _filled(dict(params.requested_schema))
    return None if content is None else ElicitResult(action="accept", content=content)


def _reason(params: ElicitRequestParams) -> str:
    text = "".join(each for each in params.message if each.isprintable() or each == "\n")[:_MOST]
    if isinstance(params, ElicitRequestFormParams):
        return text
    return f"{text} ({params.url})"


def _filled(schema: dict[str, Any]) -> Filled | None:
    """The form filled in by somebody who says yes and nothing else; None where that won't do."""
    content: Filled = {}
    required = schema.get("required") or []
    for name, field in (schema.get("properties") or {}).items():
        if isinstance(field, dict) and "default" in field:
            content[name] = field["default"]
        elif isinstance(field, dict) and field.get("type") == "boolean":
            content[name] = True
        elif name in required:
            return None
    return content
