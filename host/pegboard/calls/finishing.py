"""The tool's own say on its content: `project` in stage 9, `finalize` in stage 11."""

import logging
from collections.abc import Callable
from typing import Any

import attrs

from pegboard.calls.flight import Flight
from pegboard.calls.messages import describe
from pegboard.config import Config
from pegboard.outcomes import Code, Failure, Outcome
from pegboard.values import Content, check_content, check_content_size

_log = logging.getLogger("pegboard.calls")


class Finishing:
    """Lets tools of one host transform their own content."""

    __slots__ = ("_config",)

    def __init__(self, config: Config) -> None:
        self._config = config

    def configure(self, config: Config) -> None:
        """Follow another configuration from now on."""
        self._config = config

    def project(self, flight: Flight, outcome: Outcome) -> Outcome:
        """What `project` of the tool makes of an outcome, before the after hooks."""
        project = None if flight.entry is None else flight.entry.tool.project
        if project is None:
            return outcome
        projected = self._transformed(flight, outcome, project, Code.INVALID_OUTPUT)
        is_replaced = isinstance(projected, Failure) and projected.code is Code.INVALID_OUTPUT
        return outcome if is_replaced and isinstance(outcome, Failure) else projected

    def finalize(self, flight: Flight, outcome: Outcome) -> Outcome:
        """What `finalize` of the tool makes of an outcome, as the very last."""
        finalize = None if flight.entry is None else flight.entry.tool.finalize
        if finalize is None:
            return outcome
        flight.stage = "finalize"
        return self._transformed(flight, outcome, finalize, Code.POLICY_FAILED)

    def _transformed(
        self, flight: Flight, outcome: Outcome, transform: Callable[..., Any], code: Code
    ) -> Outcome:
        which = "project" if code is Code.INVALID_OUTPUT else "finalize"
        try:
            given = transform(flight.arguments.read(), outcome)
            if given is None:
                return outcome
            content: tuple[Content, ...] = check_content(given)
            check_content_size(content, self._config.limits)
        except BaseException as error:  # noqa: BLE001 - code of a plugin
            return self._failed(flight, code, which, error)
        return attrs.evolve(outcome, content=content)

    def _failed(self, flight: Flight, code: Code, which: str, error: BaseException) -> Outcome:
        name, call_id = flight.call.name, flight.call.id
        _log.error("%s of tool %r in call %r", which, name, call_id, exc_info=error)
        kind = type(error).__name__
        text = kind if self._config.mask_errors else describe(error)
        said = text if text.startswith(kind) else f"{kind}: {text}"
        return flight.failed(code, f"{which} of tool {name!r} failed: {said}")
