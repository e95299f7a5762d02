"""What stands for a definition, and what is otherwise in another one."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard import Output, Tool, ToolAnnotations
from pegboard.registry import Pinned, Pins, differences
from pegboard.registry.pins import definition_of, digest_of

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcde_é"), inner),
    max_leaves=20,
)
SCHEMAS = st.dictionaries(st.text("abcde_é"), VALUES, max_size=6)


def tool_of(**given: Any) -> Tool:
    """A tool made by hand."""
    options = {"name": "send", "description": "Send mail.", "parameters": {"type": "object"}}
    return Tool(**(options | {"run": print} | given))


def shuffled(value: Any, draw: Callable[..., Any]) -> Any:
    """The same value with its keys in another order, at every depth."""
    if isinstance(value, dict):
        items = draw(st.permutations(list(value.items())))
        return {key: shuffled(each, draw) for key, each in items}
    return [shuffled(each, draw) for each in value] if isinstance(value, list) else value


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every part of a value."""
    pairs = value.items() if isinstance(value, dict) else ()
    pairs = enumerate(value) if isinstance(value, list) else pairs
    return [path, *(spot for key, each in pairs for spot in spots(each, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The same value with another part at one place."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def exact(value: Any) -> str:
    """A value as text that tells 1 from 1.0 and from True, whatever the order of keys."""
    return json.dumps(value, sort_keys=True)


@given(st.data(), SCHEMAS)
def test_the_order_of_keys_and_white_space_never_change_a_digest(data: Any, schema: Any) -> None:
    again = json.loads(json.dumps(shuffled(schema, data.draw), indent=3))

    first, second = (
        digest_of(definition_of(tool_of(parameters=each, output=Output(each))))
        for each in (schema, again)
    )

    assert first == second


@given(st.data(), SCHEMAS, VALUES)
def test_any_other_change_of_a_schema_changes_the_digest_and_shows(
    data: Any, schema: Any, new: Any
) -> None:
    path = data.draw(st.sampled_from(spots(schema)[1:] or [("added",)]))
    other = replaced(schema, path, new) if schema else {"added": new}
    is_same = exact(schema) == exact(other)

    before, now = (definition_of(tool_of(parameters=each)) for each in (schema, other))

    assert (digest_of(before) == digest_of(now)) is is_same
    assert (differences(before, now) == ()) is is_same


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Send"},
        {"description": "Send mail. "},
        {"description": "Send mail.\n"},
        {"parameters": {"type": "object", "required": []}},
        {"output": Output({})},
        {"annotations": ToolAnnotations(destructive=False)},
        {"title": "Send"},
        {"tags": ("safe",)},
        {"passthrough": {"icons": []}},
    ],
    ids=lambda change: f"{change}"[:40],
)
def test_every_part_that_somebody_is_shown_counts(change: dict[str, Any]) -> None:
    before, now = definition_of(tool_of()), definition_of(tool_of(**change))

    assert digest_of(before) != digest_of(now)
    assert [line for line in differences(before, now) if next(iter(change)) in line]


@pytest.mark.parametrize(
    "change",
    [{"run": len}, {"timeout": 3}, {"concurrency_safe": True}, {"annotations": ToolAnnotations()}],
    ids=lambda change: str(*change),
)
def test_what_nobody_is_shown_does_not_count(change: dict[str, Any]) -> None:
    assert definition_of(tool_of()) == definition_of(tool_of(**change))


@pytest.mark.parametrize(
    ("before", "now", "lines"),
    [
        ({"a": 1}, {"a": True}, ("- a: 1", "+ a: true")),
        ({"a": 0.0}, {"a": -0.0}, ("- a: 0.0", "+ a: -0.0")),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ("- a.b[1]: 2", "+ a.b[1]: 3")),
        ([1, 2, 3], [1, 9, 2, 3], ("+ [1]: 9",)),
        ([1, 2, 3], [1, 3], ("- [1]: 2",)),
        ({}, {"a": {"c": 1, "b": 2}}, ('+ a: {"b": 2, "c": 1}',)),
        ("a", "a\u202eb\u200b", ('- : "a"', '+ : "a\\u202eb\\u200b"')),
        ({"a\x07": 1}, {}, ("- a\\u0007: 1",)),
    ],
)
def test_differences_name_the_place_and_hide_nothing(
    before: Any, now: Any, lines: tuple[str, ...]
) -> None:
    assert tuple(each.replace("  ", " ") for each in differences(before, now)) == lines


def test_a_tool_that_was_accepted_may_be_offered_under_any_name() -> None:
    pins = Pins("mail", (Pinned(definition_of(tool_of())),), "ask")

    assert pins.judge(tool_of(run=len), name="mail_send") is None


def test_a_tool_that_was_not_accepted_is_told_apart_from_one_that_changed() -> None:
    pins = Pins("mail", (Pinned(definition_of(tool_of())),), "ask")

    new = pins.judge(tool_of(name="read"), name="read")
    changed = pins.judge(tool_of(description="Bcc.", title="T"), name="mail_send")

    assert new is not None
    assert changed is not None
    assert new.reason == "it is new; ask"
    assert changed.reason == "its description and title aren't what was accepted; ask"
    assert changed.diff[:2] == ('- description[0]: "Send mail."', '+ description[0]: "Bcc."')


def test_whatever_comes_is_kept_while_everything_is_accepted() -> None:
    pins = Pins("mail", None, "ask")

    verdicts = [pins.judge(tool_of(name=name), name=name) for name in ("a", "b", "a")]

    assert verdicts == [None, None, None]
    assert [each.name for each in pins.came.values()] == ["a", "b"]
