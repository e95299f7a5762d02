"""Schemas that are deep, wide or tangled have an SDK all the same, soon."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from pegboard.values import JSON, Snapshot
from pegboard_checked import Checker, sdk_of, tool_of

SOON = 10
"""Seconds; what isn't linear takes minutes."""
KINDS: dict[str, Callable[[JSON], JSON]] = {
    "lists": lambda inner: {"type": "array", "items": inner},
    "dicts": lambda inner: {"type": "object", "additionalProperties": inner},
    "objects": lambda inner: {"type": "object", "properties": {"v": inner}},
    "unions": lambda inner: {"anyOf": [inner, {"type": "string"}]},
    "parts": lambda inner: {"allOf": [inner, {"minimum": 1}]},
    "lists of unions": lambda inner: {"type": "array", "items": {"type": "array", "items": inner}},
    "rows": lambda inner: {"type": "array", "prefixItems": [inner, inner], "items": False},
}


def nested(kind: str, levels: int, innermost: JSON) -> JSON:
    """A schema inside a schema inside a schema."""
    schema = innermost
    for _ in range(levels):
        schema = KINDS[kind](schema)
    return schema


def written(schema: JSON) -> Snapshot:
    """A schema as it would come from a file, however deep it is."""
    return Snapshot(json.dumps(schema).encode())


def text(properties: JSON, **words: JSON) -> str:
    """The SDK of a tool with these arguments, which came soon."""
    tool = tool_of(schema=written({"type": "object", "properties": properties, **words}))
    start = time.perf_counter()
    found = sdk_of(f=tool).text
    assert time.perf_counter() - start < SOON
    return found


@pytest.mark.parametrize("innermost", [{"type": "integer"}, {}], ids=["integers", "anything"])
@pytest.mark.parametrize("levels", [7, 8, 30, 150, 400])
@pytest.mark.parametrize("kind", KINDS)
def test_a_deep_schema_has_an_sdk(
    kind: str, levels: int, innermost: JSON, sandbox: Checker
) -> None:
    if kind == "rows":
        levels = min(levels, 8)

    assert sandbox.passes(text({"x": nested(kind, levels, innermost)}))


def test_what_is_deep_is_told_to_its_end(sandbox: Checker) -> None:
    sdk = text({"x": nested("lists", 150, {"type": "integer"})})

    right, wrong = ("[" * 150 + each + "]" * 150 for each in ("1", "'a'"))

    assert sandbox.remarks(f"await f(x={right})", sdk=sdk) == []
    assert sandbox.remarks(f"await f(x={wrong})", sdk=sdk) != []


def test_ten_thousand_arguments_are_all_there(sandbox: Checker) -> None:
    sdk = text({f"p{at}": {"type": "string"} for at in range(10_000)})

    assert sandbox.remarks("await f(p0='', p9999='')", sdk=sdk) == []
    assert sandbox.remarks("await f(p9999=1)", sdk=sdk) != []


def test_ten_thousand_objects_have_ten_thousand_types() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "integer"}}}

    assert text({f"p{at}": inner for at in range(10_000)}).count("(TypedDict") == 10_001


def linked(count: int, link: Callable[[JSON], JSON]) -> dict[str, JSON]:
    """Definitions each of which holds the next, the last the first."""
    return {f"D{at}": link({"$ref": f"#/$defs/D{(at + 1) % count}"}) for at in range(count)}


LINKS: dict[str, Callable[[JSON], JSON]] = {
    "nothing else": lambda link: link,
    "lists": lambda link: {"type": "array", "items": link},
    "lists or numbers": lambda link: {"anyOf": [KINDS["lists"](link), {"type": "integer"}]},
    "lists and dicts": lambda link: {"anyOf": [KINDS["lists"](link), KINDS["dicts"](link)]},
    "objects": lambda link: {"type": "object", "properties": {"n": link}},
    "parts": lambda link: {"allOf": [link, {"properties": {"n": link}}]},
    "words beside": lambda link: {"anyOf": [{**link, "minProperties": 0}] * 9},
    "branches": lambda link: {"type": "object", "properties": {"a": link}, "anyOf": [link] * 9},
}


@pytest.mark.parametrize("count", [2, 40, 300])
@pytest.mark.parametrize("kind", LINKS)
def test_a_long_circle_of_definitions_has_an_sdk(kind: str, count: int, sandbox: Checker) -> None:
    first = {"$ref": "#/$defs/D0"}

    sdk = text({"x": first, "y": first}, **{"$defs": linked(count, LINKS[kind])})

    assert sandbox.passes(sdk)


def test_many_schemas_that_each_add_to_a_large_one_have_an_sdk() -> None:
    large = {"type": "object", "properties": {f"p{at}": {} for at in range(2_000)}}
    adding = {f"x{at}": {"$ref": "#/$defs/L", "properties": {"q": {}}} for at in range(2_000)}

    assert len(text(adding, **{"$defs": {"L": large}})) < 3_000_000


def test_a_key_of_two_megabytes_costs_no_more_than_itself(sandbox: Checker) -> None:
    inner = {f"p{at}": {"type": "object", "properties": {"z": {}}} for at in range(2_000)}

    sdk = text({"x": {"type": "object", "properties": {"k" * 2**21: KINDS["objects"](inner)}}})

    assert len(sdk) < 1_000
    assert sandbox.remarks("await f(x={'other': 1})", sdk=sdk) == []


def test_five_hundred_tools_have_an_sdk_soon(sandbox: Checker) -> None:
    properties: Any = {f"p{at}": {"type": "string", "description": "What."} for at in range(6)}
    tools = {f"tool_{at}": tool_of(properties, description="Do it.") for at in range(500)}
    start = time.perf_counter()

    sdk = sdk_of(**tools)

    assert time.perf_counter() - start < SOON
    assert sandbox.passes(sdk.text)
