"""The smallest plugin: one tool that gives back what it gets."""

from pegboard import Tool, ToolAnnotations, hookimpl, tool

__all__ = ["echo", "pegboard_tools"]


@tool(
    title="Echo",
    concurrency_safe=True,
    annotations=ToolAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=False
    ),
)
async def echo(value: str) -> str:
    """Echo one value.

    Args:
        value: What to echo.
    """
    return value


@hookimpl
def pegboard_tools() -> list[Tool]:
    """The tools of this plugin."""
    return [echo]
