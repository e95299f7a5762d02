"""The cases of section Schemas: from types to what a model is shown."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NewType, TypedDict, TypeVar

import attrs
import jsonschema_rs
import pytest
from pegboard import JSON, Doc, Tool, ToolDefinition, formats, tool
from pegboard_cases import board_with, refusal, says, shown, success, taking

T = TypeVar("T")
UserId = NewType("UserId", int)


async def test_p_294_a_signature_gives_a_plain_closed_object_with_its_defaults() -> None:
    @tool
    def area(p: str, q: float = 1) -> None:
        """Measure."""

    assert await shown(area) == {
        "type": "object",
        "properties": {"p": {"type": "string"}, "q": {"type": "number", "default": 1}},
        "required": ["p"],
        "additionalProperties": False,
    }


@tool
def ask(u: str | None) -> str | None:
    """Ask."""
    return u


async def test_p_295_optional_and_nullable_are_different_things() -> None:
    schema = await shown(ask)

    assert schema["required"] == ["u"]
    assert jsonschema_rs.is_valid(schema, {"u": None})
    assert (await success(ask, {"u": None})).value is None
    assert says(await refusal(ask, {}), "$.u is missing")


@attrs.frozen
class Tree:
    """A node."""

    name: str
    children: "list[Tree]" = attrs.field(factory=list)

    def size(self) -> int:
        """How many nodes there are."""
        waiting, found = [self], 0
        while waiting:
            node = waiting.pop()
            found += type(node) is Tree
            waiting += node.children
        return found


@tool
def measure(tree: Tree) -> int:
    """Measure a tree."""
    return tree.size()


def chain(levels: int) -> JSON:
    """A tree of so many nodes, each inside the one before."""
    node: JSON = {"name": "leaf", "children": []}
    for _ in range(levels - 1):
        node = {"name": "node", "children": [node]}
    return node


async def test_p_296_the_root_of_a_recursive_type_is_a_plain_object() -> None:
    schema = await shown(measure)

    assert (schema["type"], list(schema["$defs"])) == ("object", ["Tree"])
    assert "$ref" not in schema
    assert "anyOf" not in schema


@pytest.mark.parametrize("levels", [1, 2, 60, 127])
async def test_p_296_a_recursive_value_of_any_allowed_depth_is_built(levels: int) -> None:
    assert (await success(measure, {"tree": chain(levels)})).value == levels


async def test_p_296_a_fault_deep_inside_a_recursive_value_has_its_path() -> None:
    tree = {"name": "a", "children": [{"name": "b", "children": [{"name": 1}]}]}

    assert says(await refusal(measure, {"tree": tree}), "$.tree.children[0].children[0].name")


class Unit(Enum):
    """A unit."""

    METRE = "m"


class Range(TypedDict):
    """A range."""

    low: Annotated[int, Doc("The least.")]
    high: int


@dataclass
class Pair:
    """Two words."""

    left: str
    right: str = "r"


@attrs.frozen
class Aliased:
    """A class with an alias."""

    _inner: int = attrs.field(alias="outer")


@attrs.frozen
class Box(Generic[T]):
    """A box."""

    thing: T


SAMPLES: dict[str, tuple[Any, JSON, Any]] = {
    "Literal": (Literal["a", 2], 2, 2),
    "Enum": (Unit, "m", Unit.METRE),
    "TypedDict": (Range, {"low": 1, "high": 2}, {"low": 1, "high": 2}),
    "dataclass": (Pair, {"left": "l"}, Pair("l")),
    "attrs alias": (Aliased, {"outer": 3}, Aliased(outer=3)),
    "NewType": (UserId, 4, 4),
    "generic": (Box[Unit], {"thing": "m"}, Box(Unit.METRE)),
    "Annotated": (Annotated[int, Doc("Inside.")], 5, 5),
}


@pytest.mark.parametrize("kind", SAMPLES)
async def test_p_298_each_kind_is_in_the_schema_with_its_description_and_built_as_that_type(
    kind: str,
) -> None:
    annotation, sent, built = SAMPLES[kind]
    got: list[Any] = []

    def take(x: Any) -> None:
        got.append(x)

    take.__annotations__ = {"x": Annotated[annotation, Doc("What to take.")], "return": None}
    made = tool(take)
    await success(made, {"x": sent})

    assert (got, type(got[0])) == ([built], type(built))
    assert (await shown(made))["properties"]["x"]["description"] == "What to take."


@pytest.mark.parametrize("kind", SAMPLES)
async def test_p_298_each_kind_refuses_what_is_none_of_it(kind: str) -> None:
    def take(x: Any) -> None:
        pass

    take.__annotations__ = {"x": SAMPLES[kind][0], "return": None}

    assert says(await refusal(tool(take), {"x": ["odd"]}), "$.x")


async def test_p_298_a_description_inside_a_typed_dict_is_shown() -> None:
    @tool
    def span(x: Range) -> None:
        """Span."""

    assert (await shown(span))["properties"]["x"]["properties"]["low"]["description"] == (
        "The least."
    )


GOOGLE = """Add up.

More words.

Args:
    a: The first: of two.
    b: The second,
        which is longer.

Returns:
    The sum.

Raises:
    ValueError: Never.
"""
NUMPY = """Add up.

More words.

Parameters
----------
a : int
    The first: of two.
b : int
    The second,
    which is longer.

Returns
-------
int
    The sum.

Raises
------
ValueError
    Never.
"""
REST = """Add up.

More words.

:param a: The first: of two.
:param b: The second,
    which is longer.
:returns: The sum.
:raises ValueError: Never.
"""
STYLES = {"Google": GOOGLE, "NumPy": NUMPY, "reST": REST}


def spread(text: str) -> str:
    """A docstring with blank lines around its sections and their titles."""
    titles = ("Args:", "Returns:", "Raises:", "----------", "-------", "------", ":param a")
    lines = text.splitlines()
    return "\n".join(
        f"\n{each}" if each.startswith(":param") else each + "\n" * (each in titles)
        for each in lines
    )


@pytest.mark.parametrize("layout", [str, spread, str.rstrip], ids=["plain", "spread", "tight"])
@pytest.mark.parametrize("style", STYLES)
async def test_p_299_every_style_gives_the_same_descriptions_and_no_text_of_a_section(
    style: str, layout: Callable[[str], str]
) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    add.__doc__ = layout(STYLES[style])
    async with board_with(tool(add)) as board:
        (definition,) = board.definitions()

    described = {
        key: part["description"] for key, part in definition.parameters["properties"].items()
    }
    assert described == {"a": "The first: of two.", "b": "The second, which is longer."}
    assert definition.description == "Add up.\n\nMore words."


def of_both_kinds() -> list[Tool]:
    """A typed tool and a raw one."""
    return [measure, taking({"type": "integer"}, name="whole")]


@pytest.mark.parametrize("made", of_both_kinds(), ids=["typed", "raw"])
async def test_p_300_the_schema_that_is_shown_is_the_very_one_that_validates(made: Tool) -> None:
    async with board_with(made) as board:
        definition: ToolDefinition = board.definitions()[0]
        exported = formats.mcp.definitions(board)[0]["inputSchema"]

    assert definition.parameters_text is made.parameters_snapshot.text
    assert definition.parameters == exported == made.parameters
