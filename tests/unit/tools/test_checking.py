"""What registration refuses, naming the tool, its owner and the place."""

import typing
from datetime import date
from typing import Any

import attrs
import msgspec
import pytest
from pegboard.errors import InvalidNameError, InvalidToolError
from pegboard.tools import Output, Tool, ToolAnnotations, check_tool, tool


def made(**options: Any) -> Tool:
    given: dict[str, Any] = {
        "name": "it",
        "parameters": {"type": "object"},
        "run": lambda arguments, context: 1,
    }
    return Tool(**(given | options))


def check(given: Tool, **options: Any) -> None:
    check_tool(given, owner="plugin 'web'", **options)


def refused(**options: Any) -> str:
    with pytest.raises(InvalidToolError) as caught:
        check(made(**options))
    return str(caught.value)


def deep(levels: int) -> Any:
    schema: Any = {}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


def with_property(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


HOLDS_ITSELF: dict[str, Any] = {"type": "object"}
HOLDS_ITSELF["properties"] = {"a": HOLDS_ITSELF}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"run": None}, "no body"),
        ({"run": 3}, "run can't be called"),
        ({"output": Output(render=3)}, "output.render can't be called"),  # type: ignore[arg-type]
        ({"output": Output(meta="x")}, "output.meta can't be called"),  # type: ignore[arg-type]
        ({"finalize": 1}, "finalize can't be called"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": -1.5}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout": "3"}, "timeout"),
        ({"extra": "some"}, "extra"),
        ({"concurrency_safe": "yes"}, "concurrency_safe"),
        ({"annotations": {}}, "ToolAnnotations"),
        ({"output": {"type": "object"}}, "output must be an Output"),
        ({"tags": [1]}, "tags"),
        ({"description": 5}, "description"),
        ({"title": 5}, "title"),
        ({"parameters": {}}, "root"),
        ({"parameters": {"type": "string"}}, "root"),
        ({"parameters": {"type": ["object", "null"]}}, "root"),
        ({"parameters": True}, "root"),
        ({"parameters": with_property({"description": 5})}, "description"),
        ({"parameters": {"type": "object", "required": "a"}}, "required"),
        ({"parameters": {"type": "object", "required": None}}, "required"),
        ({"parameters": with_property({"type": "strange"})}, "enforced"),
        ({"parameters": with_property({"type": "string", "pattern": "("})}, "pattern"),
        ({"parameters": with_property({"$ref": "file:///etc/hostname"})}, "file:///etc/hostname"),
        ({"parameters": with_property({"$ref": "http://example.org/a"})}, "http://example.org/a"),
        ({"parameters": with_property({"$ref": "#/$defs/none"})}, "none"),
        ({"parameters": {"type": "object", "$schema": "http://example.org/x"}}, "example.org"),
        ({"output": Output({"type": "strange"})}, "output schema"),
        ({"output": Output(3)}, "output schema"),
    ],
)
def test_what_cannot_be_enforced_is_refused_by_name(options: Any, words: str) -> None:
    message = refused(**options)

    assert words in message
    assert "'it' of plugin 'web'" in message


@pytest.mark.parametrize("name", ["", "a b", "1a", "å", "x" * 65, "a.b", "bash\u200b", "a\n"])
def test_a_name_outside_the_rule_is_refused(name: str) -> None:
    with pytest.raises(InvalidNameError, match="plugin 'web'"):
        check(made(name=name))


def test_the_name_that_models_see_is_checked_where_there_is_one() -> None:
    check(made(name="not a name"), name="good_name")

    with pytest.raises(InvalidNameError):
        check(made(), name="not a name")


@pytest.mark.parametrize(
    "hidden", ["\x00", "\x1b", "\x7f", "\u202e", "\u2066", "\U000e0041", "\u200b"]
)
@pytest.mark.parametrize("place", ["description", "title", "parameter", "key", "output"])
def test_a_hidden_character_is_refused_with_its_place(hidden: str, place: str) -> None:
    text = f"send{hidden}mail"
    options: Any = {
        "description": {"description": text},
        "title": {"title": text},
        "parameter": {"parameters": with_property({"description": text})},
        "key": {"parameters": {"type": "object", "properties": {text: {}}}},
        "output": {"output": Output({"enum": [text]})},
    }[place]

    message = refused(**options)

    assert f"U+{ord(hidden):04X}" in message
    assert hidden not in message


@pytest.mark.parametrize("text", ["two\nlines\tand tabs", "åäö", "שלום", "👩\u200d💻", "日本"])
def test_ordinary_text_of_any_language_is_fine(text: str) -> None:
    check(made(description=text, parameters=with_property({"description": text})))


