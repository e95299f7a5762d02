"""JSON text in and out, exact in both directions: every integer, every float, no repeated key."""

import functools
import itertools
import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any

import attrs
import orjson

from pegboard.errors import NotJSONError
from pegboard.values.checks import find_fault, is_exact, is_flat, show_path
from pegboard.values.limits import DEFAULT_LIMITS, MAX_DIGITS, Limits
from pegboard.values.stack import run_deep

_STRICT = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKETS = re.compile(rb"[][{}]")
_STEPS = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


def encode(value: Any, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The JSON text of a Python value, which must be lossless JSON.

    Raises:
        NotJSONError: it isn't, or it is larger than the limits; says what and where.
    """
    if not is_flat(value, limits):
        _check(value, limits)
    try:
        text = orjson.dumps(value, option=_STRICT)
    except TypeError:
        text = _encode_slowly(value, limits)
    if len(text) > limits.max_bytes:
        raise NotJSONError(limits.longer(len(text)), is_too_much=True)
    return text


def encode_exact(value: Any, limits: Limits) -> bytes | None:
    """The same for what holds nothing but JSON's exact types and finite floats, without a walk.

    Returns:
        the text, which takes no more memory than it has to; None where only `encode` can tell.
    """
    try:
        text = orjson.dumps(value, option=_STRICT)
    except TypeError:
        return None
    is_small = len(text) <= limits.max_nodes and len(text) <= limits.max_bytes
    return bytes(memoryview(text)) if is_small else None


def decode(text: bytes) -> Any:
    """The value of JSON text that `encode` wrote: a fresh one at each call."""
    try:
        return _decoder()(text)
    except RecursionError:
        return run_deep(_decoder(), text)


def decode_text(text: str, limits: Limits = DEFAULT_LIMITS) -> Any:
    """The value of JSON text from outside, exact.

    Raises:
        NotJSONError: it isn't JSON, repeats a key, holds a number that can't be kept exactly, or
            is larger than the limits; says what and where.
    """
    return decode_outer(text, limits)[0]


def decode_outer(text: str, limits: Limits) -> tuple[Any, bytes]:
    """The same, and the text itself in UTF-8."""
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        raise NotJSONError("text with a lone surrogate isn't JSON") from None
    if len(raw) > limits.max_bytes:
        raise NotJSONError(limits.longer(len(raw)), is_too_much=True)
    if raw.count(b"[") + raw.count(b"{") > limits.max_depth:
        _check_depth(raw, limits)
    try:
        value = decode(raw)
    except ValueError as error:
        raise _text_fault(raw, limits) from error
    colons = raw.count(b":")
    has_all = type(value) is dict and len(value) == colons
    if not has_all and colons != _count_keys(value):
        _refuse_repeated_keys(raw)
    if len(raw) > limits.max_nodes:
        _check(value, limits)
    return value, raw


def sorted_text(value: Any) -> bytes:
    """The JSON text of a value with its keys in order, for digests."""
    try:
        return orjson.dumps(value, option=_STRICT | orjson.OPT_SORT_KEYS)
    except TypeError:
        return _encode_slowly(value, DEFAULT_LIMITS, is_sorted=True)


def _check(value: Any, limits: Limits) -> None:
    if not is_exact(value, limits):
        fault = find_fault(value, limits)
        if fault is not None:
            raise fault


@functools.cache
def _decoder() -> Callable[[bytes], Any]:
    import msgspec  # late: it costs more than all the rest of floor 0, and listing needs none of it

    return msgspec.json.Decoder().decode


def _encode_slowly(value: Any, limits: Limits, *, is_sorted: bool = False) -> bytes:
    """What orjson can't write: integers beyond 64 bits, and more than 254 levels."""
    fault = find_fault(value, limits)
    if fault:
        raise fault
    chunks: list[bytes] = []
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if type(item) is _Chunk:
            chunks.append(item.text)
        elif type(item) is dict:
            stack.extend(reversed(_parts_of_object(item, is_sorted=is_sorted)))
        elif type(item) is list:
            stack.extend(reversed(_parts_of_list(item)))
        else:
            chunks.append(str(item).encode() if type(item) is int else orjson.dumps(item))
    return b"".join(chunks)


@attrs.frozen
class _Chunk:
    text: bytes


def _parts_of_object(item: dict[str, Any], *, is_sorted: bool) -> list[Any]:
    parts: list[Any] = []
    for key in sorted(item) if is_sorted else item:
        parts += [_Chunk(b","), _Chunk(orjson.dumps(key) + b":"), item[key]]
    return [_Chunk(b"{"), *parts[1:], _Chunk(b"}")]


def _parts_of_list(item: list[Any]) -> list[Any]:
    parts: list[Any] = []
    for each in item:
        parts += [_Chunk(b","), each]
    return [_Chunk(b"["), *parts[1:], _Chunk(b"]")]


def _check_depth(raw: bytes, limits: Limits) -> None:
    brackets = (found.group() for found in _BRACKETS.finditer(_STRINGS.sub(b"", raw)))
    for depth in itertools.accumulate(map(_STEPS.__getitem__, brackets)):
        if depth > limits.max_depth:
            raise NotJSONError(limits.deeper(), is_too_much=True)


def _count_keys(value: Any) -> int:
    count, level = 0, [value]
    while level:
        below: list[Any] = []
        for item in level:
            values = item
            if type(item) is dict:
                count += len(item)
                values = item.values()
            elif type(item) is not list:
                continue
            below.extend(each for each in values if type(each) is dict or type(each) is list)
        level = below
    return count


@attrs.frozen
class _Refused:
    """What stands where a text holds something that isn't lossless JSON."""

    reason: str


def _refuse_repeated_keys(raw: bytes) -> None:
    """Read the text again in a way that keeps every pair; colons inside strings end here too."""
    fault = _first_refused(_read_slowly(raw, json.JSONDecoder(object_pairs_hook=_pairs)))
    if fault:
        raise fault


def _first_refused(value: Any) -> NotJSONError | None:
    level: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while level:
        path, item = level.pop()
        if type(item) is _Refused:
            return NotJSONError(item.reason, path=show_path(path))
        pairs: Any = ()
        if type(item) is dict:
            pairs = item.items()
        elif type(item) is list:
            pairs = enumerate(item)
        level.extend(((*path, key), each) for key, each in reversed(list(pairs)))
    return None


def _read_slowly(raw: bytes, decoder: json.JSONDecoder) -> Any:
    def run(text: bytes) -> Any:
        return decoder.decode(text.decode())

    return run_deep(run, raw)


def _pairs(pairs: list[tuple[str, Any]]) -> Any:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Refused(f"the key {key!a:.80} is repeated")
        seen.add(key)
    return found


def _constant(name: str) -> Any:
    return _Refused(f"{name} isn't JSON")


def _integer(text: str) -> Any:
    if len(text.removeprefix("-")) > MAX_DIGITS:
        return _Refused(f"an integer of more than {MAX_DIGITS} digits")
    return int(text)


def _number(text: str) -> Any:
    found = float(text)
    return found if isfinite(found) else _Refused("a number out of range isn't JSON")


def _text_fault(raw: bytes, limits: Limits) -> NotJSONError:
    """What is wrong with text that msgspec refused, in words that show none of it."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_pairs,
        parse_constant=_constant,
        parse_int=_integer,
        parse_float=_number,
    )
    try:
        value = _read_slowly(raw, decoder)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        return NotJSONError(
            f"the text isn't JSON: {error.msg.lower().removesuffix(' at')} at {place}"
        )
    fault = _first_refused(value) or find_fault(value, limits)
    return fault or NotJSONError("the text isn't lossless JSON")
