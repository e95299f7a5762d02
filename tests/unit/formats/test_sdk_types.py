"""What is shown and given back, against the types of the providers' own packages."""

import copy
import json
import re
from typing import Any

import jsonschema_rs
import mcp_types
import pytest
from anthropic.lib._parse._transform import transform_schema
from anthropic.types import Message, MessageParam, ToolParam, ToolReferenceBlockParam
from google.genai import types as genai
from openai.lib._pydantic import _ensure_strict_json_schema
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessageParam,
)
from openai.types.responses import FunctionToolParam, Response, ResponseInputItemParam
from pegboard.formats import anthropic, gemini, mcp, openai, openai_responses
from pegboard.outcomes import Failure, Success
from pegboard.tools.model import ToolDefinition
from pegboard.values import Audio, Image, Resource, Text
from pydantic import BaseModel, ConfigDict, TypeAdapter

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
OUTCOMES = [
    Success("a", "t", {"n": 1}, content=(Text("1"), Image("AAAA", "image/png")), contexts=("x",)),
    Success("b", "t", 2, content=(Audio("AAAA", "audio/wav"), Resource("file:///a", data="AAAA"))),
    Success("c", "t", 3, content=(Resource("file:///a.pdf", "application/pdf", data="AAAA"),)),
    Success(
        "d", "t", 4, content=(Resource("file:///a", text="t"), Resource("https://a.example/b"))
    ),
    Failure("e", "t", "crashed", "no", content=(Image("AAAA", "image/png"),), contexts=({},)),
]
HARD = {
    "type": "object",
    "properties": {
        "level": {"type": "integer", "enum": [1, 2]},
        "mode": {"const": "fast"},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        "tree": {"$ref": "#/$defs/Tree", "description": "A tree."},
        "either": {"oneOf": [{"type": "string", "minLength": 1}, {"type": "null"}]},
        "size": {"type": ["integer", "string"], "exclusiveMinimum": 0},
    },
    "required": ["level"],
    "$defs": {
        "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}},
    },
}
FLAT = {**HARD, "properties": {k: v for k, v in HARD["properties"].items() if k != "tree"}}


def check(kind: Any, value: Any) -> Any:
    """Validate, with unknown keys refused wherever the type says which it knows."""
    return TypeAdapter(kind).validate_python(value)


def strictly(model: type[BaseModel]) -> type[BaseModel]:
    """The same type with unknown keys refused."""
    return type(model.__name__, (model,), {"model_config": ConfigDict(extra="forbid")})


class Searched:
    """A board of which one tool was found by the first call."""

    findable = (ToolDefinition("found", "", {"type": "object"}, defer_loading=True),)

    def found_by(self, outcome: Any) -> tuple[str, ...]:
        return ("found", "gone") if outcome.call_id == "a" else ()


@pytest.fixture
def boards(board_with) -> list[Any]:
    return [board_with(HARD), board_with(FLAT), board_with({"anyOf": [HARD, {"type": "object"}]})]


@pytest.fixture
def real_boards(real_tools, board_of) -> list[Any]:
    return [board_of(each) for each in real_tools]


def check_anthropic(board: Any, *, strict: bool) -> None:
    (listed,) = anthropic.definitions(board, strict=strict)
    check(ToolParam, listed)
    assert NAME.fullmatch(listed["name"])
    jsonschema_rs.meta.validate(listed["input_schema"])
    assert not listed["input_schema"].keys() & {"anyOf", "oneOf", "allOf"}
    if listed.get("strict"):
        assert transform_schema(copy.deepcopy(listed["input_schema"])) == listed["input_schema"]


def check_openai(board: Any, *, strict: bool) -> None:
    (chat,) = openai.definitions(board, strict=strict)
    (item,) = openai_responses.definitions(board, strict=strict)
    check(ChatCompletionFunctionToolParam, chat)
    check(FunctionToolParam, item)
    schema = chat["function"]["parameters"]
    assert item["parameters"] == schema
    jsonschema_rs.meta.validate(schema)
    assert schema["type"] == "object"
    assert not schema.keys() & {"anyOf", "oneOf", "allOf", "not", "enum", "const"}
    if chat["function"].get("strict"):
        root = copy.deepcopy(schema)
        assert _ensure_strict_json_schema(root, path=(), root=root) == schema


def check_gemini(board: Any) -> None:
    (listed,) = gemini.definitions(board)
    strictly(genai.FunctionDeclaration).model_validate(listed)
    schema = listed.get("parametersJsonSchema", {"type": "object"})
    jsonschema_rs.meta.validate(schema)
    known = {f.alias or name for name, f in genai.JSONSchema.model_fields.items()}
    for node in nodes(schema):
        assert node.keys() <= known | {"$ref", "$defs", "additionalProperties"}
        assert all(isinstance(each, str) for each in node.get("enum", ()))


def nodes(schema: Any) -> list[dict[str, Any]]:
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inside += [*schema.get("$defs", {}).values(), schema.get("items"), schema.get("not")]
    return [schema, *(node for each in inside if isinstance(each, dict) for node in nodes(each))]


