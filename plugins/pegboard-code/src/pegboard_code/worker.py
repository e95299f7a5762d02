"""One process of Monty and the session in it; nothing else knows pydantic_monty."""

import math
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, TypeAlias

import pydantic_monty as monty
from pegboard import ProgramLimits, Sdk

from pegboard_code.child import Child
from pegboard_code.prelude import prelude, stand_ins
from pegboard_code.steps import (
    Answer,
    Asked,
    Called,
    Done,
    Failed,
    LostError,
    NotStartedError,
    RaisedError,
    RefusedError,
    Slept,
    Step,
    UnparsedError,
    Unread,
    Waiting,
)
from pegboard_code.unchecked import checked_against

SCRIPT = "program.py"

_SLEEPS = {"asyncio.sleep": True, "time.sleep": False}
_OFTEN = 2**31
_TURN_GRACE = 5.0
_FLUSHED = 0.005
_INPUT = re.compile(r"<python-input-[1-9]")

Output: TypeAlias = Callable[[str], None]
Snapshot: TypeAlias = monty.SyncSnapshot


class Worker:
    """A process that runs one program; all but `kill` belongs to one thread at a time."""

    def __init__(self, sdk: Sdk, limits: ProgramLimits) -> None:
        self.sdk = sdk
        self.limits = limits
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._is_killed = False
        self._at: Snapshot | None = None
        self._is_open = False

    def open(self) -> None:
        """Start the process and have it know the tools; nothing where that is done.

        Raises:
            NotStartedError: there is no process.
            MishapError: it has gone already.
        """
        if self._is_open:
            return
        try:
            self._session = self._enter()
        except (OSError, RuntimeError, monty.MontyError) as error:
            self.close()
            raise NotStartedError(str(error)) from error
        with self._lock:
            if (pid := self._session.worker_pid) is not None:
                self._child = Child(pid, most_seconds=_most_seconds(self.limits))
            if self._is_killed:
                self._kill()
        text, tools = prelude(self.sdk), stand_ins(self.sdk)
        begin = self._session.feed_start
        self._settle(partial(begin, text, inputs=tools, skip_type_check=True))
        self._is_open = True

    def warm(self) -> None:
        """Have the type checker read the declarations ahead of the program.

        Raises:
            MishapError: that failed.
        """
        self._settle(partial(self._session.feed_start, "None"))

    def _enter(self) -> monty.MontySession:
        time = self.limits.interpreter_time
        pool = monty.Monty(
            min_processes=0,
            max_processes=1,
            max_checkouts_per_worker=1,
            request_timeout=time + _TURN_GRACE,
        )
        session = self._stack.enter_context(pool).checkout(
            script_name=SCRIPT,
            limits={
                "max_feed_duration_secs": time,
                "max_memory": self.limits.memory,
                "max_suspensions": _OFTEN,
            },
            type_check=True,
            type_check_stubs=checked_against(self.sdk),
            type_check_format="concise",
            print_flush_interval=_FLUSHED,
            os_policy={"sleep": "call_host"},
        )
        return self._stack.enter_context(session)

    @property
    def is_ready(self) -> bool:
        """Whether the process is still there; asks it."""
        if not self._is_open:
            return False
        try:
            self._session.feed_start("None", skip_type_check=True)
        except (RuntimeError, monty.MontyError):
            return False
        return True

    def feed(self, program: str, output: Output, *, is_checked: bool = True) -> Step:
        """Begin a program.

        Args:
            program: its text.
            output: takes what it prints, on the thread that runs it.
            is_checked: whether the type checker sees it before.

        Raises:
            MishapError: it comes to no end.
        """
        return self._settle(
            partial(
                self._session.feed_start,
                program,
                print_callback=lambda _, text: output(text),
                skip_type_check=not is_checked,
            )
        )

    def go_on(self) -> Step:
        """Let the program go on while its call runs; raises as `feed` does."""
        return self._settle(partial(self._function().resume, {"future": ...}))

    def give(self, value: Any) -> Step:
        """Give what was called for at once; raises as `feed` does."""
        return self._settle(partial(self._function().resume, {"return_value": value}))

    def refuse(self, error: Exception) -> Step:
        """Have the call raise at once; raises as `feed` does."""
        return self._settle(partial(self._function().resume, {"exception": error}))

    def miss(self) -> Step:
        """Say that what was asked for isn't there; raises as `feed` does."""
        at = self._at
        if isinstance(at, monty.NameLookupSnapshot):
            return self._settle(at.resume)
        return self._settle(self._function().resume_not_handled)

    def answer(self, answers: Mapping[int, Answer]) -> Step:
        """Give calls that were waited for what they gave; raises as `feed` does."""
        at = self._at
        if not isinstance(at, monty.FutureSnapshot):
            raise TypeError("nothing is waited for")
        return self._settle(partial(at.resume, {key: _said(each) for key, each in answers.items()}))

    @property
    def is_gone(self) -> bool:
        """Whether the process has ended."""
        return self._child is not None and self._child.is_gone

    def kill(self) -> None:
        """End the process, whatever it does; from any thread, and harmless twice."""
        with self._lock:
            self._is_killed = True
            self._kill()

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        """End the process and forget it; twice is harmless."""
        self._at = None
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.close()
        self._stack.close()

    def _function(self) -> monty.FunctionSnapshot:
        if not isinstance(self._at, monty.FunctionSnapshot):
            raise TypeError("nothing is called for")
        return self._at

    def _settle(self, go: Callable[[], Snapshot]) -> Step:
        try:
            self._at = go()
        except monty.MontyTypingError as error:
            raise RefusedError(str(error)) from error
        except monty.MontySyntaxError as error:
            lines = _lines(error)
            raise UnparsedError(error.display("msg"), lines[-1] if lines else None) from error
        except monty.MontyRuntimeError as error:
            raise _raised(error) from error
        except monty.MontyCrashedError as error:
            raise LostError(str(error), is_late=error.timed_out) from error
        return _step(self._at)


