"""What a type checker knows of tools and hooks."""

from typing import assert_type

from pegboard import RunContext, Tool, ToolAnnotations, hookimpl, tool


@tool
def plain(value: str) -> str:
    """Give the value."""
    return value


@tool(name="other", timeout=2.5, annotations=ToolAnnotations(read_only=True), extra="forbid")
async def with_options(context: RunContext, value: str) -> int:
    """Give its length."""
    context.report(0.5, message="half")
    return len(value)


raw = Tool(
    name="raw",
    description="As it comes.",
    parameters={"type": "object"},
    run=lambda arguments, context: arguments,
)


def both_forms_make_a_tool() -> None:
    assert_type(plain.name, str)
    assert_type(with_options.name, str)
    both: list[Tool] = [plain, with_options, raw]
    assert both


@hookimpl
def pegboard_tools() -> list[Tool]:
    """The decorator keeps the signature."""
    return [plain]


def a_hook_implementation_stays_a_function() -> None:
    assert_type(pegboard_tools(), list[Tool])


@tool(extra="keep-some")  # type: ignore[call-overload, untyped-decorator]
def misspelt(value: str) -> str:
    """An option that doesn't exist is found before the program runs."""
    return value
