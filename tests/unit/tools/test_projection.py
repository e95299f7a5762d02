"""Stage 9: from what a body gave to value, content and meta."""

import enum
import sys
from datetime import UTC, date, datetime
from typing import Any, TypedDict
from uuid import UUID

import attrs
import pytest
from pegboard.tools import CompiledTool, Converter, Output, OutputError, Projection, Tool, tool
from pegboard.values import Audio, Image, Limits, Resource, Snapshot, Text

EMPTY = Snapshot.of({})


class Color(enum.Enum):
    RED = "red"


@attrs.frozen
class Row:
    when: date
    _tags: frozenset[str] = frozenset()
    made: int = attrs.field(init=False, default=1)


class Loose(TypedDict, total=False):
    when: date


def giving(value: Any, annotation: Any = attrs.NOTHING, **options: Any) -> CompiledTool:
    """A tool whose body gave this value."""

    def give():  # type: ignore[no-untyped-def]  # annotated below
        return value

    if annotation is not attrs.NOTHING:
        give.__annotations__ = {"return": annotation}
    return CompiledTool(tool(give, **options), converter=Converter())


def projected(value: Any, annotation: Any = attrs.NOTHING, **options: Any) -> Projection:
    return giving(value, annotation, **options).project(EMPTY, value, is_direct=True)


def refused(value: Any, annotation: Any = attrs.NOTHING, **options: Any) -> str:
    with pytest.raises(OutputError) as caught:
        projected(value, annotation, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "annotation", "json"),
    [
        (Row(date(2020, 1, 2), frozenset("ba")), Row, {"when": "2020-01-02", "tags": ["a", "b"]}),
        ([Row(date(2020, 1, 2))], list[Row], [{"when": "2020-01-02", "tags": []}]),
        (Color.RED, Color, "red"),
        (datetime(2020, 1, 2), datetime, "2020-01-02T00:00:00"),  # noqa: DTZ001 - naive on purpose
        (datetime(2020, 1, 2, tzinfo=UTC), datetime, "2020-01-02T00:00:00+00:00"),
        ({3, 1, 2}, set[int], [1, 2, 3]),
        ((1, "a"), tuple[int, str], [1, "a"]),
        ({UUID(int=1): date(2020, 1, 2)}, dict[UUID, date], None),
        ({"when": date(2020, 1, 2)}, Loose, {"when": "2020-01-02"}),
        (Row(date(2020, 1, 2)), Row | Color | None, {"when": "2020-01-02", "tags": []}),
        (Color.RED, Row | Color | None, "red"),
        (None, Row | Color | None, None),
        (b"hi", bytes, "aGk="),
        ({"a": [1.5, None]}, dict, {"a": [1.5, None]}),
        (3, float, 3),
        (None, None, None),
    ],
)
def test_values_of_python_types_become_plain_json(value: Any, annotation: Any, json: Any) -> None:
    found = projected(value, annotation).value.read()

    assert json is None or found == json


@pytest.mark.parametrize(
    ("value", "annotation", "words"),
    [
        (None, str, "$ must be a string, not null"),
        ("x", int, "$ must be an integer"),
        (True, int, "$ must be an integer, not a boolean"),
        ([{"n": [1, "x"]}], list[dict[str, list[int]]], "$[0].n[1] must be an integer"),
        ("2020-01-02", date, "$ must be date, not str"),
        (datetime(2020, 1, 2, tzinfo=UTC), date, "$ must be date, not datetime"),
        ([Row(date(2020, 1, 2)), {}], list[Row], "$[1] must be Row, not dict"),
        ([Row("soon")], list[Row], "$[0].when must be date, not str"),  # type: ignore[arg-type]
        ("red", Color, "isn't one of the values"),
        ((1, 2), list[int], "must be a list|tuple isn't JSON"),
        ((1,), tuple[int, int], "must have 2 items"),
        ([1], dict, "must be an object"),
        ({"zz": 1}, Loose, "$.zz isn't declared"),
        (3, Row | Color, "must be of one of the types"),
        (print, attrs.NOTHING, "isn't JSON"),
        (open, Any, "isn't JSON"),
        (float("nan"), float, "finite"),
        ((each for each in "ab"), attrs.NOTHING, "generator isn't JSON"),
        ({1: 2}, dict, "key of type int"),
        ({"a": {1, 2}}, dict[str, Any], "$.a: set isn't JSON"),
    ],
)
def test_a_value_that_is_not_what_was_said_is_refused_with_its_path(
    value: Any, annotation: Any, words: str
) -> None:
    message = refused(value, annotation)

    assert any(each in message for each in words.split("|"))
    assert "0x" not in message


def test_a_value_that_changes_later_changes_nothing() -> None:
    value = {"a": [1]}
    found = projected(value)

    value["a"].append(2)

    assert found.value.read() == {"a": [1]}


