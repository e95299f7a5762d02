"""The case of section Cancellation and time that is about the configuration."""

import asyncio
import time
from pathlib import Path

from pegboard import Code, Failure, Host, RunContext, Tool
from pegboard.configuration import read_config

TEXT = 'default_timeout = 0.2\nstop_grace = 1\n[tools."slow_*"]\ntimeout = 5\n'


def waiting(name: str, *, timeout: float | None = None) -> Tool:
    """A tool that never ends by itself."""

    async def wait(arguments: object, context: RunContext) -> None:
        await asyncio.sleep(60)

    return Tool(name=name, parameters={"type": "object"}, run=wait, timeout=timeout)


async def test_p_374_limits_of_the_configuration_hold_for_tools_that_declare_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "pegboard.toml").write_text(TEXT)
    async with Host(tmp_path / "pegboard.toml", discover=False) as host:
        for each in (waiting("plain"), waiting("slow_one"), waiting("slow_two", timeout=0.1)):
            host.register(each)
        board = await host.board("a")

        limits = {name: each.timeout for name, each in board.tools.items()}

    assert limits == {"plain": 0.2, "slow_one": 5.0, "slow_two": 0.1}


async def test_p_374_a_call_ends_at_the_limit_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "pegboard.toml").write_text(TEXT)
    async with Host(read_config(tmp_path / "pegboard.toml"), discover=False) as host:
        host.register(waiting("plain"))
        board = await host.board("a")
        begun = time.monotonic()

        outcome = await board.call("plain")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.TIMED_OUT
    assert 0.2 <= time.monotonic() - begun < 1.2
