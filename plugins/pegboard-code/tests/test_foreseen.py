"""What a program can't come to its end with, told before anything of it runs."""

from typing import Any

import pytest

HEAD = "import asyncio\nawait any(x=1)\n"


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("await asyncio.gather(any(), any(), return_exceptions=True)", 3),
        ("x = await asyncio.gather(any(), return_exceptions=False)", 3),
        ("x = [1, *await asyncio.gather(any(), return_exceptions=True)]", 3),
        ("for x in await asyncio.gather(any(), return_exceptions=True): pass", 3),
        ("if await asyncio.gather(any(), return_exceptions=True): pass", 3),
        ("try:\n    await asyncio.gather(return_exceptions=True)\nfinally:\n    pass", 4),
        ("from asyncio import gather as g\nawait g(return_exceptions=True)", 4),
        ("async def f():\n    await asyncio.gather(return_exceptions=True)\nawait f()", 4),
        ("async def f():\n    await asyncio.gather(return_exceptions=True)\nasyncio.run(f())", 4),
        ("async def f():\n    raise SystemExit(1)\nawait asyncio.gather(f(), any())", 4),
        ("for x in [1]:\n    break\nraise SystemExit", 5),
        ("def f():\n    raise SystemExit(1)\nf()", 4),
        ("exit()", 3),
        ("quit()", 3),
    ],
)
async def test_what_fails_in_every_run_is_refused_before_the_first_call(
    lab: Any, program: str, line: int
) -> None:
    async with lab() as it:
        error = await it.fault(HEAD + program)

    assert (error.kind, error.line, it.calls) == ("types", line, [])
    assert "nothing of it has run" in str(error)
    assert "`except ToolCallError`" in str(error) or "programs have no exit" in str(error)


@pytest.mark.parametrize(
    "program",
    [
        "if not await any(x=1):\n    await asyncio.gather(any(), return_exceptions=True)",
        "for x in []:\n    await asyncio.gather(x, return_exceptions=True)",
        "[await asyncio.gather(x, return_exceptions=True) for x in []]",
        "True or await asyncio.gather(any(), return_exceptions=True)",
        "try:\n    await asyncio.gather(return_exceptions=True)\nexcept Exception:\n    pass",
        "try:\n    raise SystemExit\nexcept SystemExit:\n    pass",
        "async def f():\n    await asyncio.gather(return_exceptions=True)",
        "async def f():\n    await asyncio.gather(return_exceptions=True)\nf()",
        "async def f(x: int):\n    if x:\n        return\n    raise SystemExit\nawait f(1)",
        "def f():\n    try:\n        raise SystemExit\n    finally:\n        return\nf()",
        "class A:\n    def gather(self, **_): pass\ndef f(asyncio): asyncio.gather(x=1)\nf(A())",
        "def gather(return_exceptions): pass\ngather(return_exceptions=True)",
        "def f(x):\n    return x and raising()\ndef raising():\n    raise SystemExit\nf(0)",
        "def exit(): pass\nexit()",
        "await asyncio.gather(any(), **{})",
        "lambda: exit()\n1",
    ],
)
async def test_what_may_come_to_its_end_is_run(lab: Any, program: str) -> None:
    async with lab() as it:
        await it.run(f"import asyncio\nawait any(x=1)\n{program}\nNone  # type: ignore")

    assert it.calls[0] == ("any", {"x": 1})


async def test_what_fails_in_some_runs_says_what_to_do_instead(lab: Any) -> None:
    program = "import asyncio\nif True:\n    await asyncio.gather(any(), return_exceptions=True)"

    async with lab() as it:
        error = await it.fault(program)

    assert (error.kind, error.line) == ("exception", 3)
    assert "takes no keyword arguments here" in str(error)


async def test_a_tool_that_is_called_like_an_exit_is_called(lab: Any) -> None:
    async with lab() as it:
        it.sdk = _with(it.sdk, "exit")
        await it.run("await exit(x=1)\nawait exit(x=2)")

    assert [name for name, _ in it.calls] == ["exit", "exit"]


def _with(sdk: Any, name: str) -> Any:
    text = f"{sdk.text}\nasync def {name}(**arguments: Any) -> Any:\n    ''\n"
    return type(sdk)(text, (*sdk.functions, name), (*sdk.names, name), sdk.declarations)


async def test_what_is_said_to_be_done_instead_works(lab: Any) -> None:
    program = """
import asyncio
async def safe(fail):
    try:
        return await any(fail=fail) if fail else await any(give=1)
    except ToolCallError as error:
        return str(error)
await asyncio.gather(safe(""), safe("no"))
"""
    async with lab() as it:
        assert await it.value(program) == [1, "no"]
