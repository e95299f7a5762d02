"""Why a program gives nothing, and what its author reads of that."""

from pathlib import Path
from typing import Any

import pytest


async def test_a_type_error_stops_a_program_before_its_first_call(lab: Any) -> None:
    program = "await any(x=1)\nprint('begun')\nawait echo(value=3)"

    async with lab() as it:
        error = await it.fault(program)

    assert (error.kind, error.line) == ("types", 3)
    assert "line 3: Argument to function `echo` is incorrect: Expected `str`" in str(error)
    assert "    await echo(value=3)" in str(error)
    assert "class EchoArguments(TypedDict, closed=True):" in str(error)
    assert (it.calls, it.text) == ([], "")


async def test_only_the_declarations_of_the_tools_at_fault_are_shown_and_each_once(
    lab: Any,
) -> None:
    async with lab() as it:
        error = await it.fault("await echo(value=3)\nawait echo(valu='x')")

    assert str(error).count("async def echo") == 1
    assert "async def any" not in str(error)


async def test_a_tool_that_is_reached_by_its_text_is_shown_too(lab: Any) -> None:
    async with lab() as it:
        error = await it.fault("await tools['a-b']({'a-b': 'x'})")

    assert error.kind == "types"
    assert "class ABCall(Protocol):" in str(error)


@pytest.mark.parametrize(
    ("program", "hint"),
    [
        ("await eho(value='x')", "did you mean echo?"),
        ("await tools['a_b']({})", 'did you mean tools["a-b"]?'),
        ("await zzz()", 'the tools are tools["a-b"], any, echo, match'),
        ("open('x')", "programs have no files"),
        ("import numpy", "there are no packages here"),
        ("import asyncio\nasyncio.create_task(any())", "await asyncio.gather("),
    ],
)
async def test_a_name_that_is_not_there_is_answered_with_what_is(
    lab: Any, program: str, hint: str
) -> None:
    async with lab() as it:
        checked = await it.fault(program)
        ignored = await it.fault("\n".join(f"{e}  # type: ignore" for e in program.splitlines()))

    assert (checked.kind, ignored.kind) == ("types", "exception")
    assert hint in str(checked)
    assert hint in str(ignored) or "KeyError" in str(ignored)


async def test_what_the_checker_says_stays_short(lab: Any) -> None:
    program = "\n".join(f"await echo(value={'1' * 300}, x{n}={n})" for n in range(2000))

    async with lab() as it:
        error = await it.fault(program)

    assert error.kind == "types"
    assert len(str(error)) < 6000
    assert "more" in str(error)


@pytest.mark.parametrize(
    ("program", "line", "says"),
    [
        ("x = (1,\nprint(", 2, "unexpected EOF"),
        ("def f(:\n  pass", 1, "f(:"),
        ("x = 1\nclass A(int): pass", 2, "lacks class inheritance"),
        ("x = 1\ndel x", 2, "use pop()"),
        ("def f():\n    yield 1", 2, "build a list"),
        ("from os import *", 1, "import the names"),
        ("from __future__ import annotations\n1", 1, "leave it out"),
        ("return 5", 1, "outside of a function"),
        ("(" * 100_000 + ")" * 100_000, None, "too deeply nested"),
        ("x = 1\x00", 1, "unexpected token"),
    ],
)
async def test_a_program_that_cannot_be_read_is_a_syntax_fault_with_its_line(
    lab: Any, program: str, line: int | None, says: str
) -> None:
    async with lab() as it:
        error = await it.fault(program)

    assert (error.kind, error.line) == ("syntax", line)
    assert says in str(error)


@pytest.mark.parametrize(
    ("program", "line", "says"),
    [
        ("def f():\n    raise ValueError('deep')\n\nf()", 2, "ValueError: deep\n    raise Val"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("raise TimeoutError('x')", 1, "TimeoutError: x"),
        ("raise MemoryError", 1, "MemoryError"),
        ("raise KeyboardInterrupt", 1, "KeyboardInterrupt"),
        ("if True:\n    raise SystemExit(3)", 2, "SystemExit: programs have no exit"),
        ("if True:\n    raise SystemExit", 2, "SystemExit; programs have no exit"),
        ("raise ValueError(3)", 1, "ValueError: an exception takes one text here"),
        ("a = ValueError\nraise a(3)", None, "TypeError: an exception takes one text here"),
        ("raise ToolCallError('mine')", 1, "ToolCallError: mine"),
        ("e = ToolCallError('mine')\nraise e", 2, "ToolCallError: mine"),
        (
            "try:\n    raise ToolCallError('x')\nexcept ToolCallError:\n    raise",
            3,
            "ToolCallError",
        ),
        ("raise RuntimeError('mine')", 1, "RuntimeError: mine"),
        ("raise NotImplementedError('later')", 1, "NotImplementedError: later"),
        ("def f(): return f()\nf()", 1, "RecursionError"),
        ("if True: exit()", 1, "name 'exit' is not defined; programs have no exit"),
        ("x = 1\nassert x == 2", 2, "AssertionError"),
        ("eval('1/0')", 1, "ZeroDivisionError"),
        ("x = 1\neval('1 +')", 2, "SyntaxError: "),
    ],
)
async def test_what_a_program_raises_is_told_with_its_line(
    lab: Any, program: str, line: int | None, says: str
) -> None:
    async with lab() as it:
        error = await it.fault(program)

    assert (error.kind, error.line) == ("exception", line)
    assert says in str(error)


async def test_nothing_of_this_machine_is_told(lab: Any) -> None:
    async with lab() as it:
        errors = [await it.fault(each) for each in ("1/0", "await echo(value=1)", "x = (", "{1}")]

    told = "".join(map(str, errors))
    assert str(Path.home()) not in told
    assert "/" not in told.replace("1/0", "")
    assert "Traceback" not in told


async def test_a_program_that_is_only_warned_of_runs(lab: Any) -> None:
    async with lab() as it:
        value = await it.value("any(x=1)\n5")

    assert (value, it.calls) == (5, [("any", {"x": 1})])


async def test_ignoring_the_checker_skips_only_the_check(lab: Any) -> None:
    async with lab() as it:
        await it.run("await echo(value=3)  # type: ignore")

    assert it.calls == [("echo", {"value": 3})]


async def test_what_was_printed_before_an_exception_is_kept(lab: Any) -> None:
    async with lab() as it:
        error = await it.fault("print('one')\nprint('two', end='')\nraise ValueError('x')")

    assert (error.kind, it.text) == ("exception", "one\ntwo")


async def test_a_worker_that_cannot_be_started_is_told_and_logged(
    lab: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")

    async with lab() as it:
        error = await it.fault("1")

    assert error.kind == "worker lost"
    assert "no process could be started" in str(error)
    assert "/nowhere" not in str(error)
    assert "/nowhere/monty" in caplog.text
