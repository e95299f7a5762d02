"""MCP's messages: tools, `tools/call` requests and their results."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pegboard.annotations import ToolAnnotations
from pegboard.errors import InvalidToolError, MessageError
from pegboard.formats._board import Board, Loss
from pegboard.formats._content import content_of, contexts_of
from pegboard.formats._message import items, kind, member, plain, text, unreadable
from pegboard.formats._others import all_of
from pegboard.formats._present import Presented, as_the_tool_takes_them, losses_of, presented
from pegboard.formats._schema import types_of
from pegboard.outcomes import Outcome, Success, ToolCall
from pegboard.tools.model import Output
from pegboard.values import JSON, Audio, Content, Image, Resource, Text

_HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
_SAYS = frozenset({"annotations", "further fields", "output schema", "title"})


def definitions(board: Board, *, any_output: bool = False) -> list[dict[str, JSON]]:
    """The board's tools as `tools/list` lists them.

    Args:
        board: whose tools.
        any_output: show output schemas of values that aren't objects too, which clients of a
            protocol before 2026-07-28 refuse together with the whole list.
    """
    tools = [each for each in presented(board) if each.shown.schema is not None]
    return [_definition(each, any_output=any_output) for each in tools]


def calls(message: Any, board: Board | None = None) -> list[ToolCall]:
    """The calls of a `tools/call` request, of its parameters, or of a list of requests.

    Args:
        message: a dict or list, or objects that can dump themselves.
        board: whose definitions the client was shown; this shape changes nothing of them.

    Raises:
        MessageError: it can't be read; says what is missing.
    """
    sent = plain(message)
    return as_the_tool_takes_them(all_of(_calls(sent), sent, "mcp"), board)


def results(outcomes: Iterable[Outcome], *, any_output: bool = False) -> list[dict[str, JSON]]:
    """The result of every call, in order; contexts are the last texts of the last result.

    Args:
        outcomes: what the calls gave.
        any_output: give values that aren't objects as structured content too, for clients of
            protocol 2026-07-28 or later.
    """
    taken = list(outcomes)
    found = [_result(each, any_output=any_output) for each in taken]
    if found:
        found[-1]["content"] += [{"type": "text", "text": each} for each in contexts_of(taken)]
    return found


def losses(board: Board, *, any_output: bool = False) -> tuple[Loss, ...]:
    """What this shape can't say of the board's tools."""
    tools = presented(board)
    unsaid = [
        Loss(each.definition.name, "output schema: its values aren't objects")
        for each in tools
        if not any_output and not _is_of_objects(_output_schema(each))
    ]
    return (*losses_of(tools, says=_SAYS, results=()), *unsaid)


def tool_fields(mcp_tool: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for a `Tool` that `definitions` shows as this definition again.

    Args:
        mcp_tool: a tool as `tools/list` lists it; nothing of it is lost.

    Raises:
        InvalidToolError: it has no name, or no object as input schema.
    """
    name, schema = mcp_tool.get("name"), mcp_tool.get("inputSchema")
    if not isinstance(name, str):
        raise InvalidToolError("an MCP tool has no 'name'")
    if not isinstance(schema, dict):
        raise InvalidToolError(f"MCP tool {name!a} has no 'inputSchema' that is an object")
    said = {key: mcp_tool[key] for key in mcp_tool if _is_ours(key, mcp_tool[key])}
    hints = _hints(said.get("annotations", {}))
    further = {key: each for key, each in mcp_tool.items() if key not in said}
    unknown = {k: v for k, v in said.get("annotations", {}).items() if k not in hints}
    if "annotations" in said and (unknown or not hints):
        further["annotations"] = unknown
    return {
        "name": name,
        "description": said.get("description", ""),
        "parameters": schema,
        "title": said.get("title"),
        "annotations": ToolAnnotations(**{_HINTS[k]: v for k, v in hints.items()})
        if hints
        else None,
        "output": Output(schema=said["outputSchema"]) if "outputSchema" in said else None,
        "passthrough": further,
    }


def _is_ours(key: str, value: Any) -> bool:
    """Whether a `Tool` has a field for it; what has none is passed through."""
    match key:
        case "name" | "inputSchema":
            return True
        case "title":
            return isinstance(value, str)
        case "description":
            return isinstance(value, str) and value != ""
        case "annotations" | "outputSchema":
            return isinstance(value, dict)
        case _:
            return False


