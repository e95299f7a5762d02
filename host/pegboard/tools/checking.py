"""What registration refuses of a tool, since it could not be enforced or shown."""

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from pegboard.annotations import ToolAnnotations
from pegboard.errors import InvalidToolError
from pegboard.names import check_tool_name
from pegboard.texts import hidden_character
from pegboard.tools.model import Output, Tool, Written
from pegboard.values import JSON, Snapshot

_CALLABLES = ("project", "finalize", "present_call", "present_result")
_OBJECT = b'{"type":"object"'
_LONGEST_LIMIT = 1e9
_EXTRAS = ("drop", "forbid", "keep")


def check_tool(tool: Tool, *, owner: str, name: str | None = None) -> None:
    """Refuse a tool that can't be offered.

    Args:
        tool: the tool.
        owner: who brings it, for the message.
        name: the name that models will see, where it isn't the tool's own.

    Raises:
        InvalidNameError: a name outside the rule for names.
        InvalidToolError: anything else; names tool, owner and place.
    """
    if not isinstance(tool, Tool):
        raise InvalidToolError(f"{owner} gave {type(tool).__name__} where a tool was expected")
    check_tool_name(tool.name if name is None else name, owner=owner)
    where = f"tool {tool.name!r} of {owner}"
    _check_options(tool, where)
    _check_callables(tool, where)
    _check_texts(tool, where)
    _check_parameters(tool, where)
    _check_output(tool, where)


def _refuse(where: str, what: str) -> NoReturn:
    raise InvalidToolError(f"{where}: {what}")


def _check_callables(tool: Tool, where: str) -> None:
    if tool.function is None:
        _refuse(where, "it has no body; give `run`")
    for each in _CALLABLES:
        _check_callable(getattr(tool, each), where, each)
    _check_callable(tool.function, where, "run")
    _check_callable(tool.output.render, where, "output.render")
    _check_callable(tool.output.meta, where, "output.meta")


def _check_callable(function: object, where: str, name: str) -> None:
    if function is not None and not callable(function):
        _refuse(where, f"{name} can't be called")


def _check_options(tool: Tool, where: str) -> None:
    timeout = tool.timeout
    if timeout is not None and not _is_limit(timeout):
        _refuse(where, "timeout must be a positive, finite number of seconds")
    if tool.extra not in _EXTRAS:
        _refuse(where, "extra must be 'drop', 'forbid' or 'keep'")
    safe = tool.concurrency_safe
    if not (safe is None or type(safe) is bool or callable(safe)):
        _refuse(where, "concurrency_safe must be True, False or a function")
    if tool.annotations is not None and not isinstance(tool.annotations, ToolAnnotations):
        _refuse(where, "annotations must be ToolAnnotations")
    if not isinstance(tool.output, Output):
        _refuse(where, "output must be an Output")
    if not all(isinstance(each, str) for each in tool.tags):
        _refuse(where, "tags must be text")


def _is_limit(seconds: object) -> bool:
    return type(seconds) in (int, float) and 0 < seconds <= _LONGEST_LIMIT  # type: ignore[operator]


def _check_texts(tool: Tool, where: str) -> None:
    for place in ("description", "title"):
        text = getattr(tool, place)
        if text is None and place == "title":
            continue
        if not isinstance(text, str):
            _refuse(where, f"its {place} must be text")
        _check_text(text, where, f"its {place}")
    _check_schema_texts(tool.parameters_snapshot, where, "the parameter schema")
    if tool.output.schema_snapshot is not None:
        _check_schema_texts(tool.output.schema_snapshot, where, "the output schema")


def _check_text(text: str, where: str, place: str) -> None:
    if text.isprintable():
        return
    found = hidden_character(text)
    if found is not None:
        _refuse(where, f"{place} holds the hidden character {found}")


def _check_schema_texts(schema: Snapshot, where: str, what: str) -> None:
    text = schema.text
    if text.isascii() and b"\\u" not in text and b"\x7f" not in text:
        return
    for path, each in _texts(schema.read()):
        _check_text(each, where, f"{what}, at {path},")


def _texts(value: JSON) -> Iterator[tuple[str, str]]:
    pending: list[tuple[str, JSON]] = [("$", value)]
    while pending:
        path, item = pending.pop()
        if type(item) is str:
            yield path, item
        elif type(item) is list:
            pending += ((f"{path}[{at}]", each) for at, each in enumerate(item))
        elif type(item) is dict:
            yield from ((path, key) for key in item)
            pending += ((f"{path}.{key!a}", each) for key, each in item.items())


def _check_parameters(tool: Tool, where: str) -> None:
    snapshot = tool.parameters_snapshot
    if _is_enforceable(snapshot) and snapshot.text.startswith(_OBJECT):
        return
    schema: Any = snapshot.read()
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        _refuse(where, 'the root of the parameter schema must say `"type": "object"`')
    if tool.signature is None or b'"pattern":' in snapshot.text:
        _check_schema(schema, where, "the parameter schema")


def _check_output(tool: Tool, where: str) -> None:
    snapshot = tool.output.schema_snapshot
    if snapshot is None or _is_enforceable(snapshot):
        return
    schema: Any = snapshot.read()
    if type(schema) is not dict:
        _refuse(where, "the output schema must be an object")
    _check_schema(schema, where, "the output schema")


def _is_enforceable(schema: Snapshot) -> bool:
    """Whether it was written of forms that say nothing but what can be enforced."""
    return type(schema) is Written and b'"pattern":' not in schema.text


def _check_schema(schema: JSON, where: str, what: str) -> None:
    from pegboard.tools.validation import check_schema

    reason = check_schema(schema)
    if reason is not None:
        _refuse(where, f"{what} can't be enforced: {reason}")
