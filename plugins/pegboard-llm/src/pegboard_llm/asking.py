"""`input()` in an llm plugin: a question to the board's approvers, never to a terminal."""

import asyncio
import builtins
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType, FunctionType, ModuleType
from typing import ClassVar
from weakref import ref

import attrs
from pegboard import RunContext

Modules = Callable[[], Mapping[str, ModuleType]]
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
        answer = _ANSWERS.get(self._asked(said))
        if answer is None:
            raise EOFError(f"{self.tool} asks {said!r}, and no approver has answered")
        return answer

    def _asked(self, reason: str) -> str:
        """What the approvers say; `input` in an approver's own code is the usual one."""
        own = ASKER.set(None)
        try:
            asked = asyncio.run_coroutine_threadsafe(self.context.ask(reason), self.loop)
        finally:
            ASKER.reset(own)
        return asked.result()


ASKER: ContextVar[Asker | None] = ContextVar("pegboard_llm_asker", default=None)
"""Who can be asked in the call that runs here."""


def _input(prompt: object = "", /) -> str:
    """What `input` is in an llm plugin: there are approvers within a call, and nobody else."""
    asker = ASKER.get()
    if asker is None:
        said = str(prompt).strip() or "for input"
        raise EOFError(
            f"an llm plugin asks {said!r} in a thread of its own, or in no call of its tools; "
            "nobody can be asked there"
        )
    return asker.answer(str(prompt))


@attrs.define(eq=False)
class Diversion:
    """What `builtins.input` heeds while an llm plugin is loaded.

    Attributes:
        modules: gives the modules of the plugin that are imported now.
        usual: what `builtins.input` was; it stays so for others' code.
        is_over: whether the plugin is unloaded.
    """

    modules: Modules
    usual: Callable[[object], str]
    is_over: bool = False
    changing: ClassVar[threading.Lock] = threading.Lock()

    def answer(self, prompt: object) -> str:
        """What is typed, or an approver's answer."""
        if self.is_over or not (ASKER.get() or self._is_asked_by(sys._getframe(1))):  # noqa: SLF001
            return self.usual(prompt)
        return _input(prompt)

    def _is_asked_by(self, frame: FrameType | None) -> bool:
        """Whether the plugin's code is among what runs in this thread."""
        own = {id(vars(each)) for each in self.modules().values()}
        while frame is not None:
            if id(frame.f_globals) in own:
                return True
            frame = frame.f_back
        return False


@contextmanager
def diverted(modules: Modules) -> Iterator[None]:
    """Meanwhile an llm plugin can't read a line from a terminal, whatever it yet imports.

    Args:
        modules: gives its modules that are imported now.
    """
    with Diversion.changing:
        own = Diversion(modules, builtins.input)
        vars(builtins)["input"] = _heeding(own)
    try:
        yield
    finally:
        with Diversion.changing:
            own.is_over = True
            while _is_over(builtins.input):
                vars(builtins)["input"] = vars(builtins.input)["usual"]


def _heeding(diversion: Diversion) -> Callable[..., str]:
    """An `input` that heeds a diversion while there is one.

    It has globals of its own: whoever keeps it for good, as click does, holds no module of this.
    """
    heeded, usual = ref(diversion), diversion.usual

    def heeding(prompt: object = "", /) -> str:
        own = heeded()
        return usual(prompt) if own is None else own.answer(prompt)

    made = FunctionType(heeding.__code__, {}, "input", ("",), heeding.__closure__)
    vars(made).update(usual=usual, heeded=heeded)
    return made


def _is_over(function: object) -> bool:
    heeded = getattr(function, "heeded", None)
    if heeded is None:
        return False
    diversion = heeded()
    return diversion is None or diversion.is_over


def have_them_ask(modules: Iterable[ModuleType]) -> None:
    """Give modules of an llm plugin this `input` by name, unless they have one of their own.

    So it is theirs even where a thread is started with nothing but `input` to call.
    """
    for module in modules:
        vars(module).setdefault("input", _input)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
