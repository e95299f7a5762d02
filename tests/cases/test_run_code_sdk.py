"""The cases of section run_code: the SDK."""

import ast
import builtins
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import JSON, Code, Tool
from pegboard_cases import named, raw, says
from pegboard_policies import failed, succeeded
from pegboard_sandboxed import ran, sandboxed

pytestmark = pytest.mark.usefixtures("sandboxes")

NAMES = ["read_file", "a-b", "class", "match", "_x"]
POINT: JSON = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}


async def sdk_of(*tools: Tool) -> str:
    """The text of the SDK on a board with these tools, which compiles."""
    async with sandboxed(*tools) as (_, board):
        compile(board.sdk, "<sdk>", "exec")
        return board.sdk


def with_properties(properties: JSON, *required: str, name: str = "f", **options: Any) -> Tool:
    """A tool with these properties that gives back its arguments."""
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return raw(lambda arguments, _: arguments, name=name, parameters=parameters, **options)


async def test_p_349_identifiers_are_functions_and_all_tools_stand_in_one_order() -> None:
    sdk = await sdk_of(*map(named, NAMES))

    nodes = [each for each in ast.walk(ast.parse(sdk)) if isinstance(each, ast.AsyncFunctionDef)]
    functions = [each.name for each in nodes if each.name != "__call__"]
    places = [sdk.index(f"async def {each}(") for each in ("_x", "match", "read_file")]

    assert sorted(functions) == ["_x", "match", "read_file"]
    assert places == sorted(places)
    assert places[0] < sdk.index("class ABCall(") < sdk.index("class ClassCall(") < places[1]


async def test_p_349_every_one_of_them_can_be_called() -> None:
    calls = ["read_file()", "match()", "_x()", "tools['a-b']()", "tools['class']()"]
    code = f"[{', '.join(f'await {each}' for each in calls)}]"

    outcome = await ran(code, *map(named, NAMES))

    assert succeeded(outcome).value["result"] == ["read_file", "match", "_x", "a-b", "class"]


def types_of(sdk: str) -> list[str]:
    """The names of the types of arguments that an SDK defines, in order."""
    found = [each.name for each in ast.parse(sdk).body if isinstance(each, ast.ClassDef)]
    return [each for each in found if "Arguments" in each]


TWO_NAMES = """
import asyncio
from test_run_code_sdk import sdk_of, types_of, with_properties
tools = [with_properties({"x": {}}, name=each) for each in ("a-b", "a_b")]
print(*types_of(asyncio.run(sdk_of(*tools))))
"""


async def test_p_350_two_names_that_differ_in_a_dash_have_different_types_on_every_run() -> None:
    names = types_of(await sdk_of(*(with_properties({"x": {}}, name=e) for e in ("a-b", "a_b"))))
    path = ":".join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": path}

    again = subprocess.check_output([sys.executable, "-c", TWO_NAMES], text=True, env=environment)

    assert len(set(names)) == 2
    assert again.split() == names


async def test_p_351_required_keys_are_plain_and_descriptions_stand_beside_keys() -> None:
    limit = {"type": "integer", "description": "How many,\nat most.", "default": 10}

    sdk = await sdk_of(with_properties({"q": {"type": "string"}, "limit": limit}, "q"))

    assert "    q: str\n" in sdk
    assert "    limit: NotRequired[int]  # How many, at most. (default 10)\n" in sdk


def names_in(node: ast.AST) -> set[str]:
    """The names that a statement reads, quoted ones aside."""
    names = (each for each in ast.walk(node) if isinstance(each, ast.Name))
    return {each.id for each in names if isinstance(each.ctx, ast.Load)}


async def test_p_352_every_type_is_defined_before_it_is_used() -> None:
    line = {"type": "object", "properties": {"to": POINT, "class": POINT}}
    fields = {"lines": {"type": "array", "items": line}, "at": POINT}

    head, *statements = ast.parse(await sdk_of(with_properties(fields))).body

    known = {*dir(builtins), *(each.name for each in getattr(head, "names", []))}
    for each in statements:
        assert names_in(each) <= known
        known |= {getattr(each, "name", "")} | {e.id for e in getattr(each, "targets", [])}
    assert {"FLinesItem", "FTo", "FClass", "FAt"} <= known


ODD_FIELDS = ["a-b", "class", "__tok"]


