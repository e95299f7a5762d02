"""Calls, outcomes and cards as plain JSON: what is read back equals what was written."""

from collections.abc import Mapping
from typing import Any, NoReturn

import attrs

from pegboard.cards import Card, DiffCard, GenericCard, OtherCard, TerminalCard
from pegboard.errors import NotJSONError, RecordError
from pegboard.outcomes import Code, Failure, Outcome, Success, ToolCall
from pegboard.values import (
    DEFAULT_LIMITS,
    JSON,
    Audio,
    Content,
    Image,
    Limits,
    Resource,
    Snapshot,
    Text,
)

_BLOCKS: Mapping[str, type[Content]] = {
    "text": Text,
    "image": Image,
    "audio": Audio,
    "resource": Resource,
}
CARDS: Mapping[str, type[Card]] = {
    "generic": GenericCard,
    "terminal": TerminalCard,
    "diff": DiffCard,
}
_REQUIRED: Any = object()


def to_json(
    record: ToolCall | Outcome | Card, *, limits: Limits = DEFAULT_LIMITS
) -> dict[str, JSON]:
    """A call, an outcome or a card as JSON, all of it.

    Args:
        record: what is to be written.
        limits: what the arguments of a call may have.

    Raises:
        NotJSONError: the arguments of the call aren't JSON.
    """
    match record:
        case ToolCall(id=call_id, name=name, arguments=arguments):
            kept = Snapshot.of(arguments, limits).read()
            return {"id": call_id, "name": name, "arguments": kept}
        case Success(value=value, meta=meta, concludes=concludes, hides_value=hides_value):
            own = {"value": value, "meta": meta, "concludes": concludes}
            own["hides_value"] = hides_value
            return _outcome_to_json(record, own)
        case Failure(code=code, message=message, details=details):
            own = {"code": str(code), "message": message, "details": details}
            return _outcome_to_json(record, own)
        case GenericCard() | TerminalCard() | DiffCard():
            return _card_to_json(record)


def _outcome_to_json(outcome: Outcome, own: dict[str, JSON]) -> dict[str, JSON]:
    return {
        "call_id": outcome.call_id,
        "tool": outcome.tool,
        "is_error": outcome.is_error,
        **own,
        "content": [block_to_json(each) for each in outcome.content],
        "contexts": list(outcome.contexts),
        "notes": list(outcome.notes),
    }


def _card_to_json(card: Card) -> dict[str, JSON]:
    if not isinstance(card, GenericCard):
        return {"kind": card.kind, **attrs.asdict(card)}
    given = {"given": card.given} if isinstance(card, OtherCard) else {}
    return {
        "kind": card.kind,
        "title": card.title,
        "fields": card.fields,
        "content": [block_to_json(each) for each in card.content],
        "is_error": card.is_error,
        **given,
    }


def block_to_json(block: Content) -> dict[str, JSON]:
    """A content block as JSON, all of it."""
    kinds = [name for name, cls in _BLOCKS.items() if isinstance(block, cls)]
    if not kinds:
        raise TypeError(f"{type(block).__name__} isn't a content block")
    return {"type": kinds[0], **attrs.asdict(block)}


def call_from_json(json: JSON, *, limits: Limits = DEFAULT_LIMITS) -> ToolCall:
    """The call that was written, by whatever version; keys that aren't known are passed over.

    Args:
        json: what `to_json` gave.
        limits: what its arguments may have.

    Raises:
        RecordError: it is no call; says what is missing or wrong.
    """
    read = _Reader.of(json, "a call", limits)
    arguments = read.value("arguments", default=None).read()
    return ToolCall(read.text("id"), read.text("name"), arguments)


