"""`input()` in an llm plugin: a question to the board's approvers, never to a terminal."""

import asyncio
import builtins
import re
from collections.abc import Iterable
from contextvars import ContextVar
from types import ModuleType

import attrs
from pegboard import RunContext

_YES_OR_NO = re.compile(r"\by(es)?\s*/\s*no?\b", re.IGNORECASE)
_ANSWERS = {"once": "y", "board": "y", "always": "y", "rejected": "n"}


@attrs.frozen(eq=False)
class Asker:
    """Who can be asked while a tool runs.

    Attributes:
        tool: the tool's name.
        context: its call.
        loop: the loop of its host.
    """

    tool: str
    context: RunContext
    loop: asyncio.AbstractEventLoop

    def answer(self, question: str) -> str:
        """`y` or `n`, as an approver says.

        Raises:
            EOFError: it isn't a question with yes or no, or nobody answers now.
        """
        said = question.strip() or "for input"
        if not _YES_OR_NO.search(question):
            raise EOFError(f"{self.tool} asks {said!r}, and nobody is there to type")
        if _running_loop() is self.loop:
            raise EOFError(f"{self.tool} is async, and can't wait for an answer to {said!r}")
        asked = asyncio.run_coroutine_threadsafe(self.context.ask(said), self.loop)
        answer = _ANSWERS.get(asked.result())
        if answer is None:
            raise EOFError(f"{self.tool} asks {said!r}, and no approver has answered")
        return answer


ASKER: ContextVar[Asker | None] = ContextVar("pegboard_llm_asker", default=None)
"""Who can be asked in the call that runs here."""


def _input(prompt: object = "", /) -> str:
    """What `input` is in the modules of llm plugins: outside of calls, the usual one."""
    asker = ASKER.get()
    return builtins.input(prompt) if asker is None else asker.answer(str(prompt))


def have_them_ask(modules: Iterable[ModuleType]) -> None:
    """Give modules of an llm plugin this `input`, unless they have one of their own."""
    for module in modules:
        vars(module).setdefault("input", _input)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
