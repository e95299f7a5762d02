"""A program on its thread: its worker goes from step to step, and the loop is asked for more."""

from typing import Any, assert_never

from pegboard import ProgramResult

from pegboard_code.arguments import arguments_of, is_shape
from pegboard_code.diagnostics import only_warns
from pegboard_code.foreseen import refuse_foreseen
from pegboard_code.keeping import kept_value
from pegboard_code.link import Link, Resting, Wanted
from pegboard_code.results import NotLosslessError, lossless
from pegboard_code.steps import Asked, Called, Done, RefusedError, Slept, Step, Unread, Waiting
from pegboard_code.tails import prepared
from pegboard_code.worker import Worker


class Drive:
    """Takes one program to its result; belongs to one thread."""

    def __init__(self, worker: Worker, link: Link) -> None:
        self._worker = worker
        self._link = link
        self._names = frozenset(worker.sdk.names)

    def run(self, program: str) -> ProgramResult:
        """What the program gives.

        Raises:
            MishapError: it comes to no good end.
            NotLosslessError: its value isn't JSON.
        """
        refuse_foreseen(program, names=self._names)
        ready = prepared(program)
        done = self._to_end(self._begin(ready.text))
        if ready.is_kept:
            return ProgramResult(kept_value(self._evaluate, done.read), is_given=True)
        value = lossless(done.read())
        return ProgramResult(value, is_given=ready.is_given or value is not None)

    def _begin(self, text: str) -> Step:
        try:
            return self._worker.feed(text, self._link.print)
        except RefusedError as error:
            if not only_warns(str(error)):
                raise
        return self._worker.feed(text, self._link.print, is_checked=False)

    def _evaluate(self, expression: str) -> Any:
        step = self._worker.feed(expression, self._link.print, is_checked=False)
        return self._to_end(step).read()

    def _to_end(self, step: Step) -> Done:
        while not isinstance(step, Done):
            step = self._next(step)
        return step

    def _next(self, step: Called | Unread | Slept | Asked | Waiting) -> Step:
        match step:
            case Called():
                return self._call(step)
            case Unread(name=name, reason=reason):
                return self._worker.refuse(ValueError(f"{name}() can't be given this: {reason}"))
            case Slept():
                return self._sleep(step)
            case Asked():
                return self._worker.miss()
            case Waiting(call_ids=call_ids):
                return self._worker.answer(self._link.answers(call_ids))
            case _:
                assert_never(step)

    def _call(self, call: Called) -> Step:
        if call.name not in self._names:
            return self._miss(call)
        try:
            arguments = arguments_of(call)
        except TypeError as error:
            return self._worker.refuse(error)
        self._link.begin(Wanted(call.call_id, call.name, arguments))
        return self._worker.go_on()

    def _miss(self, call: Called) -> Step:
        if is_shape(call.name, self._worker.sdk) and not call.positional:
            return self._shape(call)
        return self._worker.refuse(NameError(f"name {call.name!r} is not defined"))

    def _shape(self, call: Called) -> Step:
        try:
            made = lossless(dict(call.keywords), root=f"what {call.name}() was given")
        except NotLosslessError as error:
            return self._worker.refuse(TypeError(str(error)))
        return self._worker.give(made)

    def _sleep(self, sleep: Slept) -> Step:
        self._link.begin(Resting(sleep.call_id, sleep.seconds))
        if sleep.is_async:
            return self._worker.go_on()
        self._link.answers((sleep.call_id,))
        return self._worker.give(None)
