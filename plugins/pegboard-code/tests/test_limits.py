"""What a program may use, and what happens where it wants more."""

import asyncio
import resource
import time
from typing import Any

import pytest
from pegboard import ProgramError

MIB = 2**20


@pytest.mark.parametrize(
    "program",
    [
        "while True: pass",
        "x = 7\nwhile True: x = x * x",
        "sum(range(10**13))",
        "'a' * 10\nx = 'a' * 30_000_000\nwhile True: x.count('aaaaaaaab')",
        "try:\n    while True: pass\nexcept BaseException:\n    pass\nwhile True: pass",
        "\n".join(f"x{n} = 1 if 1 else 'a{n}'" for n in range(20_000)),
    ],
)
async def test_a_program_that_computes_for_too_long_is_a_timeout(lab: Any, program: str) -> None:
    async with lab() as it:
        error = await it.fault(program, interpreter_time=0.5, memory=256 * MIB)

    assert error.kind == "timeout"
    assert "longer than 0.5 s" in str(error)


async def test_waiting_for_calls_and_sleeping_are_not_computing(lab: Any) -> None:
    program = "import time\ntime.sleep(0.4)\nawait any(wait=0.4)\n1"

    async with lab() as it:
        assert await it.value(program, interpreter_time=0.5) == 1


@pytest.mark.parametrize(
    "program",
    [
        "x = []\nwhile True: x.append('a' * 1000)",
        "'x' * 10**10",
        "10 ** 10**9",
        "list(range(10**10))",
        "f'{1:>10000000000}'",
        "x = 'a' * 1000\nwhile True: x = x.replace('a', 'aa')",
        "import json\njson.loads('[' + '1,' * 30_000_000 + '1]')",
        "import asyncio\nasync def f(): pass\nasyncio.gather(*[f() for _ in range(10**8)])",
        "eval('1+' * 10_000_000 + '1')",
        "raise ValueError('x' * 60_000_000)",
        "x = '" + "a" * 40_000_000 + "'",
        "x = 1\n" * 4_000_000,
    ],
)
async def test_a_program_that_needs_too_much_memory_is_a_memory_fault(
    lab: Any, program: str
) -> None:
    async with lab() as it:
        error = await it.fault(program, memory=64 * MIB)

    assert error.kind == "memory"
    assert "64 MiB" in str(error)


@pytest.mark.parametrize(
    "program",
    ["print('x' * 100_000_000)", "while True: print('x' * 1000)", "while True: print(1)"],
)
async def test_a_program_that_prints_too_much_ends_at_once_and_fills_no_memory(
    lab: Any, program: str
) -> None:
    before = _most_memory()
    taken = 0

    def take(text: str) -> None:
        nonlocal taken
        taken += len(text)
        if taken > MIB:
            raise ProgramError("output", "too much")

    async with lab() as it:
        error = await it.fault(program, output=take)

    assert (error.kind, str(error)) == ("output", "too much")
    assert taken < 2 * MIB
    assert _most_memory() - before < 32 * MIB


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


async def test_an_endless_print_does_not_hold_up_the_loop_or_fill_memory(lab: Any) -> None:
    before = _most_memory()

    async with lab() as it:
        task = it.start("while True: print('x' * 1000)", output=lambda text: None)
        for _ in range(100):
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])

    assert task.cancelled()
    assert _most_memory() - before < 32 * MIB


async def test_what_was_printed_before_a_limit_is_kept(lab: Any) -> None:
    async with lab() as it:
        late = await it.fault("print('one')\nwhile True: pass", interpreter_time=0.3)
        full = await it.fault("print('two')\n'x' * 10**10")

    assert (late.kind, full.kind, it.text) == ("timeout", "memory", "one\ntwo\n")


async def test_a_program_for_which_no_worker_gets_free_is_told_so(lab: Any) -> None:
    async with lab(workers=1) as it:
        task = it.start("while True: pass")
        await asyncio.sleep(0)
        error = await it.fault("1", wall_time=0.3)
        task.cancel()
        await asyncio.wait([task])

    assert error.kind == "timeout"
    assert "all 1 workers were busy" in str(error)


@pytest.mark.parametrize("wall_time", [0.3, 1, 2.5])
async def test_that_is_told_well_before_the_host_ends_the_program(
    lab: Any, wall_time: float
) -> None:
    async with lab(workers=1) as it:
        task = it.start("while True: pass")
        await asyncio.sleep(0)
        begun = asyncio.get_running_loop().time()
        error = await it.fault("1", wall_time=wall_time)
        took = asyncio.get_running_loop().time() - begun
        task.cancel()
        await asyncio.wait([task])

    assert "the program has not begun" in str(error)
    assert took < 0.75 * wall_time


async def test_a_program_whose_worker_does_not_start_in_time_is_told_that_it_has_not_begun(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pegboard_code.worker import Worker

    monkeypatch.setattr(Worker, "open", lambda self: time.sleep(1))

    async with lab(keep_warm=False) as it:
        error = await it.fault("1", wall_time=0.4)

    assert (error.kind, it.text) == ("timeout", "")
    assert "the program has not begun" in str(error)


async def test_a_program_that_has_begun_is_not_told_that_it_has_not(lab: Any) -> None:
    async with lab() as it:
        value = await it.value("import time\ntime.sleep(0.6)\n1", wall_time=1)

    assert value == 1


async def test_calls_that_give_too_much_at_once_end_a_program_for_want_of_memory(lab: Any) -> None:
    async def much(name: str, arguments: Any) -> str:
        return "y" * 10 * 2**20

    program = "import asyncio\nr = await asyncio.gather(*[any() for _ in range(30)])"
    async with lab(keep_warm=False) as it:
        error = await it.fault(program, dispatch=much)

    ways = ("gave too much at once; wait for fewer", "needed more than 128 MiB of memory")
    assert error.kind == "memory"
    assert any(each in str(error) for each in ways)  # how many are answered at once varies
