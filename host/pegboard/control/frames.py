"""Requests and answers as lines of JSON."""

from typing import Any

import attrs

from pegboard.control.bounds import PROTOCOL, Bounds
from pegboard.errors import ControlError, NotJSONError, PegboardError, did_you_mean, near_names
from pegboard.values import JSON, Limits, decode_text, encode
from pegboard.values.codec import encode_exact

_KEYS = ("protocol", "id", "method", "params")
_MARKS = (b",", b":", b"[", b"{")
_LONGEST_NAME = 64


@attrs.frozen
class Request:
    """What a peer asks for.

    Attributes:
        id: given back in the answer.
        method: its name.
        params: by name.
    """

    id: int | str
    method: str
    params: dict[str, JSON]


def read_frame(line: bytes, bounds: Bounds, limits: Limits) -> dict[str, JSON]:
    """The object that a line from outside holds.

    Args:
        line: without its end.
        bounds: what a request may take.
        limits: what a JSON value of this host may have.

    Raises:
        ControlError: it is none, or more than a request may be.
    """
    parts = sum(map(line.count, _MARKS))
    if parts > bounds.parts:
        message = f"a request has at most {bounds.parts} keys, values and brackets"
        raise ControlError(message, kind="too_large")
    try:
        value = decode_text(line.decode(), limits)
    except UnicodeDecodeError:
        raise ControlError("the request isn't UTF-8", kind="invalid_request") from None
    except NotJSONError as error:
        raise ControlError(f"the request isn't JSON: {error}", kind="invalid_request") from None
    if type(value) is not dict:
        kind = type(value).__name__
        raise ControlError(f"a request is an object, not {kind}", kind="invalid_request")
    return value


def id_of(frame: dict[str, JSON]) -> int | str | None:
    """The id of a request; None where it has none that can be one."""
    found = frame.get("id")
    return found if type(found) in (int, str) else None


def read_request(frame: dict[str, JSON]) -> Request:
    """What a frame asks for.

    Raises:
        ControlError: it isn't a request of this protocol; says what is wrong with it.
    """
    protocol = frame.get("protocol")
    if type(protocol) is int and protocol != PROTOCOL:
        message = f"this host speaks protocol {PROTOCOL}, and the request is of another"
        raise ControlError(message, kind="wrong_protocol")
    if protocol is None or type(protocol) is not int:
        raise _wrong(f"protocol must be {PROTOCOL}")
    check_keys(frame, _KEYS, "the request")
    request_id, method, params = id_of(frame), frame.get("method"), frame.get("params", {})
    if request_id is None:
        raise _wrong("id must be text or a whole number")
    if type(method) is not str:
        raise _wrong("method must be text")
    if type(params) is not dict:
        raise _wrong("params must be an object")
    return Request(request_id, method, params)


def check_keys(table: dict[str, JSON], known: tuple[str, ...], what: str) -> None:
    """Refuse a table with another key.

    Raises:
        ControlError: names the key, and the nearest right one.
    """
    for key in table:
        if key not in known:
            raise _wrong(f"{what} has no {shown(key)}{near(key, known)}")


def near(name: str, known: tuple[str, ...]) -> str:
    """The end of a message that offers near names; nothing where the name is none at all."""
    return did_you_mean(near_names(name, known)) if len(name) <= _LONGEST_NAME else ""


def shown(name: str) -> str:
    """A name from outside, short enough to be said."""
    return ascii(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}...")


def answer_line(request_id: int | str | None, result: JSON, bounds: Bounds) -> bytes:
    """The line of an answer.

    Raises:
        ControlError: it would be too long.
    """
    limits = Limits(max_depth=512, max_nodes=bounds.answer, max_bytes=bounds.answer)
    frame = {"protocol": PROTOCOL, "id": request_id, "result": result}
    try:
        return encode_exact(frame, limits) or encode(legible(frame), limits)
    except NotJSONError as error:
        raise ControlError(f"the answer can't be sent: {error}", kind="too_large") from None


def error_line(request_id: int | str | None, error: PegboardError) -> bytes:
    """The line of an answer that says why there is none."""
    kind = error.kind if isinstance(error, ControlError) else type(error).__name__
    told = {"kind": kind, "message": str(error)}
    return encode(legible({"protocol": PROTOCOL, "id": request_id, "error": told}))


def legible(value: Any) -> Any:
    """The same with what no JSON text can hold, such as half a surrogate pair, escaped."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {legible(key): legible(each) for key, each in value.items()}
    return [legible(each) for each in value] if isinstance(value, list) else value


def _wrong(message: str) -> ControlError:
    return ControlError(message, kind="invalid_request")
