"""`@tool` takes every sort of function, and says what it can't take."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import attrs
import pytest
from annotated_doc import Doc
from pegboard.errors import InvalidToolError
from pegboard.tools import Output, RunContext, Secret, Tool, ToolAnnotations, tool
from pegboard.tools.signature import read_signature


def today(token: str, city: str) -> str:
    """Tell the weather.

    Args:
        token: of the service
        city: where
    """
    return f"{token} {city}"


class Greeter:
    """Greets people."""

    greeting = "hej"

    def __call__(self, name: str) -> str:
        return f"{self.greeting} {name}"

    def greet(self, name: str, times: int = 1) -> str:
        """Greet somebody."""
        return f"{self.greeting} {name}" * times


class Later:
    async def __call__(self, name: str) -> str:
        return name


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@attrs.frozen
class Place:
    name: str
    country: Country | None = None


@attrs.frozen
class Country:
    code: str


def test_postponed_annotations_are_resolved_in_the_module_of_the_function() -> None:
    def visit(place: Place, n: int, who: str | None = None) -> str:
        return place.name

    schema = tool(visit).parameters

    assert schema["required"] == ["place", "n"]
    assert schema["properties"]["n"] == {"type": "integer"}
    assert schema["properties"]["place"]["properties"]["country"]["anyOf"][1] == {"type": "null"}


def test_postponed_annotations_may_name_what_is_local(answer: Any) -> None:
    @attrs.frozen
    class Local:
        inner: Inner

    @attrs.frozen
    class Inner:
        n: int

    def take(it: list[Local], context: RunContext) -> Inner:
        return it[0].inner

    made = tool(take)

    item = made.parameters["properties"]["it"]["items"]
    assert item["properties"]["inner"]["properties"] == {"n": {"type": "integer"}}
    assert away(answer, made, {"it": [{"inner": {"n": 1.0}}]}) == {"n": 1}


def away(answer: Any, made: Tool, arguments: Any) -> Any:
    """The answer of a tool, from a thread that knows nothing of the test's local names."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(answer, made, arguments).result()


def test_a_name_that_cannot_be_resolved_is_refused_by_name() -> None:
    def price(amount: Decimal) -> str:  # type: ignore[name-defined]  # noqa: F821
        return str(amount)

    with pytest.raises(InvalidToolError, match=r"'price'.*'amount'.*Decimal"):
        tool(price)


@pytest.mark.parametrize("bound", [("T0P",), ()], ids=["by place", "by name"])
def test_what_a_partial_has_bound_is_nowhere_to_be_seen(bound: tuple[str, ...], send: Any) -> None:
    given = functools.partial(today, *bound, **({} if bound else {"token": "T0P"}))

    made = tool(given)

    assert list(made.parameters["properties"]) == ["city"]
    assert "T0P" not in f"{made.parameters} {made!r} {made.description}"
    assert send(made, {"city": "X", "token": "mine"}) == "T0P X"


def by_place(a: int, b: str = "x", /, c: bool = True) -> None: ...
def by_name(a: int, *, b: list[str] | None = None, c: Any, context: RunContext) -> None: ...
def without_a_return(context: RunContext, a: Place, /):  # type: ignore[no-untyped-def]
    ...


@pytest.mark.parametrize("function", [today, by_place, by_name, without_a_return])
def test_a_function_says_the_same_by_itself_and_inside_a_partial(function: Any) -> None:
    alone, inside = (
        read_signature(each, tool="it", takes_others=False)
        for each in (function, functools.partial(function))
    )

    assert list(map(attrs.asdict, alone.parameters)) == list(map(attrs.asdict, inside.parameters))
    assert (alone.context, alone.context_at) == (inside.context, inside.context_at)
    assert alone.returns == inside.returns


def test_a_partial_has_the_name_and_the_text_of_its_function() -> None:
    made = tool(functools.partial(functools.partial(today), token="T"))

    assert (made.name, made.description) == ("today", "Tell the weather.")
    assert made.parameters["properties"]["city"]["description"] == "where"


def test_a_method_is_a_tool_without_its_self(send: Any) -> None:
    made = tool(Greeter().greet)

    assert list(made.parameters["properties"]) == ["name", "times"]
    assert send(made, {"name": "Ada"}) == "hej Ada"


def test_an_object_that_can_be_called_is_a_tool(send: Any) -> None:
    made = tool(Greeter(), name="hello")

    assert made.description == "Greets people."
    assert send(made, {"name": "Ada"}) == "hej Ada"


def test_a_decorated_function_is_seen_through(send: Any) -> None:
    made = tool(logged(today))

    assert (made.name, list(made.parameters["properties"])) == ("today", ["token", "city"])
    assert send(made, {"token": "a", "city": "b"}) == "a b"


def test_a_tool_can_still_be_called_as_the_function() -> None:
    made = tool(today)

    assert made("a", city="b") == "a b"


def test_parameters_by_place_only_are_filled_by_name(send: Any) -> None:
    def take(a: int, context: RunContext, b: int = 2, /, c: int = 3) -> list[int]:
        return [a, b, c]

    made = tool(take)

    assert send(made, {"a": 1, "c": 4}) == [1, 2, 4]
    assert send(made, {"a": 1, "b": 5}) == [1, 5, 3]


