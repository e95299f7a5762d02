"""Cards: how a user interface shows a call or its outcome."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import attrs

from pegboard.values import JSON, Content, Snapshot, Text, check_content

_EMPTY = Snapshot.of({})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text is expected, not {type(value).__name__}")
    plain = str.__str__(value)
    Snapshot.of(plain)
    return plain


def _maybe_text(value: object) -> str | None:
    return None if value is None else _text(value)


def _object(value: Any) -> Snapshot:
    taken = Snapshot.of(value)
    if not isinstance(taken.read(), dict):
        raise TypeError(f"an object is expected, not {type(value).__name__}")
    return taken


def _blocks(value: "str | Iterable[Content]") -> tuple[Content, ...]:
    return (Text(_text(value)),) if isinstance(value, str) else check_content(value)


def _status(_card: object, field: "attrs.Attribute[Any]", value: object) -> None:
    if value is not None and type(value) is not int:
        raise TypeError(f"{field.name} must be a whole number")


def _flag(_card: object, field: "attrs.Attribute[bool]", value: object) -> None:
    if type(value) is not bool:
        raise TypeError(f"{field.name} must be True or False")


def _named(_card: object, _field: object, value: Snapshot) -> None:
    kind = value.read().get("kind")
    if not isinstance(kind, str) or not kind:
        raise TypeError("a card of another kind needs a text 'kind'")


@attrs.frozen
class GenericCard:
    """What every user interface can show of any call.

    Attributes:
        title: the tool, for people.
        content: what a model reads of the outcome; empty before there is one. Text counts as
            one block of text.
        is_error: whether the call failed.
    """

    title: str = attrs.field(converter=_text)
    _fields: Snapshot = attrs.field(default=_EMPTY, converter=_object, kw_only=True)
    content: tuple[Content, ...] = attrs.field(default=(), converter=_blocks, kw_only=True)
    is_error: bool = attrs.field(default=False, validator=_flag, kw_only=True)

    @property
    def kind(self) -> str:
        """The word by which a user interface knows the card."""
        return "generic"

    @property
    def fields(self) -> dict[str, JSON]:
        """Values by name, such as the arguments of the call; a copy of the reader's own."""
        return self._fields.read()  # type: ignore[no-any-return]


@attrs.frozen
class TerminalCard:
    """A command and what it printed.

    Attributes:
        command: as somebody would have typed it.
        cwd: the folder it runs in.
        output: what it printed; None before there is any.
        exit_status: the number it ended with; None before it has.
        title: for people; the tool's if it is empty.
    """

    command: str = attrs.field(converter=_text)
    cwd: str | None = attrs.field(default=None, converter=_maybe_text, kw_only=True)
    output: str | None = attrs.field(default=None, converter=_maybe_text, kw_only=True)
    exit_status: int | None = attrs.field(default=None, validator=_status, kw_only=True)
    title: str = attrs.field(default="", converter=_text, kw_only=True)

    @property
    def kind(self) -> str:
        """The word by which a user interface knows the card."""
        return "terminal"


@attrs.frozen
class DiffCard:
    """A change of a file: its two texts, or a patch.

    Attributes:
        path: the file.
        before: its text before; None where there is none, or only a patch.
        after: its text after; likewise.
        patch: the change as a unified diff.
        title: for people; the tool's if it is empty.
    """

    path: str = attrs.field(converter=_text)
    before: str | None = attrs.field(default=None, converter=_maybe_text, kw_only=True)
    after: str | None = attrs.field(default=None, converter=_maybe_text, kw_only=True)
    patch: str | None = attrs.field(default=None, converter=_maybe_text, kw_only=True)
    title: str = attrs.field(default="", converter=_text, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.before is None and self.after is None and self.patch is None:
            raise ValueError("a diff card needs before, after or a patch")

    @property
    def kind(self) -> str:
        """The word by which a user interface knows the card."""
        return "diff"


@attrs.frozen
class OtherCard(GenericCard):
    """A card of a kind that isn't known here, kept as it was given.

    It is a generic card too, for user interfaces that don't know its kind either.
    """

    _given: Snapshot = attrs.field(converter=_object, validator=_named, kw_only=True)

    @property
    def kind(self) -> str:
        """The word by which a user interface knows the card."""
        return str(self.given["kind"])

    @property
    def given(self) -> dict[str, JSON]:
        """The card as it was given, with its `kind`; a copy of the reader's own."""
        return self._given.read()  # type: ignore[no-any-return]


Card: TypeAlias = GenericCard | TerminalCard | DiffCard
