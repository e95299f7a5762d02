"""`ctl`: one request to a host that runs, and its answer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from pegboard.cli.asked import Asked
from pegboard.cli.jsons import print_json
from pegboard.cli.mistakes import UsageError
from pegboard.cli.reaching import ask, socket_of
from pegboard.cli.streams import Streams
from pegboard.cli.waiting import waiting
from pegboard.errors import NotJSONError
from pegboard.values import JSON, Limits, decode_text


def _well(_result: Any) -> int:
    return 0


def _nothing(_result: Any) -> None:
    pass


@attrs.frozen(kw_only=True)
class Request:
    """One request, and what becomes of its answer.

    Attributes:
        method: what is asked for.
        params: with what; what is None is left out.
        show: prints the answer for people.
        status: gives the exit status that the answer means.
        refuse: raises where the answer says that what was asked for isn't there.
        doing: what goes on meanwhile, where it may take long.
    """

    method: str
    params: dict[str, JSON] = attrs.field(factory=dict)
    show: Callable[[Any, Streams], None]
    status: Callable[[Any], int] = _well
    refuse: Callable[[Any], None] = _nothing
    doing: str | None = None


async def ctl(streams: Streams, *, asked: Asked, socket: Path | None, request: Request) -> int:
    """Ask the host, and print what it answers.

    Raises:
        ControlError: it refuses, or there is none that answers.
        UsageError: there is no such thing.
    """
    result = await _answer(streams, socket_of(socket, asked.config), request)
    request.refuse(result)
    if asked.is_json:
        print_json(result, streams)
    else:
        request.show(result, streams)
    return request.status(result)


async def _answer(streams: Streams, path: Path, request: Request) -> Any:
    params = {key: value for key, value in request.params.items() if value is not None}
    if request.doing is None:
        return await ask(path, request.method, **params)
    async with waiting(streams, request.doing):
        return await ask(path, request.method, **params)


def selectors_of(words: Sequence[str], plugin: str | None) -> list[JSON]:
    """The selectors that were given: names, patterns, tables, and one for a whole plugin.

    Raises:
        UsageError: there is none, or a table isn't one.
    """
    selectors = [_selector(word) for word in words]
    if plugin is not None:
        selectors.append({"plugin": plugin})
    if not selectors:
        raise UsageError("say which tools: their names, patterns, or --plugin NAME")
    return selectors


def _selector(word: str) -> JSON:
    if not word.startswith("{"):
        return word
    try:
        return decode_text(word, Limits())
    except NotJSONError as error:
        raise UsageError(f"selector {word!r} isn't a JSON object: {error}") from None


def is_incomplete(report: Any) -> int:
    """1 if unloading or reloading has left something, or a sync has failed for a plugin."""
    left = ("still_running", "errors", "leaked", "failed")
    return int(any(report.get(key) for key in left))


def is_unready(status: Any) -> int:
    """1 if a host takes no calls now."""
    return int(not status["is_ready"])
