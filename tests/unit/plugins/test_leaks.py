"""What goes on though nobody waits for it is listed as long as it does."""

import asyncio

from pegboard.plugins.leaks import Leaks


async def test_what_goes_on_is_listed_until_it_ends_and_is_then_told() -> None:
    told: list[tuple[str, ...]] = []
    leaks = Leaks()
    leaks.clean = lambda: told.append(leaks.alive)
    one, two = (asyncio.get_running_loop().create_future() for _ in range(2))
    leaks.add("one", one)
    leaks.add("two", two)
    before = leaks.alive
    one.set_result(None)
    await asyncio.sleep(0)

    assert (before, leaks.alive, told) == (("one", "two"), ("two",), [("two",)])


async def test_what_has_ended_already_is_never_listed() -> None:
    leaks = Leaks()
    ended = asyncio.get_running_loop().create_future()
    ended.set_result(None)

    leaks.add("ended", ended)

    assert leaks.alive == ()
