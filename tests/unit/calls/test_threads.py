"""A bounded pool of threads that never holds up the interpreter's exit."""

import asyncio
import subprocess
import sys
import threading
import time
from contextvars import ContextVar

import pytest
from pegboard.calls.threads import PoolFullError, Raised, Returned, Threads, Worker

marked: ContextVar[str] = ContextVar("marked", default="?")


async def ended(pool: Threads) -> None:
    """Close a pool and wait until its threads are gone."""
    pool.close()
    while pool.alive:
        await asyncio.sleep(0.001)


async def test_a_function_gets_a_copy_of_its_callers_context() -> None:
    pool = Threads("t", most=1)
    marked.set("agent-7")

    def body() -> str:
        seen = marked.get()
        marked.set("changed")
        return seen

    found = await pool.submit(body).future
    await ended(pool)

    assert (found, marked.get()) == (Returned("agent-7"), "agent-7")


@pytest.mark.parametrize(
    "error",
    [ValueError("x"), StopIteration("x"), SystemExit(1), KeyboardInterrupt(), GeneratorExit()],
)
async def test_whatever_a_function_raises_is_a_value(error: BaseException) -> None:
    pool = Threads("t", most=1)

    def body() -> None:
        raise error

    found = await asyncio.wait_for(pool.submit(body).future, 5)
    await ended(pool)

    assert found == Raised(error)


async def test_no_more_than_the_most_run_at_once_and_all_get_their_turn() -> None:
    pool, lock, now, peak = Threads("t", most=3), threading.Lock(), [0], [0]

    def body() -> None:
        with lock:
            now[0] += 1
            peak[0] = max(peak[0], now[0])
        time.sleep(0.002)
        with lock:
            now[0] -= 1

    await asyncio.gather(*(pool.submit(body).future for _ in range(40)))
    await ended(pool)

    assert peak[0] == 3


async def test_a_thread_is_used_again_rather_than_a_new_one_started() -> None:
    pool = Threads("t", most=10)
    names = set()

    for _ in range(20):
        found = await pool.submit(threading.get_ident).future
        names.add(found.value if isinstance(found, Returned) else None)
        await asyncio.sleep(0.002)
    await ended(pool)

    assert len(names) <= 2


def test_the_interpreter_exits_while_threads_are_stuck() -> None:
    program = (
        "import asyncio, time\n"
        "from pegboard.calls.threads import Threads\n"
        "async def main():\n"
        "    pool = Threads('t', most=50)\n"
        "    for _ in range(50): pool.submit(lambda: time.sleep(60))\n"
        "    await asyncio.sleep(0.05)\n"
        "asyncio.run(main())\n"
        "print('left')\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False
    )

    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "left", "")


async def test_while_a_thread_is_lent_one_more_works_and_ends_when_it_is_back() -> None:
    pool, go = Threads("t", most=1), threading.Event()

    def waiting() -> None:
        thread = threading.current_thread()
        assert isinstance(thread, Worker)
        with thread.lent():
            go.wait(10)

    outer, inner = pool.submit(waiting), pool.submit(go.set)
    await asyncio.wait_for(asyncio.gather(outer.future, inner.future), 10)
    await asyncio.wait_for(pool.submit(int).future, 10)
    while len(pool.alive) > 1:
        await asyncio.sleep(0.001)

    await ended(pool)


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1)])
async def test_another_number_of_threads_holds_for_what_waits_already(
    before: int, after: int
) -> None:
    pool, gate, running = Threads("t", most=before), threading.Event(), [0]

    def body() -> None:
        running[0] += 1
        gate.wait(5)

    jobs = [pool.submit(body) for _ in range(6)]
    pool.resize(after)
    while running[0] < max(before, after):
        await asyncio.sleep(0.001)
    gate.set()
    await asyncio.wait([each.future for each in jobs])
    while len(pool.alive) > after:
        await asyncio.sleep(0.001)

    assert pool.use(None).most == after
    await ended(pool)


async def test_threads_that_are_lent_count_beside_the_number_that_is_asked_for() -> None:
    pool = Threads("t", most=1)
    with pool.lend():
        pool.resize(4)
        lent = pool.use(None).most

    assert (lent, pool.use(None).most) == (5, 4)


async def test_where_all_threads_that_are_left_are_stuck_what_waits_is_refused() -> None:
    pool, gate = Threads("t", most=2), threading.Event()
    stuck = pool.submit(lambda: gate.wait(5))
    pool.hold(stuck.future)
    others = [pool.submit(lambda: gate.wait(5)) for _ in range(2)]
    pool.resize(1)
    refused = await asyncio.wait_for(others[1].future, 5)
    gate.set()

    assert isinstance(refused, Raised)
    assert isinstance(refused.error, PoolFullError)
    await ended(pool)
