"""What to do instead, as the author of a refused program reads it."""

from typing import Any

import attrs
import pytest
from pegboard import Sdk
from pegboard_code.hints import MODULES, TYPES

PUT = """\
class PutRow(TypedDict, closed=True):
    a: int
    bee: NotRequired[str]
class PutArguments(TypedDict, closed=True):
    rows: NotRequired[list[PutRow]]
    mode: NotRequired[Literal["a", "b"]]
class PutResult(TypedDict):
    done: NotRequired[str]
async def put(**arguments: Unpack[PutArguments]) -> PutResult:
    \"\"\"Put rows.\"\"\"
"""


@pytest.fixture
def sdk() -> Sdk:
    """A tool that takes shapes; there are no others, and so no `tools`."""
    head = "from typing import Any, Literal, NotRequired, Protocol, TypedDict, Unpack\n"
    error = "class ToolCallError(Exception): ...\n"
    text = f"# ty: ignore[empty-body, unknown-argument]\n{head}{error}{PUT}"
    return Sdk(text=text, functions=("put",), names=("put",), declarations={"put": PUT})


@pytest.fixture
def both(sdk: Sdk) -> Sdk:
    """That tool, and one that only `tools` has."""
    odd = "class ABCall(Protocol):\n    async def __call__(self) -> Any: ...\n"
    text = f'{sdk.text}{odd}Tools = TypedDict("Tools", {{"a-b": ABCall}})\ntools: Tools\n'
    return attrs.evolve(sdk, text=text, names=("a-b", "put"))


@pytest.mark.parametrize("program", ["await tools['put']()", "x = tools['put']\nawait x()"])
async def test_a_function_that_is_looked_for_in_tools_is_called_by_its_name(
    lab: Any, both: Sdk, program: str
) -> None:
    async with lab() as it:
        it.sdk = both
        error = await it.fault(program)

    assert "; write `await put(…)`" in str(error)
    assert "use tools[" not in str(error)


@pytest.mark.parametrize("name", ["put", "pot", "zzz", "tools"])
async def test_tools_is_not_spoken_of_where_there_is_none(lab: Any, sdk: Sdk, name: str) -> None:
    async with lab() as it:
        it.sdk = sdk
        told = str(await it.fault(f"await tools['{name}']()"))

    assert 'tools["' not in told
    assert "the tools are put" in told


async def test_a_near_name_in_tools_is_told_once(lab: Any, both: Sdk) -> None:
    async with lab() as it:
        it.sdk = both
        told = str(await it.fault("await tools['a_b']()"))

    assert 'did you mean tools["a-b"]?' in told
    assert told.count("did you mean") == 1


@pytest.mark.parametrize(
    "program",
    [
        "put = await put()",
        "put = 1",
        "for put in [1]: pass",
        "async def f():\n    put = await put()\n    return put\nawait f()",
        "async def f():\n    for put in [await put()]:\n        pass\nawait f()",
    ],
)
async def test_a_variable_that_takes_the_name_of_a_tool_needs_another(
    lab: Any, sdk: Sdk, program: str
) -> None:
    async with lab() as it:
        it.sdk = sdk
        error = await it.fault(program)

    assert "`put` is a tool: give the variable another name" in str(error)
    assert "tools[" not in str(error)


async def test_that_is_told_of_a_program_whose_check_was_skipped_too(lab: Any, sdk: Sdk) -> None:
    program = "async def f():\n    put = await put()  # type: ignore\nawait f()"

    async with lab() as it:
        it.sdk = sdk
        error = await it.fault(program)

    assert (error.kind, error.line) == ("exception", 2)
    assert "`put` is a tool: give the variable another name" in str(error)


@pytest.mark.parametrize(
    ("program", "near"),
    [
        ("(await put())['nope']", 0),
        ("(await put())['dne']", 1),
        ("await put(rows=[{'a': 1, 'be': 'x'}])", 1),
        ("await put(rows=[{'a': 1, 'nope': 'x'}])", 0),
        ("await put(nope=1)", 0),
    ],
)
async def test_tools_are_not_named_for_keys_that_are_not_there(
    lab: Any, sdk: Sdk, program: str, near: int
) -> None:
    async with lab() as it:
        it.sdk = sdk
        told = str(await it.fault(program))

    assert "the tools are" not in told
    assert told.count("did you mean") == near


