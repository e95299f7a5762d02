"""What probes ask: whether the process answers, and whether it may be given calls."""

from collections.abc import Callable

from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

_METHODS = ("GET", "HEAD")
_NEVER_KEPT = {"Cache-Control": "no-store"}


def probes(is_ready: Callable[[], bool]) -> list[Route]:
    """`/healthz` and `/readyz`, for whoever asks by whatever name: neither tells more than that.

    Args:
        is_ready: whether calls may come.
    """
    return [Route("/healthz", _Probe(lambda: True)), Route("/readyz", _Probe(is_ready))]


class _Probe:
    """Answers `ok` with 200, or `not ready` with 503."""

    def __init__(self, is_well: Callable[[], bool]) -> None:
        self._is_well = is_well

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope["method"])(scope, receive, send)

    def _answer(self, method: str) -> PlainTextResponse:
        if method not in _METHODS:
            allow = {"Allow": ", ".join(_METHODS), **_NEVER_KEPT}
            return PlainTextResponse("method not allowed\n", 405, allow)
        if self._is_well():
            return PlainTextResponse("ok\n", 200, _NEVER_KEPT)
        return PlainTextResponse("not ready\n", 503, _NEVER_KEPT)