@pytest.mark.parametrize(
    ("value", "text"),
    [("hej", "hej"), ({"a": [1, "å"]}, '{"a":[1,"å"]}'), (None, "null"), ("", "")],
)
def test_text_is_shown_as_it_is_and_anything_else_as_json(value: Any, text: str) -> None:
    assert projected(value).content == (Text(text),)


def test_a_renderer_makes_the_content_of_arguments_and_value() -> None:
    output = Output(render=lambda arguments, value: [Text(f"{arguments}{value}")])

    assert projected("v", output=output).content == (Text("{}v"),)


def test_a_renderer_changes_copies_only() -> None:
    def render(arguments: Any, value: Any) -> list[Text]:
        value.clear()
        return []

    found = projected({"a": 1}, output=Output(render=render))

    assert (found.value.read(), found.content) == ({"a": 1}, ())


def paints_nothing(_arguments: Any, _value: Any) -> Any:
    raise ValueError("no paint")


@pytest.mark.parametrize(
    ("render", "words"),
    [
        (paints_nothing, "no paint"),
        (lambda *_: "text", "str isn't a list"),
        (lambda *_: None, "NoneType"),
        (lambda *_: {}, "dict"),
        (lambda *_: [Text("a"), "b"], "str isn't a content block"),
        (lambda *_: [Text("\ud800")], "surrogate"),
        (lambda *_: [Text("x" * 11_000_000)], "more than"),
        (lambda *_: sys.exit(3), "SystemExit"),
    ],
)
def test_a_renderer_that_gives_no_content_is_refused(render: Any, words: str) -> None:
    assert words in refused("v", output=Output(render=render))


def test_meta_is_made_for_direct_calls_only() -> None:
    ready = giving("v", output=Output(meta=lambda arguments, value: {"rows": 2}))

    direct = ready.project(EMPTY, "v", is_direct=True).meta
    assert direct == Snapshot.of({"rows": 2})
    assert ready.project(EMPTY, "v", is_direct=False).meta is None


def test_a_meta_that_raises_is_refused_where_it_is_made() -> None:
    def meta(_arguments: Any, _value: Any) -> Any:
        raise ValueError("no meta")

    ready = giving("v", output=Output(meta=meta))

    assert ready.project(EMPTY, "v", is_direct=False).meta is None
    with pytest.raises(OutputError, match="no meta"):
        ready.project(EMPTY, "v", is_direct=True)


@pytest.mark.parametrize(
    ("value", "blocks", "json"),
    [
        (Text("a"), (Text("a"),), "a"),
        ([Text("a"), Image("aGk=", "image/png")], None, None),
        ((Audio("aGk=", "audio/wav"),), None, None),
        (Resource("file:///a"), (Resource("file:///a"),), {"type": "resource", "uri": "file:///a"}),
    ],
)
def test_content_blocks_are_kept_as_content(value: Any, blocks: Any, json: Any) -> None:
    found = projected(value)

    assert found.content == (tuple(value) if blocks is None else blocks)
    assert json is None or found.value.read() == json


def test_a_tool_annotated_with_content_has_no_output_schema() -> None:
    ready = giving([], list[Text | Image] | None)

    assert ready.tool.output.schema is None


def test_content_is_bounded_by_the_limits_of_values() -> None:
    ready = giving(None)
    small = CompiledTool(ready.tool, converter=Converter(), limits=Limits(max_bytes=100))

    with pytest.raises(OutputError, match="more than the 100 allowed"):
        small.project(EMPTY, Image("x" * 200, "image/png"), is_direct=True)


def test_a_replaced_value_is_validated_and_rendered_again() -> None:
    ready = giving({"n": 1}, dict[str, int])

    found = ready.revalidate(EMPTY, Snapshot.of({"n": 2}), is_direct=True)

    assert found.content == (Text('{"n":2}'),)
    with pytest.raises(OutputError, match=r"\$\.n must be an integer"):
        ready.revalidate(EMPTY, Snapshot.of({"n": "x"}), is_direct=True)


def test_a_raw_tool_answers_by_its_own_schema() -> None:
    made = Tool(
        name="raw",
        parameters={"type": "object"},
        run=lambda arguments, context: arguments,
        output=Output({"type": "array", "minItems": 1}),
    )
    ready = CompiledTool(made, converter=Converter())

    assert ready.project(EMPTY, [1], is_direct=True).value.read() == [1]
    with pytest.raises(OutputError, match="at least 1 items"):
        ready.project(EMPTY, [], is_direct=True)


def test_a_value_with_shared_parts_that_double_is_refused_in_bounded_time() -> None:
    value: Any = [1]
    for _ in range(40):
        value = [value, value]

    assert "values" in refused(value)


def test_a_value_nested_too_deep_is_refused() -> None:
    value: Any = []
    for _ in range(6000):
        value = [value]

    assert "deeper than 256" in refused(value)
