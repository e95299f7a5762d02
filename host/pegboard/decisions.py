"""What policies say of a call: decisions before it runs, verdicts after it, and answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import attrs

from pegboard.errors import PegboardError
from pegboard.values import JSON, Content, Snapshot
from pegboard.values.content import check_content


def _blocks(content: Any) -> tuple[Content, ...]:
    return check_content(content)


def _maybe_blocks(content: Any) -> tuple[Content, ...] | None:
    return None if content is None else check_content(content)


def _snapshots(contexts: Iterable[JSON]) -> tuple[Snapshot, ...]:
    if isinstance(contexts, (str, bytes, Mapping)) or not isinstance(contexts, Iterable):
        raise PegboardError(f"contexts are a list of JSON values, not {type(contexts).__name__}")
    return tuple(map(Snapshot.of, contexts))


def _reason(_: object, __: "attrs.Attribute[Any]", reason: object) -> None:
    if reason is not None and not isinstance(reason, str):
        raise PegboardError(f"a reason is text, not {type(reason).__name__}")


@attrs.frozen
class Allow:
    """Let the call go on, as far as this policy is concerned."""


@attrs.frozen
class Deny:
    """Refuse the call.

    Attributes:
        reason: what the model reads; without one, the policy's plugin is named.
    """

    reason: str | None = attrs.field(default=None, validator=_reason)


@attrs.frozen
class Cancel:
    """Call it off: not forbidden, but not now.

    Attributes:
        reason: what the model reads.
    """

    reason: str | None = attrs.field(default=None, validator=_reason)


@attrs.frozen
class Ask:
    """Have somebody approve it first.

    Attributes:
        reason: why, for who is asked.
        answered: `answered(request, answer)` is told of the answer that was given, such as
            `"always"`, to remember it; sync or async.
    """

    reason: str = attrs.field(default="", validator=_reason)
    answered: Callable[[Any, Any], Any] | None = attrs.field(default=None, eq=False, repr=False)


Decision: TypeAlias = Allow | Deny | Cancel | Ask
DECISIONS = (Allow, Deny, Cancel, Ask)


class _Unset:
    """No value was given; None is one."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@attrs.frozen(kw_only=True)
class Accept:
    """Let the outcome stand, or with another content or value.

    Attributes:
        content: content blocks in the place of those that the model would read; None keeps them.
            No shape shows the value beside them, unless `keeps_value`.
        contexts: what the model should learn beside it.
        keeps_value: whether a model may still read the value, where a shape shows it too: the
            content says nothing else, only shorter.
    """

    content: tuple[Content, ...] | None = attrs.field(default=None, converter=_maybe_blocks)
    _value: Any = UNSET
    _contexts: tuple[Snapshot, ...] = attrs.field(default=(), converter=_snapshots)
    keeps_value: bool = False

    def __attrs_post_init__(self) -> None:
        if self.content is not None and self._value is not UNSET:
            raise PegboardError("Accept takes a content or a value, not both")

    @property
    def has_value(self) -> bool:
        """Whether it puts a value in the place of the tool's."""
        return self._value is not UNSET

    @property
    def value(self) -> Any:
        """The value that it puts there, as it was given."""
        return None if self._value is UNSET else self._value

    @property
    def contexts(self) -> tuple[Snapshot, ...]:
        """What the model should learn beside it."""
        return self._contexts


@attrs.frozen
class Block:
    """Keep the outcome from the model.

    Attributes:
        content: what it reads instead.
        contexts: what it should learn beside that; contexts of the call itself are gone.
    """

    content: tuple[Content, ...] = attrs.field(default=(), converter=_blocks)
    _contexts: tuple[Snapshot, ...] = attrs.field(default=(), converter=_snapshots)

    @property
    def contexts(self) -> tuple[Snapshot, ...]:
        """What the model should learn beside it."""
        return self._contexts


Verdict: TypeAlias = Accept | Block


@attrs.frozen
class Rejected:
    """An approver's no, with words of its own.

    Attributes:
        message: what the model reads.
    """

    message: str


ANSWERS = ("once", "board", "always", "rejected", "cancelled", "later")
"""What `pegboard_approve` may answer beside `Rejected(message)` and None."""
