"""A tool as the operator wants it."""

from typing import Any

import pytest
from pegboard import Config, Tool, ToolAnnotations, ToolConfig
from pegboard.registry import PROGRAM, Entry, Generation, tool_entry


def tool_of(**options: Any) -> Tool:
    """A tool made by hand."""
    return Tool(name="t", description="Do it.", parameters={"type": "object"}, run=print, **options)


def entry_of(tool: Tool, *, name: str | None = None, **config: Any) -> Entry:
    """The tool as a contribution under a configuration."""
    generation = Generation(PROGRAM)
    return tool_entry(tool, generation, config=Config(**config), layer="here", name=name)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"tools": {"u": ToolConfig(timeout=1), "t?": ToolConfig(description="No.")}},
        {"default_timeout": 3},
        {"tools": {"t": ToolConfig(timeout=9, max_running=1)}},
    ],
)
def test_a_tool_stays_the_very_same_where_nothing_that_is_said_applies(config: Any) -> None:
    tool = tool_of(timeout=1.0)

    assert entry_of(tool, **config).tool is tool


def test_the_limit_of_a_tool_is_its_own_then_that_of_its_table_then_the_default() -> None:
    said = {"tools": {"t": ToolConfig(timeout=2)}, "default_timeout": 3.0}

    limits = [
        entry_of(tool_of(timeout=1.0), **said).tool.timeout,
        entry_of(tool_of(), **said).tool.timeout,
        entry_of(tool_of(), name="u", **said).tool.timeout,
    ]

    assert limits == [1.0, 2, 3.0]


def test_what_an_operator_says_beats_what_an_author_says() -> None:
    author = tool_of(
        concurrency_safe=lambda arguments: "key", annotations=ToolAnnotations(destructive=True)
    )
    said = ToolConfig(
        concurrency_safe=False, annotations=ToolAnnotations(destructive=False, idempotent=True)
    )

    found = entry_of(author, tools={"*": said}).tool

    assert found.concurrency_safe is False
    assert found.annotations == ToolAnnotations(destructive=False, idempotent=True)


def test_definition_and_digest_follow_what_the_operator_says() -> None:
    plain = entry_of(tool_of())
    described = entry_of(tool_of(), tools={"t": ToolConfig(description="Do it now.")})
    hinted = entry_of(
        tool_of(), tools={"t": ToolConfig(annotations=ToolAnnotations(read_only=True))}
    )
    limited = entry_of(tool_of(), tools={"t": ToolConfig(timeout=1, max_running=3)})

    assert described.definition.description == "Do it now."
    assert len({plain.digest, described.digest, hinted.digest}) == 3
    assert limited.digest == plain.digest


def test_how_many_calls_may_run_is_kept_with_the_tool() -> None:
    assert entry_of(tool_of()).max_running is None
    assert entry_of(tool_of(), tools={"*": ToolConfig(max_running=3)}).max_running == 3


def test_a_tool_is_meant_by_the_name_that_models_see() -> None:
    tools = {"t": ToolConfig(timeout=1), "web_t": ToolConfig(timeout=2)}

    assert entry_of(tool_of(), name="web_t", tools=tools).tool.timeout == 2
