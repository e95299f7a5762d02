"""Calls and their outcomes: what goes in, and the one thing that comes out."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NoReturn, TypeAlias

import attrs

from pegboard.errors import CallError, WrongArgumentError
from pegboard.values import JSON, Content, Snapshot


class Code(StrEnum):
    """Why a call failed."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    INVALID_CALL = "invalid_call"
    DENIED = "denied"
    CANCELLED = "cancelled"
    ABORTED_BEFORE_START = "aborted_before_start"
    ABORTED = "aborted"
    TIMED_OUT = "timed_out"
    TOOL_ERROR = "tool_error"
    CRASHED = "crashed"
    INVALID_OUTPUT = "invalid_output"
    BLOCKED = "blocked"
    POLICY_FAILED = "policy_failed"
    WORKER_LOST = "worker_lost"
    CODE_FAILED = "code_failed"
    APPROVAL_REQUIRED = "approval_required"
    BUSY = "busy"


def _is_text(_: object, field: "attrs.Attribute[str]", value: object) -> None:
    if not isinstance(value, str):
        kind = type(value).__name__
        raise WrongArgumentError(f"the {field.name} of a call is text, not {kind}")


@attrs.frozen
class ToolCall:
    """One call as a model made it.

    Attributes:
        id: the model's id for this call; the outcome carries it back.
        name: the tool's name.
        arguments: a JSON object, or the model's raw text of one; empty text, white space,
            `null` and None mean no arguments.
    """

    id: str = attrs.field(validator=_is_text)
    name: str = attrs.field(validator=_is_text)
    arguments: JSON = None


# Every call makes a tool call and a success, and a frozen class makes one three times slower.
_new = object.__new__
_set_id = ToolCall.__dict__["id"].__set__
_set_name = ToolCall.__dict__["name"].__set__
_set_arguments = ToolCall.__dict__["arguments"].__set__


def tool_call(call_id: str, name: str, arguments: JSON) -> ToolCall:
    """The same as `ToolCall`, made faster.

    Raises:
        TypeError: the id or the name isn't text.
    """
    if type(call_id) is not str or type(name) is not str:
        return ToolCall(call_id, name, arguments)
    made = _new(ToolCall)
    _set_id(made, call_id)
    _set_name(made, name)
    _set_arguments(made, arguments)
    return made


def _blocks(values: Iterable[Content]) -> tuple[Content, ...]:
    return tuple(values)


def _notes(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(values)


def _snapshot(value: Any) -> Snapshot:
    return Snapshot.of(value)


def _maybe_snapshot(value: Any) -> Snapshot | None:
    if value is None:
        return None
    taken = Snapshot.of(value)
    return None if taken.text == b"null" else taken


def _snapshots(values: Any) -> tuple[Snapshot, ...]:
    return tuple(map(Snapshot.of, values)) if values else ()


def _read(snapshot: Snapshot | None) -> JSON:
    return None if snapshot is None else snapshot.read()


@attrs.frozen(match_args=False)
class Success:
    """A call whose tool gave a value.

    Attributes:
        call_id: the id of the call.
        tool: the name that was called.
        content: what a model reads of it.
        concludes: whether the tool asked that the turn end here.
        notes: what the host left out, coerced or cut, in words.
        hides_value: whether a policy has put the content in the place of what the value shows, so
            that no model may read the value either.
    """

    call_id: str
    tool: str
    _value: Snapshot = attrs.field(converter=_snapshot)
    content: tuple[Content, ...] = attrs.field(default=(), converter=_blocks)
    _meta: Snapshot | None = attrs.field(default=None, converter=_maybe_snapshot)
    _contexts: tuple[Snapshot, ...] = attrs.field(default=(), converter=_snapshots)
    concludes: bool = False
    notes: tuple[str, ...] = attrs.field(default=(), converter=_notes)
    hides_value: bool = False

    __match_args__ = ("call_id", "tool", "value", "content")
    is_error = False

    @property
    def value(self) -> JSON:
        """The tool's value, canonical JSON, a copy of the reader's own."""
        return self._value.read()

    @property
    def meta(self) -> JSON:
        """What the tool gave for its card, or None."""
        return _read(self._meta)

    @property
    def contexts(self) -> tuple[JSON, ...]:
        """What was deferred to the next message, in order."""
        return tuple(each.read() for each in self._contexts)

    def unwrap(self) -> JSON:
        """The value."""
        return self.value


_set_call_id = Success.__dict__["call_id"].__set__
_set_tool = Success.__dict__["tool"].__set__
_set_value = Success.__dict__["_value"].__set__
_set_content = Success.__dict__["content"].__set__
_set_meta = Success.__dict__["_meta"].__set__
_set_contexts = Success.__dict__["_contexts"].__set__
_set_concludes = Success.__dict__["concludes"].__set__
_set_notes = Success.__dict__["notes"].__set__
_set_hides_value = Success.__dict__["hides_value"].__set__


def success(  # noqa: PLR0917 - naming seven costs as much as the rest
    call: ToolCall,
    value: Snapshot,
    content: tuple[Content, ...],
    meta: Snapshot | None,
    contexts: tuple[Snapshot, ...],
    concludes: bool,  # noqa: FBT001
    notes: tuple[str, ...],
) -> Success:
    """The same as `Success`, made faster of parts that need no conversion."""
    made = _new(Success)
    _set_call_id(made, call.id)
    _set_tool(made, call.name)
    _set_value(made, value)
    _set_content(made, content)
    _set_meta(made, meta)
    _set_contexts(made, contexts)
    _set_concludes(made, concludes)
    _set_notes(made, notes)
    _set_hides_value(made, False)  # noqa: FBT003 - a setter takes nothing by name
    return made


@attrs.frozen(match_args=False)
class Failure:
    """A call that gave no value.

    Attributes:
        call_id: the id of the call.
        tool: the name that was called.
        code: why, one of `Code`.
        message: what happened, for the model; never empty.
        content: what a model reads of it.
        notes: what the host left out, coerced or cut, in words.
    """

    call_id: str
    tool: str
    code: Code = attrs.field(converter=Code)
    message: str
    content: tuple[Content, ...] = attrs.field(default=(), converter=_blocks)
    _details: Snapshot | None = attrs.field(default=None, converter=_maybe_snapshot)
    _contexts: tuple[Snapshot, ...] = attrs.field(default=(), converter=_snapshots)
    notes: tuple[str, ...] = attrs.field(default=(), converter=_notes)

    __match_args__ = ("call_id", "tool", "code", "message")
    is_error = True
    concludes = False

    @property
    def details(self) -> JSON:
        """What the program that called may want to know beside the code, or None."""
        return _read(self._details)

    @property
    def contexts(self) -> tuple[JSON, ...]:
        """What was deferred to the next message, in order."""
        return tuple(each.read() for each in self._contexts)

    def unwrap(self) -> NoReturn:
        """Raise what happened.

        Raises:
            CallError: always; it keeps this failure as `outcome`.
        """
        raise CallError(f"{self.tool}: {self.code}: {self.message}", self)


Outcome: TypeAlias = Success | Failure