def outcome_from_json(json: JSON, *, limits: Limits = DEFAULT_LIMITS) -> Outcome:
    """The outcome that was written, by whatever version; keys that aren't known are passed over.

    Args:
        json: what `to_json` gave.
        limits: what each value in it may have.

    Raises:
        RecordError: it is no outcome; says what is missing or wrong.
    """
    read = _Reader.of(json, "an outcome", limits)
    rest: dict[str, Any] = {
        "content": [block_from_json(each) for each in read.items("content")],
        "contexts": [read.taken("contexts", each) for each in read.items("contexts")],
        "notes": [
            read.checked("notes", each, str, "a list of text") for each in read.items("notes")
        ],
    }
    call_id, tool = read.text("call_id"), read.text("tool")
    if read.flag("is_error", default="code" in read.json):
        details = read.value("details", default=None)
        return Failure(call_id, tool, read.code(), read.text("message"), details=details, **rest)
    value, meta = read.value("value"), read.value("meta", default=None)
    rest |= {key: read.flag(key, default=False) for key in ("concludes", "hides_value")}
    return Success(call_id, tool, value, meta=meta, **rest)


def card_from_json(json: JSON) -> Card:
    """The card that was written; keys that aren't known are passed over.

    Raises:
        RecordError: it is none; says what is missing or wrong.
    """
    read = _Reader.of(json, "a card")
    cls: type[Card] = CARDS.get(read.text("kind"), OtherCard)
    known = {each.alias for each in attrs.fields(cls)}
    given = {key: each for key, each in read.json.items() if key in known}
    if issubclass(cls, GenericCard) and type(given.get("content")) is not str:
        given["content"] = [block_from_json(each) for each in read.items("content")]
    try:
        made: Card = cls(**given)
    except (TypeError, ValueError) as error:
        raise RecordError(f"the record of a card can't be read: {error}") from error
    return made


def block_from_json(json: JSON) -> Content:
    """The content block that was written; keys that aren't known are passed over.

    Raises:
        RecordError: it is none; says what is missing or wrong.
    """
    read = _Reader.of(json, "a content block")
    cls = _BLOCKS.get(read.text("type"))
    if cls is None:
        read.refuse("type", f"is none of {', '.join(_BLOCKS)}")
    needed = {
        each.name
        for each in attrs.fields(cls)
        if each.default is attrs.NOTHING or read.json.get(each.name) is not None
    }
    return cls(**{name: read.text(name) for name in needed})


@attrs.frozen
class _Reader:
    """Reads the keys of one logged object.

    Attributes:
        json: the object.
        what: what it should be, for messages.
        limits: what one value in it may have.
    """

    json: Mapping[str, JSON]
    what: str
    limits: Limits

    @classmethod
    def of(cls, json: JSON, what: str, limits: Limits = DEFAULT_LIMITS) -> "_Reader":
        if type(json) is not dict:
            raise RecordError(f"the record of {what} must be an object")
        return cls(json, what, limits)

    def refuse(self, key: str, reason: str) -> NoReturn:
        raise RecordError(f"the record of {self.what} can't be read: {key!r} {reason}")

    def checked(self, key: str, value: Any, kind: type, expected: str) -> Any:
        if type(value) is not kind:
            self.refuse(key, f"must be {expected}, not {type(value).__name__}")
        return value

    def found(self, key: str, default: Any = _REQUIRED) -> Any:
        if key not in self.json and default is _REQUIRED:
            self.refuse(key, "is missing")
        value = self.json.get(key)
        return default if value is None and default is not _REQUIRED else value

    def text(self, key: str) -> str:
        return str(self.checked(key, self.found(key), str, "text"))

    def flag(self, key: str, *, default: bool) -> bool:
        return bool(self.checked(key, self.found(key, default), bool, "true or false"))

    def items(self, key: str) -> list[JSON]:
        return list(self.checked(key, self.found(key, []), list, "a list"))

    def value(self, key: str, *, default: Any = _REQUIRED) -> Snapshot:
        return self.taken(key, self.found(key, default))

    def taken(self, key: str, value: JSON) -> Snapshot:
        try:
            return Snapshot.of(value, self.limits)
        except NotJSONError as error:
            raise RecordError(
                f"the record of {self.what} can't be read: {key!r} isn't JSON: {error}"
            ) from error

    def code(self) -> Code:
        name = self.text("code")
        if name not in set(Code):
            self.refuse("code", "is none that this version knows")
        return Code(name)