@pytest.mark.parametrize("field", ODD_FIELDS)
async def test_p_353_a_field_that_is_no_keyword_is_given_in_a_dict(field: str) -> None:
    tool = with_properties({field: {"type": "string"}, "b": {"type": "integer"}}, field)

    outcome = await ran(f"await f({{{field!r}: 'x', 'b': 1}})", tool)
    wrong = await ran(f"await f({{{field!r}: 1}})", tool)

    assert succeeded(outcome).value["result"] == {field: "x", "b": 1}
    assert failed(wrong, Code.CODE_FAILED).details["kind"] == "types"


async def test_p_353_fields_of_any_name_inside_an_argument_are_given_as_they_are() -> None:
    inner = {"type": "object", "properties": {each: {"type": "string"} for each in ODD_FIELDS}}
    value = dict.fromkeys(ODD_FIELDS, "x")

    outcome = await ran(f"await f(inner={value!r})", with_properties({"inner": inner}))

    assert succeeded(outcome).value["result"] == {"inner": value}


async def test_p_354_soft_keywords_and_names_beyond_ascii_are_kept() -> None:
    fields = {each: {"type": "integer"} for each in ("match", "größe", "_p")}
    tool = with_properties(fields, *fields)

    sdk, outcome = await sdk_of(tool), await ran("await f(match=1, größe=2, _p=3)", tool)

    assert "    match: int\n    größe: int\n    _p: int\n" in sdk
    assert succeeded(outcome).value["result"] == {"match": 1, "größe": 2, "_p": 3}


LARGE = 2**53 + 1
EXACT: list[tuple[JSON, str]] = [
    ({"enum": ["a", 1, True, None]}, 'Literal["a", 1, True] | None'),
    ({"const": "only"}, 'Literal["only"]'),
    ({"const": LARGE}, f"Literal[{LARGE}]"),
]


@pytest.mark.parametrize(("schema", "expected"), EXACT)
async def test_p_355_listed_values_are_exact(schema: JSON, expected: str) -> None:
    assert f"    x: {expected}\n" in await sdk_of(with_properties({"x": schema}, "x"))


async def test_p_355_a_value_that_is_not_listed_is_refused_by_the_types() -> None:
    tool = with_properties({"x": {"const": LARGE}}, "x")

    right, wrong = [await ran(f"await f(x={each})", tool) for each in (LARGE, LARGE - 1)]

    assert succeeded(right).value["result"] == {"x": LARGE}
    assert says(failed(wrong, Code.CODE_FAILED).message, str(LARGE))


SAYINGS = [
    'say "hi" and """ and \'\'\'',
    "ends with a backslash \\",
    'ends with a quote "',
    '\\""" \\\\" # type: ignore',
    "one\nimport os\n\r\n    two\t\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467",
]


@pytest.mark.parametrize("saying", SAYINGS, ids=range(len(SAYINGS)))
async def test_p_356_nothing_gets_out_of_a_description(saying: str) -> None:
    fields = {"x": {"type": "string", "description": saying}}
    tool = attrs.evolve(with_properties(fields, "x"), description=saying)

    sdk, outcome = await sdk_of(tool), await ran("await f(x='a')", tool)

    kinds = [type(each) for each in ast.parse(sdk).body]
    assert kinds == [ast.ImportFrom, ast.ClassDef, ast.ClassDef, ast.AsyncFunctionDef]
    assert succeeded(outcome).value["result"] == {"x": "a"}


async def test_p_357_lists_nested_150_deep_have_an_sdk_that_compiles() -> None:
    schema: JSON = {"type": "integer"}
    for _ in range(150):
        schema = {"type": "array", "items": schema}
    tool, value = with_properties({"x": schema}, "x"), "[" * 150 + "1" + "]" * 150

    outcome = await ran(f"await f(x={value})\nNone", tool)

    assert succeeded(outcome).value["result"] is None


async def test_p_358_one_description_moves_one_part_only() -> None:
    tools = [with_properties({"x": POINT}, name=each) for each in ("a", "b-c", "b_c", "d")]
    changed = attrs.evolve(tools[1], description="Another.\nOf two lines.")

    before, after = await sdk_of(*tools), await sdk_of(tools[0], changed, *tools[2:])

    moved = [
        set(one.split("\n\n")) - set(two.split("\n\n"))
        for one, two in ((before, after), (after, before))
    ]
    assert [len(each) for each in moved] == [1, 1]
    assert "Of two lines." in moved[1].pop()