def _hints(annotations: Mapping[str, Any]) -> dict[str, bool]:
    return {
        key: each for key, each in annotations.items() if key in _HINTS and isinstance(each, bool)
    }


def _definition(tool: Presented, *, any_output: bool) -> dict[str, JSON]:
    further = {} if tool.tool is None else tool.tool.passthrough
    annotations = {**further.pop("annotations", {}), **_said_hints(tool)}
    has_annotations = annotations or (tool.tool and "annotations" in tool.tool.passthrough)
    found: dict[str, JSON] = {"name": tool.definition.name}
    if tool.tool is not None and tool.tool.title is not None:
        found["title"] = tool.tool.title
    if tool.definition.description:
        found["description"] = tool.definition.description
    found["inputSchema"] = tool.shown.schema
    output = _output_schema(tool)
    if output is not None and (any_output or _is_of_objects(output)):
        found["outputSchema"] = output
    if has_annotations:
        found["annotations"] = annotations
    return {**found, **{key: each for key, each in further.items() if key not in found}}


def _said_hints(tool: Presented) -> dict[str, bool]:
    own = None if tool.tool is None else tool.tool.annotations
    hints = {key: getattr(own, field, None) for key, field in _HINTS.items()}
    return {key: each for key, each in hints.items() if each is not None}


def _output_schema(tool: Presented) -> JSON:
    return None if tool.tool is None else tool.tool.output.schema


def _is_of_objects(schema: JSON) -> bool:
    return schema is None or (isinstance(schema, dict) and types_of(schema) == ("object",))


def _calls(message: JSON) -> list[ToolCall]:
    if isinstance(message, (list, tuple)):
        return [
            call
            for where, each in items(message, what="requests")
            for call in _of_request(each, f"{where}.")
        ]
    if isinstance(message, dict) and message.keys() & {"method", "name"}:
        return list(_of_request(message, ""))
    raise unreadable(message, expected="a 'tools/call' request, its parameters, or a list of them")


def _of_request(message: dict[str, Any], where: str) -> Iterator[ToolCall]:
    params: JSON = message
    if "method" not in message and "type" in message:
        raise unreadable(message, expected="a 'tools/call' request or its parameters")
    if "method" in message:
        if message["method"] != "tools/call":
            return
        params = member(message, "params")
        if not isinstance(params, dict):
            raise MessageError(f"{where}request has no 'params'")
    yield ToolCall(
        id=_id_of(message, where),
        name=text(params, "name", where=f"{where}params"),
        arguments=member(params, "arguments"),
    )


def _id_of(message: dict[str, Any], where: str) -> str:
    match message.get("id"):
        case None:
            return f"pegboard-{uuid.uuid4().hex}"
        case bool() as own:
            raise MessageError(f"{where}id is {kind(own)}")
        case str() | int() as own:
            return str(own)
        case own:
            raise MessageError(f"{where}id is {kind(own)}")


def _result(outcome: Outcome, *, any_output: bool) -> dict[str, JSON]:
    found: dict[str, JSON] = {"content": [_block(each) for each in content_of(outcome)]}
    if isinstance(outcome, Success) and not outcome.hides_value:
        value = outcome.value
        if any_output or isinstance(value, dict):
            found["structuredContent"] = value
    return {**found, "isError": outcome.is_error}


def _block(block: Content) -> dict[str, JSON]:
    match block:
        case Text(text=words):
            return {"type": "text", "text": words}
        case Image(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type}
        case Audio(data=data, mime_type=mime_type):
            return {"type": "audio", "data": data, "mimeType": mime_type}
        case Resource():
            return _resource(block)


def _resource(block: Resource) -> dict[str, JSON]:
    found: dict[str, JSON] = {"uri": block.uri}
    if block.mime_type is not None:
        found["mimeType"] = block.mime_type
    if block.text is not None:
        return {"type": "resource", "resource": {**found, "text": block.text}}
    if block.data is not None:
        return {"type": "resource", "resource": {**found, "blob": block.data}}
    name = block.uri.rstrip("/").rpartition("/")[2] or block.uri
    return {"type": "resource_link", **found, "name": name}
