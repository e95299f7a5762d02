"""The cases of section Schemas: what is shown is what is let through."""

from typing import Any, Literal

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st
from pegboard import JSON, Success, Tool, tool
from pegboard_cases import Keeper, Watcher, board_with

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 2.0, "", "a", "bb"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=8,
)


def objects_of(part: st.SearchStrategy[JSON]) -> st.SearchStrategy[JSON]:
    """Schemas of objects whose properties have these schemas."""
    return st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(st.sampled_from("xyz"), part),
            "required": st.lists(st.sampled_from("xyz"), unique=True),
            "additionalProperties": st.booleans() | part,
            "maxProperties": st.integers(0, 3),
        },
    )


schemas = st.recursive(
    st.just({})
    | st.fixed_dictionaries({"type": st.sampled_from(["null", "boolean", "integer", "number"])})
    | st.fixed_dictionaries({"type": st.just("string"), "maxLength": st.integers(0, 2)})
    | st.fixed_dictionaries({"enum": st.lists(values, min_size=1, max_size=3)})
    | st.fixed_dictionaries({"const": values}),
    lambda part: (
        objects_of(part)
        | st.fixed_dictionaries({"type": st.just("array"), "items": part})
        | st.fixed_dictionaries({"anyOf": st.lists(part, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"oneOf": st.lists(part, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"not": part})
    ),
    max_leaves=6,
)
sent_objects = st.dictionaries(st.sampled_from("xyz"), values)


@given(objects_of(schemas), sent_objects)
async def test_p_297_the_body_of_a_raw_tool_gets_what_the_shown_schema_accepts_and_only_that(
    schema: JSON, sent: JSON
) -> None:
    keeper = Keeper()
    async with board_with(keeper.tool(schema, extra="keep")) as board:
        is_accepted = jsonschema_rs.is_valid(board.definitions()[0].parameters, sent)

        outcome = await board.call("keep", sent)

    assert keeper.kept == ([sent] if is_accepted else [])
    assert outcome.is_error is not is_accepted


annotations = st.recursive(
    st.sampled_from([int, float, str, bool, None, Literal["a", "bb"], Any]),
    lambda inner: (
        st.builds(lambda each: list[each], inner)
        | st.builds(lambda each: dict[str, each], inner)
        | st.builds(lambda each: each | None if isinstance(each, type) else each, inner)
    ),
    max_leaves=3,
)


def taking_three(x: Any, y: Any, z: Any) -> Tool:
    """A tool of three parameters with these annotations, of which it gives the last two back."""

    def take(x: Any, y: Any, z: Any = None) -> Any:
        return [y, z]

    take.__annotations__ = {"x": x, "y": y, "z": z, "return": Any}
    return tool(take)


@given(st.builds(taking_three, annotations, annotations, annotations), sent_objects)
async def test_p_297_a_typed_body_runs_if_and_only_if_the_shown_schema_accepts_what_it_gets(
    made: Tool, sent: JSON
) -> None:
    watcher = Watcher()
    async with board_with(made) as board:
        watcher.on(board)
        is_accepted = jsonschema_rs.is_valid(board.definitions()[0].parameters, sent)

        outcome = await board.call("take", sent)

    assert isinstance(outcome, Success) or not is_accepted
    assert outcome.is_error is not bool(watcher.guarded)
    assert all(jsonschema_rs.is_valid(made.parameters, each.arguments) for each in watcher.guarded)
