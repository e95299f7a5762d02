"""Messages of a line, and the errors that answer lines that are none."""

import json
import re
from typing import Any, TypeAlias

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    RequestId,
    jsonrpc_message_adapter,
)
from mcp_types.jsonrpc import JSONRPCMessage

LONGEST_LINE = 16 * 2**20
_LONGEST_NUMBER = 4000
_HEAD = re.compile(
    r'\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*'
    r'\s*"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")\s*[,}]'
)
Read: TypeAlias = JSONRPCMessage | None


def read(line: str) -> tuple[Read, JSONRPCError | None]:
    """The message of a line, or else the error that answers it; neither where nobody waits."""
    if not line.strip():
        return None, None
    try:
        message: Read = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None, _refusal(line)
    if isinstance(message, JSONRPCNotification) and '"id"' in line and _has_wrong_id(line):
        return None, _error(None, INVALID_REQUEST, "the id is neither text nor a whole number")
    return message, None


def _has_wrong_id(line: str) -> bool:
    try:
        return "id" in json.loads(line)
    except (ValueError, RecursionError):
        return False


def _refusal(line: str) -> JSONRPCError | None:
    if len(line) >= LONGEST_LINE:
        return _error(_id_of_head(line), PARSE_ERROR, f"a line has {LONGEST_LINE} bytes at most")
    try:
        found: Any = json.loads(line, parse_int=_number)
    except (ValueError, RecursionError):
        return _error(_id_of_head(line), PARSE_ERROR, "the line isn't JSON that can be read")
    if not isinstance(found, dict):
        return _error(None, INVALID_REQUEST, "a line is one message, which is an object")
    return _answer(found)


def _answer(found: dict[str, Any]) -> JSONRPCError | None:
    """The error for an object that is no message; none for what is an answer or a notification."""
    if "method" not in found and ("result" in found or "error" in found):
        return None
    own, method = found.get("id"), found.get("method")
    if not _is_id(own):
        is_told = isinstance(method, str) and "id" not in found
        return None if is_told else _error(None, INVALID_REQUEST, "a request has an id")
    if found.get("jsonrpc") != "2.0" or not isinstance(method, str):
        return _error(own, INVALID_REQUEST, "it isn't a request of JSON-RPC 2.0")
    if not isinstance(found.get("params"), dict | None):
        return _error(own, INVALID_PARAMS, "params are an object")
    return _error(own, PARSE_ERROR, "a text or a number in it can't be read, or it goes too deep")


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return value.isprintable()
    return type(value) is int


def _number(digits: str) -> int:
    return int(digits) if len(digits) < _LONGEST_NUMBER else 0


def _id_of_head(line: str) -> RequestId | None:
    """The id of a request that can't be read, where it stands at the beginning."""
    found = _HEAD.match(line)
    own: Any = None if found is None else json.loads(found[1])
    return own if _is_id(own) else None


def _error(own: RequestId | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=own, error=ErrorData(code=code, message=message))
