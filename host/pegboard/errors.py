"""The errors that the host raises; failures of tools are outcomes, not errors.

PegboardError
├── WrongArgumentError      an argument of another kind than the method takes
├── NotJSONError            a value or text that isn't lossless JSON
├── InvalidNameError        a name outside the rule for names
├── InvalidToolError        a tool that can't be offered: annotation, schema, text, time limit
├── CollisionError          a second contribution of one name on one layer
├── ReservedNameError       a name that belongs to somebody else
├── RestrictionError        a mask that says nothing, or names what it can't reach
├── UnknownNameError        no board, plugin or tool of that name; lists near names
├── BoardError              a board that is closed, or asked for with other options
├── ConfigError             mistakes in a configuration or in a plugin's settings
├── PluginLoadError         a plugin that could not be loaded; the cause is chained
│   └── QuarantinedError    one that isn't what was accepted; nothing of it has run
├── LockFileError           a lock file that can't be read or written
├── HostClosedError         a host that isn't open
├── ControlError            a running host that can't be reached, or that refused
├── MissingFrameworkError   a framework whose extra isn't installed
├── MessageError            a provider's message that can't be read
├── RecordError             a logged call or outcome that can't be read
├── NotReady                raised by a lifespan that should be tried again later
├── ProgramError            a program of `run_code` gave no result (programs)
├── ToolCallError           a call that a program made has failed (programs)
├── WorkerLostError         raised by a body whose work ran elsewhere, and is lost
├── ToolError               raised by a tool whose domain failed; what a model reads
├── ArgumentFaults          a type's own validator refused what its schema accepts (tools)
├── StructureError          plain values that don't fit a class of settings (tools)
├── OutputError             a value that isn't what its tool's output says (tools)
├── FormError               an annotation that can't be expressed (tools)
├── MisfitError             a value that isn't of the type it was returned as (tools)
├── UsageError              words that the command doesn't have (cli)
├── CallError               raised by `outcome.unwrap()` of a failure
└── CallCancelledError      raised by `signal.raise_if_cancelled()`
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


class PegboardError(Exception):
    """The base of every error that pegboard raises."""


class WrongArgumentError(PegboardError, TypeError):
    """A program gave a method something of another kind than it takes; names the argument."""


class NotJSONError(PegboardError, ValueError):
    """A value that isn't lossless JSON.

    Attributes:
        reason: what is wrong, without any value.
        path: where, as a JSON path such as `$.items[3]`.
        keys: the same as its keys and indexes.
        is_too_much: whether it is only longer, deeper or of more parts than the limits allow.
    """

    def __init__(
        self,
        reason: str,
        *,
        path: str = "$",
        keys: tuple[Any, ...] = (),
        is_too_much: bool = False,
    ) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason
        self.path = path
        self.keys = keys
        self.is_too_much = is_too_much


class InvalidNameError(PegboardError, ValueError):
    """A name that no tool, board or plugin can have."""


class InvalidToolError(PegboardError, ValueError):
    """A tool that can't be offered to a model as it is written."""


class CollisionError(PegboardError):
    """A second contribution of one name on one layer; names both owners and the way out."""


class ReservedNameError(PegboardError):
    """A name that is reserved; names its owner and the reason."""


class RestrictionError(PegboardError, ValueError):
    """A restriction that says nothing, or that names what it can't reach."""


class UnknownNameError(PegboardError, LookupError):
    """Something that isn't there; lists the nearest names that are."""

    def __init__(self, kind: str, name: str, known: Iterable[str] = ()) -> None:
        self.near = near_names(name, known)
        super().__init__(f"unknown {kind} {name!r}{did_you_mean(self.near)}")
        self.kind = kind
        self.name = name


class BoardError(PegboardError):
    """A board that is closed, or that was asked for with other options than it has."""


class ConfigError(PegboardError):
    """Every mistake of a configuration or of a plugin's settings, one a line.

    Attributes:
        mistakes: the messages, each with file and line where it has one.
    """

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(self.mistakes))


class PluginLoadError(PegboardError):
    """A plugin that could not be loaded; nothing of it is left on the host."""


class QuarantinedError(PluginLoadError):
    """A plugin that isn't what the lock file accepts; none of its code has run.

    Attributes:
        diff: line by line, what was accepted (`-`) and what there is (`+`).
    """

    def __init__(self, message: str, *, diff: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.diff = tuple(diff)


class LockFileError(PegboardError):
    """A lock file that can't be read or written; says what is wrong."""


class HostClosedError(PegboardError):
    """A host that was not opened, or is closed."""


class ControlError(PegboardError):
    """A host that can't be reached through its control channel, or that refused what was asked.

    Attributes:
        kind: the class of the error that it gave, or what is wrong with the channel.
    """

    def __init__(self, message: str, *, kind: str = "unreachable") -> None:
        super().__init__(message)
        self.kind = kind


class MissingFrameworkError(PegboardError, ImportError):
    """A framework that can't be imported; names the extra that installs it."""

    def __init__(self, extra: str, error: ImportError) -> None:
        super().__init__(
            f"boards for {extra} need {extra}, which can't be imported ({error}); "
            f"install 'pegboard[{extra}]'"
        )


class MessageError(PegboardError, ValueError):
    """A provider's message that can't be read; says what is missing in it."""


class RecordError(PegboardError, ValueError):
    """A logged call, outcome or card that can't be read; says what is missing or wrong in it."""


class NotReady(PegboardError):  # noqa: N818 - the contract's name, an answer rather than a fault
    """Raised by a plugin's lifespan that can't start yet and should be tried again."""


class ToolError(PegboardError):
    """A failure of a tool's own domain, written for the model that reads it.

    Args:
        message: what the model reads.
        code: the tool's own code; it arrives as `details["code"]`.
        content: content blocks instead of the message's text.
        details: any JSON object for the program that made the call.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        content: Iterable[Any] | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.content = None if content is None else tuple(content)
        self.details = details


class WorkerLostError(PegboardError):
    """Raised by a body whose work ran elsewhere, in what has died or can't be reached any more.

    The call ends as `worker_lost`, with this message.
    """


class CallError(PegboardError):
    """Raised by `outcome.unwrap()` of a failure; keeps the failure as `outcome`."""

    def __init__(self, message: str, outcome: Any) -> None:
        super().__init__(message)
        self.outcome = outcome


class CallCancelledError(PegboardError):
    """Raised by `signal.raise_if_cancelled()` once the signal is cancelled."""


def near_names(name: str, known: Iterable[str], *, most: int = 3) -> tuple[str, ...]:
    """The known names that somebody who typed `name` may have meant, nearest first."""
    folded = {_fold(each): each for each in sorted(known, reverse=True)}
    close = get_close_matches(_fold(name), folded, n=most, cutoff=0.6)
    return tuple(folded[each] for each in close)


def did_you_mean(near: Sequence[str]) -> str:
    """The end of a message that offers near names, or nothing."""
    if not near:
        return ""
    return "; did you mean " + " or ".join(repr(each) for each in near) + "?"


def _fold(name: str) -> str:
    return name.casefold().replace("-", "_")
