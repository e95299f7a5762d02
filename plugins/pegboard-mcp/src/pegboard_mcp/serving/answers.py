"""Results of `tools/call` as they go to a client."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from mcp_types import InputRequest, InputRequiredResult
from pegboard import JSON, Outcome
from pegboard.formats.mcp import results

Result: TypeAlias = dict[str, Any]
_DEEPEST = 150


def result_of(outcome: Outcome, *, modern: bool, promises_value: bool) -> Result:
    """The result of a call that has ended.

    Where a policy hides a value that clients were promised, the content is that of an error: a
    client would refuse a success without the value.

    Args:
        outcome: how it has ended.
        modern: whether the client takes values that aren't objects.
        promises_value: whether the tool was listed with an output schema.
    """
    [found] = results([outcome], any_output=modern)
    if promises_value and not outcome.is_error and "structuredContent" not in found:
        found["isError"] = True
    if not _is_flat(found.get("structuredContent")):
        return failed(f"the value has more than {_DEEPEST} levels, which few clients can read")
    return {**found, "resultType": "complete"}


def failed(message: str) -> Result:
    """The result of a call that has failed outside of the board."""
    content = [{"type": "text", "text": f"Error: {message}"}]
    return {"content": content, "isError": True, "resultType": "complete"}


def input_required(requests: Mapping[str, InputRequest], state: str) -> Result:
    """The result of a call that goes on once its client has answered."""
    result = InputRequiredResult(input_requests=dict(requests), request_state=state)
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def _is_flat(value: JSON) -> bool:
    """Whether a value has so few levels that every client can read it."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            child
            for each in level
            if isinstance(each, (dict, list))
            for child in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False
