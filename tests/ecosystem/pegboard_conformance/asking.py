"""What the client is asked, and its answers."""

from typing import Any

import mcp_types as t
from pegboard import ToolError
from pegboard_mcp import InputRequired, McpClient, calling_client


def client() -> McpClient:
    """The client that called."""
    found = calling_client()
    if found is None:
        raise ToolError("only an MCP client can call this tool")
    return found


def answer_to(**requests: Any) -> Any:
    """The client's answer to one request, which is asked for where it isn't there."""
    (key,) = requests
    responses = client().responses
    if key not in responses:
        raise InputRequired(requests)
    return responses[key]


def elicit(message: str, **properties: Any) -> t.ElicitRequest:
    """A request for a form with these fields, all required."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return t.ElicitRequest(
        params=t.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def sample(prompt: str, *, max_tokens: int = 100) -> t.CreateMessageRequest:
    """A request for what the client's model answers."""
    said = t.SamplingMessage(role="user", content=t.TextContent(type="text", text=prompt))
    return t.CreateMessageRequest(
        params=t.CreateMessageRequestParams(messages=[said], max_tokens=max_tokens)
    )


def shown(answer: t.ElicitResult) -> str:
    """A form as it came back, in words."""
    return f"action={answer.action}, content={answer.content}"


NAME = elicit("What is your name?", name={"type": "string"})
CONFIRM = elicit("Please confirm", ok={"type": "boolean"})
CAPITAL = "What is the capital of France?"