@pytest.mark.parametrize(
    "schema",
    [
        deep(5000),
        HOLDS_ITSELF,
        with_property({"default": float("nan")}),
        with_property({"enum": {1, 2}}),
        with_property({"default": date(2020, 1, 1)}),
        {"type": "object", 1: 2},
    ],
    ids=["deep", "holds itself", "nan", "set", "date", "key"],
)
def test_a_schema_that_is_not_json_is_refused_by_name(schema: Any) -> None:
    with pytest.raises(InvalidToolError, match="tool 'it'"):
        made(parameters=schema)


def test_an_output_schema_that_is_not_json_is_refused() -> None:
    with pytest.raises(InvalidToolError, match="output schema"):
        Output({"enum": {1}})


@pytest.mark.parametrize(
    "schema",
    [
        with_property({"$ref": "#/$defs/a"}) | {"$defs": {"a": {"type": "integer"}}},
        with_property({"$ref": "#"}),
        {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"},
        {"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"type": "object", "properties": {"r": True}},
        {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        with_property({"type": "string", "format": "something-new"}),
        with_property({"x-vendor": [1]}),
        {"type": "object", "properties": {"$ref": {"type": "string"}}},
    ],
)
def test_any_schema_that_stays_inside_itself_is_fine(schema: Any) -> None:
    check(made(parameters=schema))


def pair(a: int, b: str = "") -> list[int]:
    """Make a pair."""
    return [a]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"parameters": {"type": "string"}}, "root of the parameter schema"),
        ({"output": Output({"type": "nonsense"})}, "output schema can't be enforced"),
        ({"output": Output({"description": "a\u202eb"})}, "hidden character"),
    ],
)
def test_a_schema_in_the_place_of_one_made_from_types_is_checked(
    change: dict[str, Any], words: str
) -> None:
    changed = attrs.evolve(tool(pair), **change)

    with pytest.raises(InvalidToolError, match=words):
        check(changed)


@pytest.mark.parametrize("place", ["it", "return"])
def test_a_pattern_that_can_t_be_enforced_is_refused_wherever_it_stands(place: str) -> None:
    def take(it):  # type: ignore[no-untyped-def]  # annotated below
        return it

    only_in_python = typing.Annotated[str, msgspec.Meta(pattern=r"(?a:x)")]
    take.__annotations__ = {"it": int, "return": int} | {place: only_in_python}

    with pytest.raises(InvalidToolError, match="can't be enforced"):
        check(tool(take))


def test_one_leaf_may_be_used_for_two_properties() -> None:
    leaf = {"type": "string"}

    check(made(parameters={"type": "object", "properties": {"a": leaf, "b": leaf}}))


def test_a_schema_that_is_changed_afterwards_stays_as_it_was() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    given = made(parameters=schema)

    schema["type"] = "string"
    given.parameters["type"] = "array"

    assert given.parameters == {"type": "object", "properties": {}}


def test_the_schema_that_is_shown_is_the_one_object_that_validates(compiled: Any) -> None:
    given = made()

    assert compiled(given).tool.parameters_snapshot is given.parameters_snapshot


def test_a_typed_tool_is_fine() -> None:
    def take(n: int, text: str = "a") -> list[str]:
        """Take."""
        return [text] * n

    check(tool(take, annotations=ToolAnnotations(read_only=True), timeout=3))


@pytest.mark.parametrize("given", [print, "echo", None, {"name": "echo"}])
def test_what_is_no_tool_is_refused(given: Any) -> None:
    with pytest.raises(InvalidToolError, match="plugin 'web'"):
        check(given)


@pytest.mark.parametrize(
    "annotation",
    [typing.ClassVar[int], typing.Final[int], typing.Required[int], typing.NotRequired[int]],
    ids=repr,
)
def test_a_qualifier_of_a_field_is_refused_with_function_parameter_and_annotation(
    annotation: object,
) -> None:
    def asked(v: object) -> None:
        """Ask."""

    asked.__annotations__ = {"v": annotation}

    with pytest.raises(InvalidToolError, match=r"'asked', parameter 'v', annotation"):
        tool(asked)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 10**400, True, "3"])
def test_a_time_limit_that_is_none_is_refused(timeout: object) -> None:
    with pytest.raises(InvalidToolError, match="timeout"):
        check_tool(tool(name="a", timeout=timeout)(lambda: 1), owner="a test")  # type: ignore[call-overload]
