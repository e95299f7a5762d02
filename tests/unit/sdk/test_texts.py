"""Texts of others stay inside the comments, docstrings and literals that they are shown in."""

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pegboard.tools import Tool
from pegboard_checked import Checker, sdk_of, text_of

BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
HOSTILE = [
    *(f'a{each}import os{each}"""{each}' for each in BREAKS),
    '"',
    '""',
    '"""',
    '""""""""',
    'ends with """',
    "ends with \\",
    '\\"""',
    '\\\\" """ \\',
    "\0",
    "\u202egnp.exe",
    "\u2066\u2069\ufeff\u200b",
    "\ud800 \udfff",
    "\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "type: ignore",
    "x # type: ignore[foo",
    "ty: ignore[bar, ] # ty:ignore",
    "coding: latin-1",
    "{}{0}%s{name}",
    " \t \n ",
]
UNSEEN = {"\0", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u202e", "\ufeff", "\ud800"}


def saying(text: str) -> Tool:
    """A tool of which everything that is text says the same."""
    part = {"type": "object", "description": text, "properties": {"a": {"description": text}}}
    said: Any = {"description": text, "pattern": text, "format": text, "default": text}
    schema = {"type": "object", "properties": {"x": said, "y": {"items": part, "type": "array"}}}
    return Tool(name="t", description=text, parameters=as_json(schema), run=print)


def as_json(schema: Any) -> Any:
    """The schema without lone surrogates, which are no JSON."""
    if isinstance(schema, str):
        return schema.encode(errors="ignore").decode()
    if isinstance(schema, dict):
        return {as_json(key): as_json(each) for key, each in schema.items()}
    return schema


def shape_of(text: str) -> list[tuple[str, str]]:
    """What a text defines, and how."""
    return [(type(each).__name__, getattr(each, "name", "")) for each in ast.parse(text).body]


def names_of(text: str) -> list[str]:
    """The words of a text's code, without what its docstrings, comments and literals say."""
    return [each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_hostile_text_gets_nowhere(text: str, sandbox: Checker) -> None:
    sdk = sdk_of(**{"f": saying(text), "a-b": saying(text)}).text
    plain = sdk_of(**{"f": saying("plain"), "a-b": saying("plain")}).text

    assert shape_of(sdk) == shape_of(plain)
    assert names_of(sdk) == names_of(plain)
    assert UNSEEN.isdisjoint(sdk)
    assert sandbox.passes(sdk)


@given(st.text(st.characters(), max_size=30))
def test_any_text_stays_where_it_is(text: str) -> None:
    sdk, plain = (sdk_of(**{"f": saying(each), "a-b": saying(each)}).text for each in (text, "x"))

    assert shape_of(sdk) == shape_of(plain)
    assert names_of(sdk) == names_of(plain)
    assert sdk.splitlines() == sdk.removesuffix("\n").split("\n")
    assert sdk.encode()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_listed_text_and_any_key_is_exact(text: str) -> None:
    schema = {"type": "object", "properties": {text: {"const": text}}, "required": [text]}

    values = [each.value for each in ast.walk(ast.parse(text_of({"x": schema}))) if is_text(each)]
    keys = [each.target for each in ast.walk(ast.parse(text_of({"x": schema}))) if is_key(each)]

    assert text in values
    assert values.count(text) == 2 or text in [each.id for each in keys]


def is_text(node: ast.AST) -> Any:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_key(node: ast.AST) -> Any:
    return isinstance(node, ast.AnnAssign)


def docstring_of(description: str) -> str | None:
    (function,) = ast.parse(text_of(description=description)).body
    assert isinstance(function, ast.AsyncFunctionDef)
    return ast.get_docstring(function)


def test_a_description_is_the_docstring() -> None:
    assert docstring_of('Say "hi" \\o/.\n\n  - one\n    - two\n\n\n  \n  "end"') == (
        'Say "hi" \\o/.\n\n- one\n  - two\n\n"end"'
    )


def test_a_function_without_a_description_has_no_docstring() -> None:
    assert text_of(description=" \n ") == text_of() == "async def f() -> Any: ...\n"


def test_a_long_description_ends_in_an_ellipsis() -> None:
    found = docstring_of("word " * 400_000)

    assert found is not None
    assert found.endswith("word…")
    assert len(found) <= 8_000


def x_line(**words: Any) -> str:
    """What stands behind the type of an argument."""
    (line,) = (each for each in text_of({"x": words}).splitlines() if "    x: " in each)
    return line.partition("]  # ")[2]


def test_a_description_stands_beside_its_key_on_one_line() -> None:
    assert x_line(type="string", description=" What\n  to\tsay. ") == "What to say."


def test_a_long_description_beside_a_key_ends_in_an_ellipsis() -> None:
    found = x_line(type="string", description="word " * 400_000)

    assert found.endswith("word…")
    assert len(found) <= 400


RULES: list[tuple[dict[str, Any], str]] = [
    ({"type": "integer", "minimum": 1, "maximum": 9}, "(min 1, max 9)"),
    ({"type": "integer", "exclusiveMinimum": 0, "multipleOf": 2}, "(above 0, multiple of 2)"),
    ({"type": "string", "minLength": 1, "maxLength": 9}, "(min length 1, max length 9)"),
    ({"type": "string", "minLength": 0}, ""),
    ({"type": "array", "minItems": 1}, "(min items 1)"),
    ({"type": "integer", "maximum": 2**53 - 1}, ""),
    ({"type": "string", "format": "uri", "pattern": "^h"}, "(format uri, pattern ^h)"),
    ({"type": "string", "pattern": "x" * 1000}, ""),
    ({"type": "string", "default": "a", "description": "Say."}, 'Say. (default "a")'),
    ({"type": "boolean", "default": False}, "(default False)"),
    ({"default": None}, ""),
    ({"type": "array", "default": []}, "(default [])"),
    ({"type": "array", "default": [1, 2, 3]}, ""),
    ({"type": "string", "default": "x" * 1000}, ""),
    ({"type": "integer", "minimum": True, "maximum": "9", "format": 3}, ""),
]


@pytest.mark.parametrize(("words", "expected"), RULES)
def test_what_a_type_cannot_say_stands_beside_its_key(words: dict[str, Any], expected: str) -> None:
    assert x_line(**words) == expected


def test_a_value_that_a_tool_gives_has_descriptions_and_no_rules() -> None:
    gives = {"type": "object", "properties": {"n": {"minimum": 1, "description": "How many."}}}

    assert "    n: NotRequired[Any]  # How many.\n" in text_of(gives=gives)


def test_what_an_item_is_stands_beside_the_name_of_its_type() -> None:
    item = {"type": "object", "description": "A cell.", "properties": {"a": {}}}

    text = text_of({"x": {"type": "array", "items": item, "description": "All cells."}})

    assert "class FXItem(TypedDict, extra_items=Any):  # A cell.\n" in text
    assert "    x: NotRequired[list[FXItem]]  # All cells.\n" in text
