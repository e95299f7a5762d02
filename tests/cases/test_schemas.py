"""The cases of section Schemas: raw ones."""

from typing import Any

import pytest
from pegboard import JSON, InvalidToolError
from pegboard_cases import board_with, giving, raw, refusal, says, shown, success, taking


@pytest.mark.parametrize("sent", [0.25, -0.0, 7])
async def test_p_284_a_number_is_accepted(sent: JSON) -> None:
    outcome = await success(taking({"type": "number"}), {"x": sent})

    assert repr(outcome.value) == repr(sent)


@pytest.mark.parametrize("sent", ["1", True, None], ids=repr)
async def test_p_284_what_is_no_number_is_refused(sent: JSON) -> None:
    assert says(await refusal(taking({"type": "number"}), {"x": sent}), "$.x", "number")


CLOSED = {
    "type": "object",
    "properties": {"x": {"type": "string"}, "y": {"type": "integer"}},
    "required": ["x", "y"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("extra", ["forbid", "keep"])
async def test_p_285_missing_wrong_and_unknown_are_in_one_message(extra: str) -> None:
    made = raw(lambda arguments, context: None, parameters=CLOSED, extra=extra)

    message = await refusal(made, {"x": 1, "zz": 0})

    assert says(message, "$.y is missing", "$.x must be a string", "$.zz isn't declared")


EITHER = {"anyOf": [{"type": "string"}, {"type": "integer"}]}


@pytest.mark.parametrize("sent", ["s", 8])
async def test_p_286_a_branch_of_a_union_is_accepted(sent: JSON) -> None:
    assert (await success(taking(EITHER), {"x": sent})).value == sent


@pytest.mark.parametrize("sent", [8.5, None])
async def test_p_286_the_message_of_a_union_says_what_each_branch_wanted(sent: JSON) -> None:
    assert says(await refusal(taking(EITHER), {"x": sent}), "$.x", "string", "integer")


async def test_p_287_enum_and_const_hold_together() -> None:
    both = taking({"enum": [2, 4], "const": 2})

    assert (await success(both, {"x": 2})).value == 2
    assert says(await refusal(both, {"x": 4}), "$.x must be 2")
    assert says(await refusal(both, {"x": 5}), "$.x must be one of 2, 4")


@pytest.mark.parametrize("sent", [None, True, 1, 1.5, "s", [1, []], {"a": {}}], ids=repr)
async def test_p_288_an_empty_schema_accepts_any_json(sent: JSON) -> None:
    assert (await success(taking({}), {"x": sent})).value == sent


def deep(levels: int) -> JSON:
    """A schema of so many levels."""
    schema: JSON = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


def endless() -> JSON:
    """A schema that holds itself."""
    schema: JSON = {"type": "object", "properties": {}}
    schema["properties"]["x"] = schema
    return schema


@pytest.mark.parametrize(
    ("schema", "words"), [(deep(5_000), "levels"), (endless(), "itself")], ids=["deep", "endless"]
)
@pytest.mark.parametrize("place", ["parameters", "output"])
async def test_p_289_a_schema_without_a_reasonable_end_is_refused(
    schema: JSON, words: str, place: str
) -> None:
    made = {
        "parameters": lambda: raw(print, parameters=schema),
        "output": lambda: giving(1, schema),
    }
    async with board_with() as board:
        with pytest.raises(InvalidToolError) as caught:
            board.register(made[place]())

    assert says(str(caught.value), words)


@pytest.mark.parametrize("extra", ["drop", "forbid", "keep"])
async def test_p_290_required_properties_with_names_of_methods_are_all_named(extra: str) -> None:
    names = ["keys", "items", "get", "toString"]
    parameters = {"type": "object", "properties": {name: {} for name in names}, "required": names}

    message = await refusal(raw(print, parameters=parameters, extra=extra), {})

    assert says(message, *(f"$.{name} is missing" for name in names))


@pytest.mark.parametrize(
    "part",
    [
        {"properties": {"x": {"default": float("nan")}}},
        {"properties": {"x": {"description": 5}}},
        {"description": 5},
        {"required": "x"},
        {"required": {"x": True}},
        {"properties": []},
        {"properties": {"x": {"type": "int"}}},
        {"properties": {"x": {"pattern": "("}}},
        {"properties": {"x": {"$ref": "#/$defs/absent"}}},
        {"properties": {"x": {"$ref": "https://example.org/schema.json"}}},
        {"properties": {"x": {"minimum": "3"}}},
    ],
    ids=repr,
)
async def test_p_291_a_schema_that_is_none_is_refused(part: dict[str, Any]) -> None:
    async with board_with() as board:
        with pytest.raises(InvalidToolError, match="'odd'"):
            board.register(raw(print, name="odd", parameters={"type": "object", **part}))

        assert list(board.tools) == []


async def test_p_292_one_leaf_may_stand_for_two_properties() -> None:
    leaf = {"type": "integer", "minimum": 1}
    made = raw(print, parameters={"type": "object", "properties": {"a": leaf, "b": leaf}})

    assert (await shown(made))["properties"] == {"a": leaf, "b": leaf}
    assert says(await refusal(made, {"a": 0, "b": 0}), "$.a", "$.b")


async def test_p_293_changing_a_schema_afterwards_has_no_effect() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "integer"}}}
    async with board_with(raw(lambda arguments, _: arguments, parameters=schema)) as board:
        schema["properties"]["x"]["type"] = "string"
        schema["required"] = ["y"]
        board.definitions()[0].parameters["properties"].clear()

        outcome = await board.call("raw", {"x": 1})

        assert board.definitions()[0].parameters["properties"] == {"x": {"type": "integer"}}
        assert outcome.unwrap() == {"x": 1}
