"""Asking the person at the terminal whether a call may run."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager

from pegboard import ApprovalRequest, Host
from pegboard.cli.streams import Streams, legible
from pegboard.cli.typed import Typed, is_at_terminal
from pegboard.cli.waiting import Waiting

_MEANINGS = {
    "o": "once",
    "once": "once",
    "b": "board",
    "board": "board",
    "a": "always",
    "always": "always",
    "n": "rejected",
    "no": "rejected",
}
_PROMPT = "Let it run? (o)nce, always on this (b)oard, (a)lways, (n)o: "
_LONGEST = 10_000


class Person:
    """Who sits at the terminal; is asked one question after the other."""

    def __init__(self, streams: Streams, shown: Waiting) -> None:
        self._streams = streams
        self._shown = shown
        self._typed = Typed()
        self._turn = asyncio.Lock()

    async def approve(self, request: ApprovalRequest) -> str:
        """What the person answers; the end of what can be typed means `cancelled`."""
        async with self._turn:
            with self._shown.paused():
                self._write(f"{question(request)}\n")
                self._typed.forget()
                return await self._answer()

    async def _answer(self) -> str:
        while True:
            self._write(_PROMPT)
            line = await self._typed.line()
            if line is None:
                self._write("\n")
                return "cancelled"
            answer = _MEANINGS.get(line.strip().lower())
            if answer is not None:
                return answer

    def _write(self, text: str) -> None:
        self._streams.messages.write(text)
        self._streams.messages.flush()


def question(request: ApprovalRequest) -> str:
    """What is to be approved, in a few lines that can't steer a terminal."""
    lines = [
        f"{request.tool} of {request.owner}, on board {request.board!r}, needs an approval.",
        *([f"Reason: {request.reason}"] if request.reason else []),
        f"Arguments: {_shown(request)}",
    ]
    return legible("\n".join(lines), keep="\n")


def _shown(request: ApprovalRequest) -> str:
    text = json.dumps(request.arguments, ensure_ascii=False, indent=2)
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]}\n… and {more} more characters"


@contextmanager
def approving(host: Host, streams: Streams, shown: Waiting, said: str | None) -> Iterator[None]:
    """Have calls approved while the block runs.

    Args:
        host: whose calls.
        streams: where questions go.
        shown: what else is on the terminal meanwhile.
        said: `once` or `never` for all of them; None asks, if somebody can be asked.
    """
    if said is not None:
        answer = "once" if said == "once" else "rejected"
        with host.hook(approve=lambda: answer):
            yield
    elif is_at_terminal() and streams.messages.isatty():
        with host.hook(approve=Person(streams, shown).approve):
            yield
    else:
        yield