@pytest.mark.parametrize(
    "annotation", [RunContext, RunContext | None, Annotated[RunContext, "the run"]]
)
def test_the_context_is_injected_by_its_type_whatever_its_name(annotation: Any, send: Any) -> None:
    def take(schema, self):  # type: ignore[no-untyped-def]  # annotated below
        return [schema, self]

    take.__annotations__ = {"schema": annotation, "self": int}
    made = tool(take)

    assert list(made.parameters["properties"]) == ["self"]
    assert send(made, {"self": 1}, context="the context") == ["the context", 1]


def test_ordinary_names_are_not_injected() -> None:
    def take(self: int, ctx: int, agent: int, input: int, schema: int, model_config: int) -> None:  # noqa: A002
        pass

    assert len(tool(take).parameters["properties"]) == 6


def without_annotation(a) -> None:  # type: ignore[no-untyped-def]
    pass


def with_stars(*values: int) -> None:
    pass


def with_others(**others: int) -> None:
    pass


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (without_annotation, r"'without_annotation'.*'a'.*annotation"),
        (with_stars, r"'with_stars'.*'\*values'"),
        (with_others, r"'with_others'.*'\*\*others'"),
        (len, "'len'"),
        (Place, "'Place'"),
        (3, "int"),
        (tool(today), "already"),
    ],
)
def test_what_no_model_can_fill_is_refused(function: Any, words: str) -> None:
    with pytest.raises(InvalidToolError, match=words):
        tool(function)


def test_descriptions_come_from_doc_before_the_docstring() -> None:
    def take(a: Annotated[int, Doc("from Doc")], b: Annotated[int, "from text"], c: int) -> None:
        """Take.

        Args:
            a: from the docstring
            b: from the docstring
            c: from the docstring
        """

    shown = tool(take).parameters["properties"]

    described = [shown[each]["description"] for each in "abc"]
    assert described == ["from Doc", "from text", "from the docstring"]


def test_options_are_kept_on_the_tool() -> None:
    made = tool(
        name="other",
        description="Text.",
        timeout=2.5,
        tags=["a"],
        annotations=ToolAnnotations(read_only=True),
        concurrency_safe=True,
        defer_loading=True,
        title="Other",
    )(today)

    assert (made.name, made.description, made.timeout) == ("other", "Text.", 2.5)
    assert (made.tags, made.title) == (frozenset({"a"}), "Other")
    assert made.defer_loading


def test_secret_parameters_are_known_by_name() -> None:
    def take(key: Annotated[str, Secret], keys: list[Secret], n: int) -> str:
        return key

    made = tool(take)

    assert made.secret_parameters == {"key", "keys"}
    assert made.parameters["properties"]["key"] == {"type": "string"}


@pytest.mark.parametrize(
    ("default", "shown"),
    [
        (1, {"default": 1}),
        (Country("se"), {"default": {"code": "se"}}),
        ((1, 2), {"default": [1, 2]}),
        (None, {}),
        (float("nan"), {}),
    ],
)
def test_a_default_is_shown_where_it_is_json_of_its_type(default: Any, shown: Any) -> None:
    def take(it=default):  # type: ignore[no-untyped-def]  # annotated below
        return it

    kind = tuple[int, int] if isinstance(default, tuple) else type(default)
    take.__annotations__ = {"it": int if default is None else kind}
    schema = tool(take).parameters

    found = schema["properties"]["it"]
    assert {key: each for key, each in found.items() if key == "default"} == shown
    assert "required" not in schema


def test_undeclared_arguments_reach_a_function_that_has_a_place_for_them(send: Any) -> None:
    def take(n: int, **others: Place) -> Any:
        return [n, others]

    made = tool(take, extra="keep")

    assert made.parameters["additionalProperties"]["required"] == ["name"]
    assert send(made, {"n": 1, "home": {"name": "x"}}) == [1, {"home": Place("x")}]


def test_the_schema_of_a_tool_that_keeps_undeclared_arguments_is_open() -> None:
    made = tool(today, extra="keep")

    assert "additionalProperties" not in made.parameters


def test_an_output_keeps_its_renderer_and_gets_the_schema_of_the_annotation() -> None:
    made = tool(today, output=Output(render=lambda arguments, value: []))

    assert made.output.schema == {"type": "string"}
    assert made.output.render is not None


def test_an_output_schema_of_the_author_stands() -> None:
    made = tool(today, output=Output({"type": "string", "minLength": 3}))

    assert made.output.schema == {"type": "string", "minLength": 3}


def test_any_output_does_not_believe_the_annotation() -> None:
    made = tool(today, output="any")

    assert made.output.schema is None


@pytest.mark.parametrize(
    ("function", "is_async"),
    [(today, False), (Greeter(), False), (Later(), True), (functools.partial(Later()), True)],
)
def test_what_has_to_be_awaited_is_known(function: Any, is_async: bool, compiled: Any) -> None:
    ready = compiled(function, name="it")

    assert ready.is_async is is_async


def test_an_async_generator_has_to_be_awaited(compiled: Any) -> None:
    async def count(n: int) -> AsyncIterator[int]:
        yield n

    assert compiled(count).is_async


def test_a_tool_shows_its_name_only() -> None:
    made = tool(today)

    assert repr(made) == "Tool('today')"
    assert isinstance(made, Tool)
