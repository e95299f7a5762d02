"""What a model reads of a failure: the kind of fault and its place, never a value."""

import re

from pegboard.errors import did_you_mean, near_names
from pegboard.outcomes import Code, Failure
from pegboard.values import JSON, Content, Text

_LONGEST = 20_000
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def describe(error: BaseException) -> str:
    """The text of an exception, never empty: its type's name where it has none."""
    leaf = error
    while isinstance(leaf, BaseExceptionGroup) and leaf.exceptions:
        leaf = leaf.exceptions[0]
    name = type(leaf).__name__
    if isinstance(leaf, BaseExceptionGroup):
        return name
    try:
        text = str(leaf).strip()
    except BaseException:  # noqa: BLE001 - text of a plugin's exception is a plugin's code
        return name
    text = text.encode(errors="replace").decode()
    if isinstance(leaf, KeyError):
        return f"KeyError: {text}"
    return text or name


def failure(
    call_id: str,
    tool: str,
    code: Code,
    message: str,
    *,
    content: tuple[Content, ...] | None = None,
    details: JSON = None,
    notes: tuple[str, ...] = (),
    contexts: tuple[JSON, ...] = (),
) -> Failure:
    """A failure with the content that a model reads: `Error: ` and the message, unless given."""
    message = legible(message)
    blocks = (Text(f"Error: {message}"),) if content is None else content
    return Failure(call_id, tool, code, message, blocks, details, contexts, notes)


def legible(text: str) -> str:
    """Text as a model can read it: valid, without control characters, of bounded length."""
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    if not text.isprintable():
        text = _CONTROLS.sub("\ufffd", text)
    over = len(text) - _LONGEST
    return f"{text[:_LONGEST]}… ({over} characters more)" if over > 0 else text


def unknown_tool(name: str, visible: "list[str]") -> str:
    """The message for a name that isn't on the board."""
    near = did_you_mean(near_names(name, visible))
    return f"unknown tool {name[:80]!r}{near}"