def _most_seconds(limits: ProgramLimits) -> float:
    """Processor time that no program comes near, since each of its parts is watched."""
    return 8 * limits.interpreter_time + 30


def _step(at: Snapshot) -> Step:
    match at:
        case monty.FunctionSnapshot():
            return _called(at)
        case monty.NameLookupSnapshot():
            return Asked()
        case monty.FutureSnapshot():
            return Waiting(tuple(at.pending_call_ids))
        case monty.MontyComplete():
            return Done(lambda: at.output)


def _called(at: monty.FunctionSnapshot) -> Step:
    name = at.function_name
    if at.is_os_function and name not in _SLEEPS:
        return Asked()
    try:
        positional, keywords = at.args, at.kwargs
    except (ValueError, RecursionError) as error:
        return Unread(name, str(error))
    if at.is_os_function:
        return Slept(at.call_id, _seconds(positional), is_async=_SLEEPS[name])
    return Called(at.call_id, name, positional, keywords)


def _seconds(positional: tuple[Any, ...]) -> float:
    seconds = positional[0] if positional else 0
    is_real = isinstance(seconds, int | float) and math.isfinite(seconds)
    return max(0.0, float(seconds)) if is_real else math.inf


def _said(answer: Answer) -> monty.ExternalSettledResult:
    if isinstance(answer, Failed):
        return {"exc_type": "RuntimeError", "message": answer.text}
    return {"return_value": answer.value}


def _lines(error: monty.MontySyntaxError | monty.MontyRuntimeError) -> tuple[int, ...]:
    """The lines of the program; the prelude is the first input."""
    names = [(each.filename, each.line) for each in error.traceback()]
    return tuple(line for name, line in names if _INPUT.match(name))


def _raised(error: monty.MontyRuntimeError) -> RaisedError:
    told = error.display("type-msg")
    text = error.display("msg")
    kind = told.removesuffix(text).rstrip().removesuffix(":") if text else told
    return RaisedError(kind, text, _lines(error))
