"""What an SDK holds, under which names, and that nothing else moves when one tool changes."""

import gc
import itertools
import os
import subprocess
import sys
import weakref

import attrs
import pytest
from pegboard.sdk import SdkWriter
from pegboard.sdk.part import part_of
from pegboard_checked import Checker, sdk_of, text_of, tool_of

ITEM = {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_tools_stand_in_the_order_of_their_names() -> None:
    sdk = sdk_of(b=tool_of(), a=tool_of(), **{"a-b": tool_of(), "B": tool_of()})

    assert sdk.names == ("B", "a", "a-b", "b")
    assert [*sdk.declarations] == [*sdk.names]
    assert sdk.functions == ("B", "a", "b")


def test_the_text_is_a_head_and_the_parts_of_all_tools() -> None:
    sdk = sdk_of(b=tool_of({"x": ITEM}), a=tool_of())

    head, *_ = sdk.text.partition(sdk.declarations["a"])

    assert sdk.text == head + "\n".join(sdk.declarations.values())
    assert "class ToolCallError(Exception):" in head


def test_the_order_of_the_tools_is_without_effect() -> None:
    tools = [("a", tool_of()), ("b-c", tool_of({"x": ITEM})), ("b_c", tool_of({"x": ITEM}))]

    texts = {SdkWriter().write(each).text for each in itertools.permutations(tools)}

    assert len(texts) == 1


def test_the_order_of_the_definitions_is_without_effect() -> None:
    names = ["A", "B", "C"]
    refs = {"type": "object", "properties": {n: {"$ref": f"#/$defs/{n}"} for n in names}}
    schemas = [
        {**refs, "$defs": dict.fromkeys(each, refs)} for each in itertools.permutations(names)
    ]

    assert len({text_of(schema=each) for each in schemas}) == 1


PROGRAM = """
import sys
from pegboard_checked import sdk_of, tool_of
item = {"type": "object", "properties": {"a": {"enum": [1, "b", None]}, "b-c": {}, "b_c": {}}}
both = {"x y": item, "x_y": item, "z": {"anyOf": [item, {"$ref": "#/properties/z"}]}}
sys.stdout.write(sdk_of(**{"f": tool_of(both), "F": tool_of(both), "f-": tool_of(both)}).text)
"""


def test_the_text_is_the_same_in_every_process() -> None:
    def text(seed: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        return subprocess.check_output([sys.executable, "-c", PROGRAM], env=environment)

    assert text("1") == text("2") == text("3")


HIDING = ["print", "list", "str", "type", "tools", "asyncio", "TypedDict", "ToolCallError", "Any"]
ODD = [*HIDING, "a-b", "class", "None", "await", "__proto__", "__x", "Tools", "Union"]


@pytest.mark.parametrize("name", ODD)
def test_a_name_that_no_function_may_have_is_reached_through_tools(
    name: str, sandbox: Checker
) -> None:
    sdk = sdk_of(**{name: tool_of({"x": {"type": "string"}}, gives={"type": "string"})})

    assert sdk.functions == ()
    assert sandbox.passes(sdk.text)
    assert sandbox.remarks(f"(await tools[{name!r}](x='a')).upper()", sdk=sdk.text) == []
    assert sandbox.remarks(f"await tools[{name!r}](x=1)", sdk=sdk.text) != []


@pytest.mark.parametrize("name", ["match", "case", "_x", "_", "help", "license", "Echo", "json"])
def test_any_other_name_is_a_function(name: str, sandbox: Checker) -> None:
    sdk = sdk_of(**{name: tool_of({"x": {"type": "string"}})})

    assert sdk.functions == (name,)
    assert sandbox.passes(sdk.text)
    assert sandbox.remarks(f"await {name}(x='a')", sdk=sdk.text) == []


def test_a_tool_that_is_not_there_is_refused(sandbox: Checker) -> None:
    sdk = sdk_of(**{"a-b": tool_of(), "f": tool_of()}).text

    assert "Unknown key" in sandbox.remarks("await tools['nope']()", sdk=sdk)[0]
    assert "nope" in sandbox.remarks("await nope()", sdk=sdk)[0]


def test_a_tool_is_called_by_its_name_on_the_board() -> None:
    sdk = SdkWriter().write([("renamed", tool_of({"x": {}}, name="own"))])

    assert "async def renamed(**arguments: Unpack[RenamedArguments])" in sdk.text
    assert "own" not in sdk.text.lower().replace("unknown", "")


def types_in(text: str) -> set[str]:
    """The names of the types that a part defines."""
    first = (each.partition("(")[0].partition(" = ")[0] for each in text.splitlines())
    return {each.removeprefix("class ") for each in first if each[:1].isalpha()} - {"async def f"}


def test_types_that_would_have_equal_names_get_a_digest_each() -> None:
    sdk = sdk_of(**{"a-b": tool_of({"x": ITEM}), "a_b": tool_of({"x": ITEM})})

    names = [types_in(each) - {"async def a_b"} for each in sdk.declarations.values()]

    assert [len(each) for each in names] == [3, 2]
    assert names[0].isdisjoint(names[1])
    assert all("_" in each for each in names[1])


def test_types_inside_one_tool_that_would_have_equal_names_get_a_digest_each(
    sandbox: Checker,
) -> None:
    sdk = sdk_of(f=tool_of({"x": {"type": "object", "properties": {"i": ITEM, "I": ITEM}}}))

    assert len([each for each in types_in(sdk.text) if each.startswith("FI_")]) == 2
    assert sandbox.passes(sdk.text)


def test_a_type_of_what_a_tool_takes_and_one_of_what_it_gives_have_different_names() -> None:
    schema = {"type": "object", "properties": {"arguments": ITEM, "item": ITEM, "result": ITEM}}

    names = types_in(text_of(schema=schema, gives=schema))

    own = {"FArguments", "FArgumentsPart", "FItem", "FResultPart"}
    assert names == own | {"FResult", "FResultArgumentsPart", "FResultItem", "FResultResultPart"}


def test_no_type_has_the_name_of_a_function(sandbox: Checker) -> None:
    sdk = sdk_of(echo=tool_of({"x": ITEM}), EchoArguments=tool_of({"x": ITEM}), EchoX=tool_of())

    assert sdk.functions == ("EchoArguments", "EchoX", "echo")
    assert "class EchoArguments(" not in sdk.text
    assert sandbox.passes(sdk.text)


def test_no_type_has_a_name_that_means_something_else(sandbox: Checker) -> None:
    sdk = sdk_of(typed=tool_of({"dict": ITEM}), base=tool_of({"exception": ITEM}))

    assert "class TypedDict_" in sdk.text
    assert "class BaseException_" in sdk.text
    assert sandbox.passes(sdk.text)


def test_an_argument_that_is_called_as_a_type_of_the_tool_hides_nothing(sandbox: Checker) -> None:
    sdk = sdk_of(f=tool_of({"FItem": {"type": "string"}, "item": ITEM, "list": {"type": "array"}}))

    assert sandbox.remarks("await f(item={'a': 1}, FItem='', list=[])", sdk=sdk.text) == []
    assert sandbox.remarks("await f(item=1)", sdk=sdk.text) != []
    assert sandbox.remarks("await f(list=1)", sdk=sdk.text) != []


def test_one_tool_that_changes_costs_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    noted = lambda tool, name: read.append(name) or part_of(tool, name)  # noqa: E731
    monkeypatch.setattr("pegboard.sdk.writer.part_of", noted)
    kept, tools = SdkWriter(), {name: tool_of({"x": ITEM}) for name in ("a", "b", "c")}
    kept.write(tools.items())

    kept.write({**tools, "b": attrs.evolve(tools["b"], description="New.")}.items())

    assert read == ["a", "b", "c", "b"]


def test_what_was_read_of_a_tool_goes_with_it() -> None:
    writer, gone = SdkWriter(), tool_of({"x": ITEM})
    writer.write([("a", gone)])
    seen = weakref.ref(gone)

    del gone
    gc.collect()

    assert seen() is None


def test_an_sdk_of_no_tools_is_its_head(sandbox: Checker) -> None:
    sdk = SdkWriter().write([])

    assert (sdk.names, sdk.functions, dict(sdk.declarations)) == ((), (), {})
    assert sandbox.passes(sdk.text)
