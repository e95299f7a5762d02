"""What a change leaves behind, or as it was, is said, and ends with an exit status of its own."""

from typing import Any

import pytest
from pegboard import ControlError
from pegboard_ctl import HOST, STUCK, running_host

LINGERING = """
import time
from contextlib import contextmanager
from pegboard import hookimpl, tool

@hookimpl
@contextmanager
def pegboard_lifespan(plugin):
    yield
    {leaving}

@tool
async def loiter() -> str:
    "Loiter."
    return "still here"
"""
SLOW, RAISING, WELL = "time.sleep(3)", "raise OSError('the door is stuck')", "pass"


@pytest.mark.parametrize(
    ("leaving", "said"),
    [
        (SLOW, "leaving pegboard_lifespan of 'ill' didn't end within 0.5 s"),
        (RAISING, "leaving pegboard_lifespan of 'ill' raised OSError: the door is stuck"),
    ],
)
def test_a_reload_that_leaves_something_of_the_old_load_says_so_and_is_exit_status_1(
    bare: Any, leaving: str, said: str
) -> None:
    bare.install("ill", LINGERING.format(leaving=leaving))
    with running_host(bare) as host:
        ran = host.ctl("reload", "ill")
        [told] = [each for each in host.json("plugins") if each["name"] == "ill"]
        again = host.ctl("reload", "ill", "--json")

    assert (ran.status, ran.out) == (
        1,
        "reloaded 'ill' (pegboard-ill 1.0): generation 2, 1 tool\n",
    )
    assert f"pegboard: left of the load before: {said}" in ran.err
    assert (said in told["leaked"][0], again.status, said in again.json["leaked"][0]) == (
        True,
        1,
        True,
    )


def test_one_that_leaves_nothing_clears_what_was_left_before(bare: Any) -> None:
    bare.install("ill", LINGERING.format(leaving=RAISING))
    with running_host(bare) as host:
        (bare.site / "pegboard_ill.py").write_text(LINGERING.format(leaving=WELL))
        first = host.ctl("reload", "ill")
        second = host.ctl("reload", "ill")
        [told] = [each for each in host.json("plugins") if each["name"] == "ill"]

    assert (first.status, second.status, second.err, told["leaked"]) == (1, 0, "", [])


def test_a_call_that_a_reload_could_not_end_is_named(bare: Any) -> None:
    bare.install("stuck", STUCK)
    holding = 'asyncio.ensure_future(one.call("hold", {"seconds": 3}, id="held"))'
    begun = f"        {holding}\n        await asyncio.sleep(0.1)\n        print("
    with running_host(bare, script=HOST.replace("        print(", begun)) as host:
        ran = host.ctl("reload", "stuck", "--grace", "0")

    assert ran.status == 1
    assert "pegboard: left of the load before: call 'held'\n" in ran.err


def test_tools_that_an_allow_does_not_bring_back_are_messages(bare: Any) -> None:
    with running_host(bare) as host:
        host.ctl("deny", "look")
        host.ctl("deny", "look", "--board", "two")
        ran = host.ctl("allow", "look", "--board", "two")
        host.ctl("deny", "look", "--board", "two")
        told = host.json("allow", "look", "--board", "two")

    assert (ran.status, ran.out) == (0, "allowed look on board 'two'\n")
    assert ran.err == "pegboard: 'look' stays hidden: denied by 'look' of an operator\n"
    assert told == {"remarks": ["'look' stays hidden: denied by 'look' of an operator"]}


def test_what_the_host_has_not_answered_before_it_ended_is_exit_status_3(
    bare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(*_: object, **__: object) -> None:
        raise ControlError("unload: it may have been done", kind="unfinished")

    monkeypatch.setattr("pegboard.cli.ctl.ask", ask)
    ran = bare.answer("ctl", "unload", "ill", "--socket", "p.sock")

    assert (ran.status, ran.out, ran.err) == (3, "", "pegboard: unload: it may have been done\n")
