"""What is wrong with arguments and outputs: paths, kinds of fault and words of the schema."""

from collections.abc import Iterable
from typing import Any

import attrs

from pegboard.errors import PegboardError
from pegboard.values.checks import show_path

SHOWN = 100


@attrs.frozen
class Fault:
    """One thing that is wrong; no value of an argument is ever in it.

    Attributes:
        path: where, as a JSON path such as `$.items[3]`.
        message: what is wrong there, a clause that goes on after the path.
        keys: the path as its keys and indexes.
        reason: what the code said that refused it, which no model may read; empty if nothing did.
        other: the keys of another part that this speaks of last; empty where it speaks of none.
    """

    path: str
    message: str
    keys: tuple[Any, ...] = attrs.field(default=(), eq=False, repr=False)
    reason: str = attrs.field(default="", eq=False, repr=False)
    other: tuple[Any, ...] = attrs.field(default=(), eq=False, repr=False)

    @classmethod
    def at(
        cls, path: tuple[Any, ...], message: str, reason: str = "", other: tuple[Any, ...] = ()
    ) -> "Fault":
        """A fault at a path given by its keys and indexes."""
        return cls(show_path(path), message, path, reason, other)

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


@attrs.frozen
class Faults:
    """Everything that is wrong with the arguments of one call."""

    items: tuple[Fault, ...]

    def message(self, tool_name: str) -> str:
        """All of it in one message, for the model."""
        return f"invalid arguments for {tool_name!r}: {join_faults(self.items)}"


def join_faults(faults: Iterable[Fault]) -> str:
    """Faults as one line of text, each once."""
    lines = list(dict.fromkeys(map(str, faults)))
    more = len(lines) - SHOWN
    return "; ".join(lines[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


class ArgumentFaults(PegboardError):  # noqa: N818 - named for what it carries
    """A type's own validator or converter refused a value that the schema accepts.

    Attributes:
        faults: all of them, with paths.
    """

    def __init__(self, faults: Faults) -> None:
        super().__init__(join_faults(faults.items))
        self.faults = faults


class StructureError(PegboardError, ValueError):
    """A configuration or settings that don't fit their class.

    Attributes:
        faults: all of them, with paths and the nearest right key names.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(join_faults(self.faults))


class OutputError(PegboardError):
    """A tool gave what its output schema, or JSON, doesn't admit; names the path.

    Attributes:
        raised: what code of the tool raised, if it did.
        masked: the message without the text of that.
    """

    def __init__(
        self, message: str, *, raised: BaseException | None = None, masked: str | None = None
    ) -> None:
        super().__init__(message)
        self.raised = raised
        self.masked = message if masked is None else masked
