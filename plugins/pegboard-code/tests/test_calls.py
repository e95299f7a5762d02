"""The calls that a program makes."""

import asyncio
from typing import Any

import pytest
from pegboard import ToolCallError


@pytest.mark.parametrize(
    ("program", "name", "arguments"),
    [
        ("await echo(value='x')", "echo", {"value": "x"}),
        ("await any(match=1, _x=2)", "any", {"match": 1, "_x": 2}),
        ("await any()", "any", {}),
        ("await match(**{'a-b': 1, 'class': 2})", "match", {"a-b": 1, "class": 2}),
        ("await tools['a-b']({'a-b': 1})", "a-b", {"a-b": 1}),
        ("await tools['match'](x=(1, (2,)))", "match", {"x": [1, [2]]}),
        ("x: EchoArguments = {'value': 'x'}\nawait echo(**x)", "echo", {"value": "x"}),
        ("await echo(**EchoArguments(value='x'))", "echo", {"value": "x"}),
        ("f = any\ndef g(): return f(x=2**70)\nawait g()", "any", {"x": 2**70}),
        ("import asyncio\nasyncio.run(any(x=1))", "any", {"x": 1}),
    ],
)
async def test_a_call_arrives_with_its_name_and_its_arguments(
    lab: Any, program: str, name: str, arguments: dict[str, Any]
) -> None:
    async with lab() as it:
        await it.run(program)

    assert it.calls == [(name, arguments)]


async def test_values_and_arguments_pass_exactly_and_deep(lab: Any) -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = {"a": [deep]}

    async with lab() as it:
        given = await it.value("await any(give=await any(deep=1))", dispatch=_giving(it, deep))

    assert it.calls[1] == ("any", {"give": deep})
    assert given == deep


def _giving(it: Any, deep: Any) -> Any:
    def dispatch(name: str, arguments: Any) -> Any:
        it.calls.append((name, dict(arguments)))
        return asyncio.sleep(0, deep)

    return dispatch


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("any({'a': 1}, b=2)", "not both at once"),
        ("any({'a': 1}, {'b': 2})", "not 2 positional ones"),
        ("any(1)", "takes keyword arguments, or one dict of them"),
        ("any({1: 2})", "a key of type int"),
        ("any(x={1})", "of type set"),
        ("any(x=any)", "what any() was given, at ['x'], is of type function"),
        ("any(x={'a': [range(3)]})", "at ['x']['a'][0], is of type range"),
        ("any({'x': {1: 2}.keys()})", "at ['x'], is of type dict_keys"),
        ("any(x=float('inf'))", "is inf"),
        ("any(x=10**4300)", "more than 4300 digits"),
    ],
)
async def test_arguments_that_cannot_be_are_a_type_error_in_the_program(
    lab: Any, call: str, says: str
) -> None:
    program = f"try:\n    await {call}  # type: ignore\nexcept TypeError as e:\n    print(str(e))"

    async with lab() as it:
        await it.run(program)

    assert says in it.text
    assert it.calls == []


async def test_a_call_that_was_not_awaited_is_no_argument(lab: Any) -> None:
    async with lab() as it:
        error = await it.fault("await any(x=any(y=1))")

    assert "at ['x'], is of type coroutine" in str(error)
    assert "write `await` before the call" in str(error)


async def test_calls_are_made_in_the_order_of_the_program_and_at_once(lab: Any) -> None:
    program = """
import asyncio
async def two(n):
    await any(n=n)
    return await any(n=n + 100)
first = any(n=-2, wait=0.01)
any(n=-1, wait=3600)
await asyncio.gather(*[two(n) for n in range(30)])
await first
"""
    async with lab() as it:
        await it.run(program)

    assert [each[1]["n"] for each in it.calls] == [-2, -1, *range(30), *range(100, 130)]


async def test_two_calls_that_are_made_before_either_is_awaited_overlap(lab: Any) -> None:
    started: list[str] = []
    both = asyncio.Event()

    async def meet(name: str) -> str:
        started.append(name)
        if len(started) == 2:
            both.set()
        await both.wait()
        return name

    async with lab() as it:
        program = "a = any(x=1)\nb = echo(value='x')\n(await b, await a)"
        value = await it.value(program, dispatch=lambda name, _: meet(name))

    assert value == ["echo", "any"]


async def test_a_call_that_fails_raises_what_the_program_catches_as_tool_call_error(
    lab: Any,
) -> None:
    program = """
try:
    await any(fail="é: no\\nway")
except ToolCallError as error:
    print(str(error), isinstance(error, ToolCallError))
"go on"
"""
    async with lab() as it:
        value = await it.value(program)

    assert (value, it.text) == ("go on", "é: no\nway True\n")


async def test_a_failure_that_is_not_caught_is_named_for_what_it_is(lab: Any) -> None:
    async with lab() as it:
        error = await it.fault("x = 1\nawait any(fail='no way')")

    assert (error.kind, error.line) == ("exception", 2)
    assert "ToolCallError: no way" in str(error)


async def test_a_dispatch_that_raises_at_once_is_a_failed_call_too(lab: Any) -> None:
    def refuse(name: str, arguments: Any) -> Any:
        raise ToolCallError("not now")

    async with lab() as it:
        error = await it.fault("await any()", dispatch=refuse)

    assert "ToolCallError: not now" in str(error)


async def test_what_else_a_dispatch_raises_ends_the_run_as_it_is(lab: Any) -> None:
    async def broken(name: str, arguments: Any) -> Any:
        raise LookupError("the host's own fault")

    async with lab() as it:
        with pytest.raises(LookupError, match="the host's own fault"):
            await it.run("try:\n    await any()\nexcept BaseException:\n    pass", dispatch=broken)


async def test_a_thousand_calls_of_which_half_overlap_all_give_their_value(lab: Any) -> None:
    program = """
import asyncio
total = 0
for n in range(500):
    total += await any(give=1)
total + sum(await asyncio.gather(*[any(give=1, wait=0.01) for _ in range(500)]))
"""
    async with lab() as it:
        assert await it.value(program) == 1000


async def test_more_calls_than_may_be_open_wait_and_are_all_made(lab: Any) -> None:
    program = "import asyncio\nsum(await asyncio.gather(*[any(give=1) for _ in range(3000)]))"

    async with lab() as it:
        assert await it.value(program) == 3000


async def test_sleeping_programs_hold_nothing_up(lab: Any) -> None:
    program = """
import asyncio, time
async def after(seconds, name):
    await asyncio.sleep(seconds)
    print(name)
await asyncio.gather(after(0.2, "late"), after(0.02, "early"), after(0, "first"))
time.sleep(0.01)
"""
    async with lab() as it:
        await it.run(program)

    assert it.text == "first\nearly\nlate\n"
