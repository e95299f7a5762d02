"""Where a program stands while it waits for the host, and how it ends."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs

from pegboard_code.results import NotLosslessError


@attrs.frozen
class Called:
    """It calls a function; whether that is a tool is not known yet.

    Attributes:
        call_id: what the answer is given to.
        name: of the function.
        positional: what it was given without names.
        keywords: what it was given by name.
    """

    call_id: int
    name: str
    positional: tuple[Any, ...]
    keywords: Mapping[str, Any]


@attrs.frozen
class Unread:
    """It calls a function with something that has no equal outside.

    Attributes:
        name: of the function.
        reason: what stands in the way.
    """

    name: str
    reason: str


@attrs.frozen
class Slept:
    """It sleeps.

    Attributes:
        call_id: what the answer is given to.
        seconds: for how long.
        is_async: whether the rest of the program goes on meanwhile.
    """

    call_id: int
    seconds: float
    is_async: bool


@attrs.frozen
class Asked:
    """It asks for a name, a module or something of the system that isn't there."""


@attrs.frozen
class Waiting:
    """Nothing of it can go on until one of these calls is answered."""

    call_ids: tuple[int, ...]


@attrs.frozen
class Done:
    """It is at its end.

    Args:
        value: gives that of its last expression.
    """

    _value: Callable[[], Any]

    def read(self) -> Any:
        """The value of its last expression.

        Raises:
            NotLosslessError: there is nothing like it outside.
        """
        try:
            return self._value()
        except (ValueError, RecursionError, MemoryError) as error:
            raise NotLosslessError(f"the result can't be given back: {error}") from error


Step: TypeAlias = Called | Unread | Slept | Asked | Waiting | Done


@attrs.frozen
class Value:
    """A call has given something."""

    value: Any


@attrs.frozen
class Failed:
    """A call has failed; the program reads why."""

    text: str


Answer: TypeAlias = Value | Failed


class MishapError(Exception):
    """A program came to no end of its own making, or to a bad one."""


class RefusedError(MishapError):
    """The type checker has found something; the text is what it says."""


class ForeseenError(MishapError):
    """It is certain to fail, and was not begun.

    Args:
        text: why, and what to do instead.
        line: where, from 1 on.
    """

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


class UnparsedError(MishapError):
    """It is no Python, or none that is understood.

    Args:
        text: the reason.
        line: where, from 1 on, or None.
    """

    def __init__(self, text: str, line: int | None) -> None:
        super().__init__(text)
        self.line = line


class RaisedError(MishapError):
    """It has raised.

    Args:
        kind: the name of the exception's type.
        text: of the exception.
        lines: the lines of the program that led there, the outermost first.
    """

    def __init__(self, kind: str, text: str, lines: tuple[int, ...]) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.lines = lines


class LostError(MishapError):
    """The process is gone.

    Args:
        text: what is known of it.
        is_late: whether it was ended for taking too long.
    """

    def __init__(self, text: str, *, is_late: bool) -> None:
        super().__init__(text)
        self.is_late = is_late


class NotStartedError(MishapError):
    """No process could be started."""


class StoppedError(MishapError):
    """The host has stopped the program."""
