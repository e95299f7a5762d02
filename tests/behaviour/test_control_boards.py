"""What is told of boards: their calls, also as they close, and what a change leaves as it was."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import RunContext, tool
from pegboard_control import asked, calling, operated, refused, short_folder, until


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


@tool
async def stubborn(context: RunContext) -> str:
    """Swallow every cancellation until it is let go."""
    while not context.deps.is_set():
        try:
            await context.deps.wait()
        except asyncio.CancelledError:
            continue
    return "done"


async def boards_of(path: Path, board: str) -> list[str]:
    """On which boards the calls run that are listed for one."""
    return [each["board"] for each in await asked(path, "running", board=board)]


async def test_the_calls_of_child_boards_are_listed_with_those_of_a_board(path: Path) -> None:
    async with operated(path) as host:
        await host.board("child", parent="desk")
        await host.board("grandchild", parent="child")
        await host.board("other")
        async with calling(host), calling(host, "grandchild", "c2"), calling(host, "other", "c3"):
            await until(lambda: len(host.running) == 3)
            listed = [await boards_of(path, each) for each in ("desk", "child", "grandchild")]
            counts = {each["name"]: each["running"] for each in await asked(path, "boards")}
            cancelled = await asked(path, "cancel", board="desk")

    assert listed == [["desk", "grandchild"], ["grandchild"], ["grandchild"]]
    assert counts == {"desk": 1, "child": 0, "grandchild": 1, "other": 1}
    assert cancelled == {"cancelled": 2}


async def test_a_board_that_closes_is_known_as_long_as_a_call_of_it_runs(path: Path) -> None:
    go = asyncio.Event()
    async with operated(path, stop_grace=0.05) as host:
        host.register(stubborn)
        board = await host.board("leaving", deps=go)
        call = asyncio.create_task(board.call("stubborn"))
        await until(lambda: any(each.stage == "body" for each in host.running))
        closing = asyncio.create_task(board.close(grace=0.05))
        seen = []
        while not closing.done():
            seen.append(await boards_of(path, "leaving"))
        after = await boards_of(path, "leaving")
        near = await refused(path, "running", board="leavin")
        go.set()
        await asyncio.gather(call, closing)
        await until(lambda: not host.running)
        gone = await refused(path, "running", board="leaving")

    assert [each for each in (*seen, after) if each != ["leaving"]] == []
    assert near[1] == "unknown board 'leavin'; did you mean 'leaving'?"
    assert gone == ("UnknownNameError", "unknown board 'leaving'")


async def test_tools_that_a_deny_doesn_t_reach_are_told(path: Path) -> None:
    @tool
    async def own() -> str:
        """Be the board's own."""
        return "own"

    async with operated(path) as host:
        host.boards["desk"].register(own)
        told = await asked(path, "deny", selectors=["*"], board="desk")
        everywhere = await asked(path, "deny", selectors=["echo"])

    [remark] = told["remarks"]
    assert "'own' stays visible on board 'desk'" in remark
    assert everywhere == {"remarks": []}


async def test_tools_that_an_allow_doesn_t_bring_back_are_told_with_who_hides_them(
    path: Path,
) -> None:
    async with operated(path) as host:
        host.restrict(deny=["echo"])
        await asked(path, "deny", selectors=["echo"], board="desk")
        told = await asked(path, "allow", selectors=["echo"], board="desk")

    [remark] = told["remarks"]
    assert "'echo' stays hidden" in remark
    assert "the host" in remark
