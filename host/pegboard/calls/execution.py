"""One call on its way."""

from collections.abc import Callable
from typing import Any, NoReturn, Protocol

import attrs
from attrs.exceptions import FrozenInstanceError

from pegboard.annotations import ToolAnnotations
from pegboard.calls.signal import Signal
from pegboard.registry import Owner
from pegboard.values import JSON, Snapshot


class Token:
    """The identity of one execution; equal to itself only."""

    __slots__ = ()


class Cancellable(Protocol):
    """A call while it runs."""

    @property
    def outer_signal(self) -> Signal:
        """What cancels it."""


@attrs.define(eq=False)
class Fields:
    """What an execution says.

    Attributes:
        call_id: the id of this call.
        root_call_id: the id of the call that a model made, of which this one is a part.
        parent_call_id: the id of the call that made this one, or None.
        parent: the token of that execution, or None.
        tool: the name that was called.
        board: the name of the board.
        owner: whose tool it is; None before it is resolved, and for a name that isn't there.
        token: the identity of this execution.
        started: when it was made, in seconds of `time.monotonic`.
        deps: the object that the program gave for tools and hooks.
        labels: text to JSON, for audit and approvals.
        timeout: seconds that the tool's body may take, or None.
        raw_tool: the name that its author gave the tool, before the operator's prefix or renaming;
            empty where no tool is resolved.
        secret_arguments: the names of the arguments that must not show.
        annotations: what the tool's author and the operator say of its effects, or None.
        tags: the tool's own.
    """

    call_id: str
    root_call_id: str
    parent_call_id: str | None
    parent: Token | None
    tool: str
    board: str
    owner: Owner | None
    _arguments: Snapshot
    _signal: "Signal | Callable[[], Cancellable | None]"
    token: Token
    started: float
    deps: Any
    _labels: Snapshot
    timeout: float | None = None
    raw_tool: str = ""
    secret_arguments: frozenset[str] = frozenset()
    annotations: ToolAnnotations | None = None
    tags: frozenset[str] = frozenset()

    @property
    def signal(self) -> Signal:
        """The caller's signal, or the call's own where the caller gave none."""
        if isinstance(self._signal, Signal):
            return self._signal
        call = self._signal()
        return Signal() if call is None else call.outer_signal

    @property
    def labels(self) -> dict[str, JSON]:
        """Text to JSON, for audit and approvals, a copy of the reader's own."""
        labels: dict[str, JSON] = self._labels.read()
        return labels

    @property
    def arguments(self) -> JSON:
        """The arguments as the tool gets them, a copy of the reader's own."""
        return self._arguments.read()

    @property
    def masked_arguments(self) -> JSON:
        """The same with secret ones hidden."""
        arguments: dict[str, JSON] = self._arguments.read()
        return {
            name: "…" if name in self.secret_arguments else arguments[name] for name in arguments
        }


class Execution(Fields):
    """One call on its way, as policies and observers see it; nothing in it can be changed."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise FrozenInstanceError

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError


def sealed(fields: Fields) -> Execution:
    """The same as an execution that nobody can change; a frozen class takes four times as long."""
    fields.__class__ = Execution
    return fields  # type: ignore[return-value]  # it is one now


@attrs.frozen
class Timing:
    """How long a call took, in seconds.

    Attributes:
        total: from its making to its outcome.
        waited: of that, for people, for its turn and for a free thread.
        body: of that, in the tool itself.
    """

    total: float
    waited: float
    body: float
