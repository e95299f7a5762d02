"""What probes ask: whether the process answers, and whether it may be given calls."""

from collections.abc import Callable

from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

_PATHS = ("/healthz", "/readyz")
_METHODS = ("GET", "HEAD")
_NEVER_KEPT = {"Cache-Control": "no-store"}


def probes(is_ready: Callable[[], bool]) -> list[Route]:
    """`/healthz` and `/readyz`, for whoever asks by whatever name: neither tells more than that.

    Args:
        is_ready: whether calls may come.
    """
    answers: tuple[Callable[[], bool], ...] = (lambda: True, is_ready)
    return [Route(path, _Probe(each)) for path, each in zip(_PATHS, answers, strict=True)]


class Threshold:
    """Lets nothing but probes in until clients may come: whatever else is asked is 503.

    Args:
        app: what answers afterwards.
        is_letting_in: whether clients may come.
    """

    def __init__(self, app: ASGIApp, is_letting_in: Callable[[], bool]) -> None:
        self._app = app
        self._is_letting_in = is_letting_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        app = self._app
        if scope["type"] == "http" and not (self._is_letting_in() or scope["path"] in _PATHS):
            app = PlainTextResponse("Service Unavailable", 503, _NEVER_KEPT)
        await app(scope, receive, send)


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
