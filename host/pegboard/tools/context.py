"""What a running tool may ask of the host."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import attrs

from pegboard.outcomes import Outcome
from pegboard.values import JSON, Content


class CallSignal(Protocol):
    """The part of a `Signal` that a tool sees."""

    @property
    def cancelled(self) -> bool:
        """Whether the call should end."""

    @property
    def reason(self) -> str | None:
        """Why, once it is cancelled."""

    async def wait(self) -> str:
        """Wait until it is cancelled, and give the reason."""

    def raise_if_cancelled(self) -> None:
        """Raise `CallCancelledError` once it is cancelled."""


class CallSide(Protocol):
    """The host's side of one running call."""

    def report(
        self,
        progress: float | None,
        total: float | None,
        message: str | None,
        content: tuple[Content, ...],
    ) -> None:
        """Take a report of progress; late ones are dropped."""

    def defer(self, context: JSON) -> None:
        """Keep a context for the outcome."""

    def conclude(self) -> None:
        """Note that the turn should end with this call."""

    async def call(self, name: str, arguments: JSON) -> Outcome:
        """Make a nested call."""

    async def ask(self, reason: str) -> str:
        """Ask the board's approvers."""


@attrs.frozen(eq=False)
class RunContext:
    """What a running tool may ask of the host; injected where a parameter is annotated with it.

    Attributes:
        call_id: the id of this call.
        root_call_id: the id of the call that a model made, of which this one is a part.
        board: the name of the board.
        plugin: the `PluginContext` of the tool's plugin, or None.
        state: what the plugin's `pegboard_board` yielded for this board, or None.
        deps: the object that the program gave for its tools, or None.
        labels: text to JSON, for audit and approvals.
        signal: cooperative cancellation.
    """

    call_id: str
    root_call_id: str
    board: str
    plugin: Any
    state: Any
    deps: Any
    labels: Mapping[str, JSON]
    signal: CallSignal
    _side: CallSide = attrs.field(repr=False)

    def report(
        self,
        progress: float | None = None,
        total: float | None = None,
        message: str | None = None,
        content: tuple[Content, ...] = (),
    ) -> None:
        """Tell the caller how far the call is; from any thread, late reports are dropped."""
        self._side.report(progress, total, message, content)

    def defer(self, context: JSON) -> None:
        """Leave a context for the model's next turn.

        Raises:
            NotJSONError: the context isn't lossless JSON.
            PegboardError: the outcome of this call is final already.
        """
        self._side.defer(context)

    @property
    def conclude(self) -> Callable[[], None]:
        """Ask that the turn end with this call, if it succeeds."""
        return self._side.conclude

    async def call(self, name: str, arguments: JSON = None) -> Outcome:
        """Make a nested call, through the whole pipeline."""
        return await self._side.call(name, arguments)

    async def ask(self, reason: str) -> str:
        """Ask the board's approvers in the middle of this call; for async tools.

        Args:
            reason: what they are asked, in words.

        Returns:
            `once`, `board` or `always` if they agree, `rejected`, or `cancelled` where nobody
            answers now.

        Raises:
            PegboardError: the outcome of this call is final already.
        """
        return await self._side.ask(reason)
