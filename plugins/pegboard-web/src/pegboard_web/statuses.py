"""What a model is told of an answer whose status is no success."""

import re
from contextlib import suppress
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import NoReturn

import httpx2
from pegboard import Text, ToolError

from pegboard_web.kinds import Kind, content_type_of, kind_of, media_type_of
from pegboard_web.web import Web

_SHOWN = 2_000
_SECONDS = re.compile(r"[0-9]{1,9}")


async def refuse_status(web: Web, answer: httpx2.Response) -> NoReturn:
    """Fail with the status and what the server says of it, so that no error passes as a page.

    Raises:
        ToolError: always.
    """
    message = f"the server answered {_named(answer.status_code)}"
    wait = _wait(answer.headers.get("retry-after", ""))
    if wait:
        message += f"; it asks to be called again {wait}"
    said = ""
    if kind_of(media_type_of(content_type_of(answer.headers))) is Kind.TEXT:
        with suppress(ToolError):  # the status is what counts
            body = await web.read(answer, most=_SHOWN)
            said = body.data.decode("utf-8", "replace")
    text = f"Error: {message}\n\n{said}" if said else f"Error: {message}"
    details = {"status": answer.status_code, "url": str(answer.url)}
    raise ToolError(message, code="http_status", content=[Text(text)], details=details)


def _named(status: int) -> str:
    """The status with its usual name; the server's own words for it are nobody's."""
    with suppress(ValueError):
        return f"{status} {HTTPStatus(status).phrase}"
    return str(status)


def _wait(said: str) -> str:
    if _SECONDS.fullmatch(said):
        return f"in {said} s"
    with suppress(ValueError, OverflowError):
        return f"after {parsedate_to_datetime(said).isoformat(sep=' ')}"
    return ""
