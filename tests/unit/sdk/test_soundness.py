"""Whatever a schema accepts, the type checker lets a program pass."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from pegboard.formats import mcp
from pegboard.testing.samples import samples
from pegboard.tools import Tool
from pegboard_checked import Checker, call_of, sdk_of, tool_of
from pegboard_house import searched
from pegboard_schemas import Call, calls

SLOW = settings(max_examples=searched(thorough=150, short=30), suppress_health_check=[*HealthCheck])


@SLOW
@given(calls(most=5))
def test_arguments_that_a_schema_accepts_pass_the_checker(sandbox: Checker, call: Call) -> None:
    sdk = sdk_of(f=tool_of(schema=call.schema)).text

    lines = [call_of("f", each, sdk) for each in call.arguments]

    assert sandbox.remarks(*lines, sdk=sdk) == [], (call.schema, lines, sdk)


@SLOW
@given(calls(most=0))
def test_every_sdk_is_right_as_a_stub_and_as_a_program(sandbox: Checker, call: Call) -> None:
    tool = tool_of(schema=call.schema, gives={**call.schema, "description": "Given."})

    sdk = sdk_of(**{"f": tool, "f-g": tool, "f_g": tool})

    assert sandbox.passes(sdk.text)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"type": "string"}, "1"),
    ({"type": "integer"}, "'1'"),
    ({"type": "integer"}, "1.5"),
    ({"type": "number"}, "'1'"),
    ({"type": "boolean"}, "1"),
    ({"type": "null"}, "0"),
    ({"type": ["string", "null"]}, "1"),
    ({"enum": ["a", "b"]}, "'c'"),
    ({"const": True}, "1"),
    ({"type": "array", "items": {"type": "string"}}, "[1]"),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, "{'a': 'b'}"),
    ({"type": "object", "properties": {"a": {"type": "integer"}}}, "{'a': 'b'}"),
    ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, "{}"),
    ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, "{'b': 1}"),
    ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, "[1]"),
]


@pytest.mark.parametrize(("schema", "value"), WRONG)
def test_a_value_of_another_type_is_refused(schema: Any, value: str, sandbox: Checker) -> None:
    root = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    odd = {**root, "properties": {"x": schema, "a-b": {}}}

    sdk = sdk_of(f=tool_of(schema=root), g=tool_of(schema=odd)).text

    assert sandbox.remarks(f"await f(x={value})", sdk=sdk) != []
    assert sandbox.remarks(f"await g({{'x': {value}}})", sdk=sdk) != []


@pytest.mark.parametrize("call", ["f()", "f(x='a', y=1)", "g({})", "g({'x': 'a', 'y': 1})"])
def test_an_absent_argument_and_an_undeclared_one_are_refused(call: str, sandbox: Checker) -> None:
    root = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    odd = {**root, "properties": {"x": {"type": "string"}, "a-b": {}}}

    sdk = sdk_of(f=tool_of(schema=root), g=tool_of(schema=odd)).text

    assert sandbox.remarks(f"await {call}", sdk=sdk) != []


def test_what_a_tool_gives_is_known(sandbox: Checker) -> None:
    gives = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    sdk = sdk_of(f=tool_of(gives=gives)).text

    assert sandbox.remarks("x = await f()", "x['n'] + 1", sdk=sdk) == []
    assert sandbox.remarks("x = await f()", "x['n'] + 'a'", sdk=sdk) != []
    assert sandbox.remarks("x = await f()", "x['m']", sdk=sdk) != []


@pytest.fixture(scope="session")
def real_tools(shared_definitions: Path) -> dict[str, dict[str, Tool]]:
    """The tools of each file of real definitions, by name."""
    return {each.stem: dict(_tools_of(each)) for each in sorted(shared_definitions.glob("*.json"))}


def _tools_of(path: Path) -> list[tuple[str, Tool]]:
    listed = json.loads(path.read_text(encoding="utf-8"))
    given = listed["tools"] if isinstance(listed, dict) else listed
    shown = [{"inputSchema": each.get("input_schema"), **each} for each in given]
    return [(each["name"], Tool(**mcp.tool_fields(each), run=print)) for each in shown]


@pytest.mark.shared
def test_the_sdk_of_real_servers_compiles_and_type_checks(
    real_tools: dict[str, dict[str, Tool]], sandbox: Checker
) -> None:
    assert len(real_tools) == 6
    assert all(sandbox.passes(sdk_of(**tools).text) for tools in real_tools.values())


@pytest.mark.shared
def test_sample_arguments_of_every_real_tool_pass_the_checker(
    real_tools: dict[str, dict[str, Tool]], sandbox: Checker
) -> None:
    for tools in real_tools.values():
        sdk = sdk_of(**tools)
        for name, tool in tools.items():
            function = name if name in sdk.functions else f"tools[{name!r}]"
            found = samples(tool.parameters, most=20)
            lines = [call_of(function, each, sdk.declarations[name]) for each in found]
            assert lines
            assert sandbox.remarks(*lines, sdk=sdk.text) == []