@pytest.mark.parametrize("name", ["super", "callable", "dir"])
async def test_a_builtin_that_the_sandbox_lacks_is_no_misspelt_tool(lab: Any, name: str) -> None:
    async with lab() as it:
        error = await it.fault(f"x = {name}")

    assert "the sandbox has no such builtin" in str(error)


async def test_what_is_told_to_be_imported_from_typing_is_there(lab: Any) -> None:
    async with lab() as it:
        assert await it.value(f"from typing import {', '.join(sorted(TYPES))}\n1") == 1
        error = await it.fault("from typing import TypedDict")

    assert "typing lacks that here" in str(error)


async def test_every_module_that_is_told_of_is_there(lab: Any) -> None:
    async with lab() as it:
        assert await it.value(f"import {', '.join(MODULES)}\n1  # type: ignore") == 1


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("x = json.dumps(1)", "write `import json`"),
        ("async def f():\n    await asyncio.gather()", "write `import asyncio`"),
        ("x: list[Any] = []", "write `from typing import Any`"),
    ],
)
async def test_a_name_that_was_to_be_imported_is_told_where_from(
    lab: Any, program: str, says: str
) -> None:
    async with lab() as it:
        error = await it.fault(program)

    assert says in str(error)
    assert "the tools are" not in str(error)


@pytest.mark.parametrize(
    ("program", "annotated"),
    [
        ("rows = []\nrows.append({'a': 1})\nawait put(rows=rows)", "rows: list[PutRow] = …"),
        ("rows = [{'a': 1}]\nawait put(\n    rows=rows,\n)", "rows: list[PutRow] = …"),
        ("rows = [{'a': 1}]\nx = await put(rows = rows)", "rows: list[PutRow] = …"),
        ("args = {'mode': 'x' and 'a'}\nawait put(**args)", "args: PutArguments = …"),
        ("for each in [{'rows': []}]:\n    await put(**each)", "each: PutArguments = …"),
        ("async def f(m: str):\n    await put(mode=m)", 'm: Literal["a", "b"] = …'),
        ("row = {'a': 1}\nawait put(rows=[row])", "so that it is list[PutRow]"),
        ("async def f(row: dict):\n    await put(rows=[row])", "so that it is list[PutRow]"),
        ("r = [{'a': 1}]\nx: PutArguments = {'rows': r}", "r: list[PutRow] = …"),
    ],
)
async def test_a_value_that_may_be_right_is_told_the_type_that_it_needs(
    lab: Any, sdk: Sdk, program: str, annotated: str
) -> None:
    async with lab() as it:
        it.sdk = sdk
        told = str(await it.fault(program))

    assert annotated in told
    assert "or write the literal in the call" in told


@pytest.mark.parametrize(
    "program",
    [
        "await put(rows='x')",
        "await put(mode='c')",
        "await put(rows=[{'a': 'x'}])",
        "await put(rows=[{'a': 1, 'nope': 2}])",
        "rows = 5\nawait put(rows=rows)",
    ],
)
async def test_a_value_that_is_wrong_is_not_told_so(lab: Any, sdk: Sdk, program: str) -> None:
    async with lab() as it:
        it.sdk = sdk
        error = await it.fault(program)

    assert error.kind == "types"
    assert "annotate" not in str(error)


@pytest.mark.parametrize(
    "program",
    [
        "rows: list[PutRow] = []\nrows.append({'a': 1})\nawait put(rows=rows)",
        "args: PutArguments = {}\nargs['mode'] = 'a'\nawait put(**args)",
        "from typing import Literal\nasync def f(m: Literal['a']): await put(mode=m)\nawait f('a')",
        "async def f(row: PutRow):\n    await put(rows=[row])\nawait f({'a': 1})",
    ],
)
async def test_what_is_annotated_so_runs(lab: Any, sdk: Sdk, program: str) -> None:
    async with lab() as it:
        it.sdk = sdk
        await it.run(program)

    assert [name for name, _ in it.calls] == ["put"]
