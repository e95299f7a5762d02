"""Reading what a provider sent: dicts, lists, and objects that can dump themselves."""

from collections.abc import Iterator, Mapping
from typing import Any

from pegboard.errors import MessageError
from pegboard.outcomes import ToolCall
from pegboard.values import JSON


def plain(value: Any) -> JSON:
    """The value itself, or what an SDK's object dumps."""
    dump = getattr(value, "model_dump", None)
    return value if dump is None or isinstance(value, type) else dump()


def member(holder: Mapping[str, Any], *names: str) -> JSON:
    """The first of these keys that is there and not null, in either spelling, or None."""
    return next((plain(holder[name]) for name in names if holder.get(name) is not None), None)


def items(value: Any, *, what: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a list, each with its place for a message.

    Raises:
        MessageError: it isn't a list of objects.
    """
    if not isinstance(value, (list, tuple)):
        raise MessageError(f"{what} is {kind(value)} where a list is expected")
    for index, each in enumerate(value):
        item = plain(each)
        if not isinstance(item, dict):
            raise MessageError(f"{what}[{index}] is {kind(item)} where an object is expected")
        yield f"{what}[{index}]", item


def content_blocks(message: JSON) -> Iterator[tuple[str, dict[str, Any]]]:
    """The blocks of a message, of its content, or one block by itself; text holds none.

    Raises:
        MessageError: it is none of these.
    """
    if isinstance(message, dict) and "content" in message:
        message = member(message, "content") or []
    if isinstance(message, dict) and "type" in message:
        message = [message]
    if isinstance(message, str):
        return
    if not isinstance(message, (list, tuple)):
        raise unreadable(message, expected="'content', a list of blocks, or one block")
    yield from items(message, what="content")


def text(holder: Mapping[str, Any], name: str, *, where: str) -> str:
    """The text under a key.

    Raises:
        MessageError: it isn't there, or isn't text.
    """
    value = holder.get(name)
    if isinstance(value, str) and value:
        return value
    raise MessageError(f"{where} has no {name!r}" if not value else f"{where}: {name!r} isn't text")


def unreadable(message: Any, *, expected: str) -> MessageError:
    """The error for a message in no form of its provider."""
    keys = f" with the keys {sorted(map(str, message))[:8]}" if isinstance(message, dict) else ""
    return MessageError(f"{kind(message)}{keys} isn't a message; expected {expected}")


def kind(value: Any) -> str:
    """What a value is, in JSON's words."""
    names = {dict: "an object", list: "a list", str: "a text", type(None): "null"}
    return names.get(type(value), f"a {type(value).__name__}")


def the_only(found: list[list[ToolCall]], *, what: str) -> list[ToolCall]:
    """The calls of the one alternative that makes calls.

    Raises:
        MessageError: several do; which of them counts isn't ours to say.
    """
    making = [calls for calls in found if calls]
    if len(making) > 1:
        raise MessageError(f"{len(making)} {what} make calls; give the message of one")
    return making[0] if making else []