def check_mcp(board: Any) -> None:
    (listed,) = mcp.definitions(board)
    shown = mcp_types.Tool.model_validate(listed)
    assert shown.model_dump(by_alias=True, mode="json", exclude_none=True) == listed


@pytest.mark.parametrize("strict", [False, True])
def test_hard_schemas_are_shown_as_the_packages_take_them(boards, strict: bool) -> None:
    for board in boards:
        check_anthropic(board, strict=strict)
        check_openai(board, strict=strict)
        check_gemini(board)
        check_mcp(board)


@pytest.mark.shared
@pytest.mark.parametrize("strict", [False, True])
def test_every_real_definition_is_shown_as_anthropic_takes_it(real_boards, strict: bool) -> None:
    for board in real_boards:
        check_anthropic(board, strict=strict)


@pytest.mark.shared
@pytest.mark.parametrize("strict", [False, True])
def test_every_real_definition_is_shown_as_openai_takes_it(real_boards, strict: bool) -> None:
    for board in real_boards:
        check_openai(board, strict=strict)


@pytest.mark.shared
def test_every_real_definition_is_shown_as_gemini_and_mcp_take_it(real_boards) -> None:
    for board in real_boards:
        check_gemini(board)
        check_mcp(board)


@pytest.mark.shared
def test_every_real_definition_can_be_strict_for_openai(real_boards) -> None:
    shown = [openai.definitions(board, strict=True)[0] for board in real_boards]

    assert all(each["function"].get("strict") for each in shown)


def test_results_are_messages_of_anthropic() -> None:
    for message in anthropic.results(OUTCOMES):
        check(MessageParam, message)


def test_results_that_refer_to_tools_are_messages_of_anthropic() -> None:
    (message,) = anthropic.results(OUTCOMES, board=Searched())
    (refers, *others) = message["content"]
    (reference,) = refers["content"]

    check(MessageParam, message)
    assert check(ToolReferenceBlockParam, reference)["tool_name"] == "found"
    assert "tool_reference" not in repr(others)


def test_results_are_messages_of_openai() -> None:
    for message in openai.results(OUTCOMES):
        check(ChatCompletionMessageParam, message)
    for item in openai_responses.results(OUTCOMES):
        check(ResponseInputItemParam, item)


def test_results_are_contents_of_gemini() -> None:
    found = [strictly(genai.Content).model_validate(each) for each in gemini.results(OUTCOMES)]

    responses = [part.function_response for part in found[0].parts]
    assert [each.id for each in responses] == list("abcde")
    assert responses[0].parts[0].inline_data.mime_type == "image/png"


def test_results_are_results_of_mcp() -> None:
    for result in mcp.results(OUTCOMES):
        shown = mcp_types.CallToolResult.model_validate(result)
        dumped = shown.model_dump(by_alias=True, mode="json", exclude_none=True)
        assert result.items() <= dumped.items()


@pytest.fixture
def sent(transcripts) -> Any:
    return lambda name: json.loads((transcripts / f"{name}.json").read_text())


def test_calls_of_an_object_are_those_of_its_json_for_anthropic(sent) -> None:
    message = Message.model_validate(sent("anthropic") | {"stop_sequence": None})

    expected = anthropic.calls(sent("anthropic"))
    assert anthropic.calls(message) == expected
    assert anthropic.calls(message.content) == expected
    assert anthropic.calls({"content": message.content}) == expected


def test_calls_of_an_object_are_those_of_its_json_for_openai(sent) -> None:
    completion = ChatCompletion.model_construct(**sent("openai_chat"))
    typed = TypeAdapter(ChatCompletion).validate_python(
        sent("openai_chat") | {"created": 0, "model": "m"}
    )

    expected = openai.calls(sent("openai_chat"))
    assert openai.calls(completion) == openai.calls(typed) == expected
    assert openai.calls(typed.choices[0].message) == expected
    assert openai.calls(typed.choices[0].message.tool_calls) == expected


def test_calls_of_an_object_are_those_of_its_json_for_responses(sent) -> None:
    base = {"created_at": 0, "model": "m", "parallel_tool_calls": True, "tools": []}
    response = Response.model_validate(sent("openai_responses") | base | {"tool_choice": "auto"})

    expected = openai_responses.calls(sent("openai_responses"))
    assert openai_responses.calls(response) == openai_responses.calls(response.output) == expected


def test_calls_of_an_object_are_those_of_its_json_for_gemini(sent) -> None:
    response = genai.GenerateContentResponse.model_validate(sent("gemini"))

    found = gemini.calls(response)

    assert [(each.name, each.arguments) for each in found] == [
        (each.name, each.arguments) for each in gemini.calls(sent("gemini"))
    ]
    assert found[0].id == "fn-1"


def test_calls_of_an_object_are_those_of_its_json_for_mcp() -> None:
    params = mcp_types.CallToolRequestParams(name="t", arguments={"a": None})

    (call,) = mcp.calls(mcp_types.CallToolRequest(params=params))

    assert (call.name, call.arguments) == ("t", {"a": None})
