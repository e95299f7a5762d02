"""What was counted survives a reload of the plugin and a change of its figures."""

import asyncio
import gc
from pathlib import Path

import attrs
import pytest
from pegboard import Code, Host, Signal
from pegboard.plugins.builtin.limits import Limits
from pegboard.plugins.builtin.limits_counts import KEPT, Counts, Tally
from pegboard.plugins.builtin.limits_ruling import Ruling
from pegboard_cases import named
from pegboard_limits import clock, denied, limited, limiting, passes
from pegboard_policies import Held, failed, standing, until


@attrs.define
class Body:
    """A call as `Tally` sees it.

    Attributes:
        began: when its body began; 0 until then.
    """

    began: float = 0.0


async def test_what_was_counted_survives_a_reload() -> None:
    rule = {"calls": 2, "per_minute": 2}
    async with standing(named("free"), config=limited(rule)) as (host, board):
        await passes(board)
        await host.reload("limits")
        await passes(board)
        await host.reload("limits")

        await denied(board)


async def test_what_was_counted_survives_another_figure() -> None:
    async with standing(named("free"), config=limited({"calls": 1})) as (host, board):
        await passes(board)
        report = await host.sync(limited({"calls": 2}))
        await passes(board)
        await denied(board)
        await host.sync(limited({"calls": 1}))

        assert "at most 1 call may" in await denied(board)
        assert report.reloaded == ("limits",)


async def test_the_order_in_which_a_rule_names_things_doesn_t_matter() -> None:
    one = {"tools": ["free", {"tags": ["x"]}], "per": ["tool", "board"], "calls": 1}
    other = {"per": ["board", "tool"], "calls": 1, "tools": [{"tags": ["x"]}, "free"]}
    async with standing(named("free"), config=limited(one)) as (host, board):
        await passes(board)
        await host.sync(limited({"calls": 9}, other))

        await denied(board)


async def test_another_rule_begins_anew_and_the_old_one_is_forgotten() -> None:
    async with standing(named("free"), config=limited({"calls": 1})) as (host, board):
        await passes(board)
        await host.sync(limited({"calls": 1, "tools": ["*"]}))
        await passes(board)
        await denied(board)
        await host.sync(limited({"calls": 1}))

        await passes(board)


async def test_a_minute_goes_on_over_a_change_of_its_figure() -> None:
    async with standing(named("free"), config=limited({"per_minute": 3})) as (host, board):
        with clock() as now:
            for _ in range(3):
                await passes(board)
                now.now += 10
            await host.sync(limited({"per_minute": 1}))
            message = await denied(board)
            now.now += 50

            await passes(board)

    assert message.endswith("in 50 s")


@pytest.mark.parametrize("before", [{"calls": 9}, {"running": 9}, {"calls": 9, "running": 9}])
async def test_a_minute_that_is_limited_anew_counts_what_has_begun_before(
    before: dict[str, int],
) -> None:
    async with standing(named("free"), config=limited(before)) as (host, board):
        with clock() as now:
            await passes(board)
            now.now += 20
            await host.sync(limited({"per_minute": 1}))
            message = await denied(board)
            now.now += 40

            await passes(board)

    assert message.endswith("in 40 s")


async def test_a_body_that_outlives_its_load_of_the_plugin_keeps_its_place() -> None:
    held, signal = Held("goes on"), Signal()
    config = limited({"running": 1})
    async with standing(held.tool(), config=config) as (host, board):
        first = asyncio.ensure_future(board.call("held", signal=signal))
        await held.started.wait()
        signal.cancel()
        failed(await first, Code.ABORTED)
        await host.reload("limits", grace=0)

        await denied(board, "held")
        held.released.set()
        await until(lambda: "ended" in held.left)
        await passes(board, "held")


async def test_calls_that_run_when_the_plugin_is_reloaded_keep_their_places() -> None:
    async with limiting({"running": 2}) as calls:
        await calls.start("1")
        await calls.host.reload("limits")
        await calls.start("2")

        await denied(calls.board)
        calls.gated.let("1")
        await calls.tasks[0]
        await calls.start("3")
        await denied(calls.board)


async def test_unloading_the_plugin_forgets_what_it_counted() -> None:
    async with standing(named("free"), config=limited({"calls": 1})) as (host, board):
        await passes(board)
        assert (await host.unload("limits")).leaked == ()
        await passes(board)
        await host.load("limits")

        await passes(board)
        await denied(board)


async def test_a_load_for_one_board_counts_by_itself() -> None:
    async with standing(named("free")) as (host, board):
        other = await host.board("other")
        for each in (board, other):
            rules = [{"calls": 1, "per": []}]
            await host.load("limits", board=each, settings={"rules": rules})

        await passes(board)
        await passes(other)
        await denied(board)


MISTAKES = {
    "a limit of 0": ("calls = 0", 3, "rules[0].calls must be at least 1"),
    "no limit": ("per = []", 2, "it limits nothing; say calls, per_minute, running, or several"),
    "no tools": ("tools = []\ncalls = 1", 3, "no call could match; leave it out for all tools"),
    "an impossible tool": ('tools = ["a b"]\ncalls = 1', 3, "'a b' matches no name that a tool"),
    "an empty table": ("calls = 1\ntools = [{}]", 4, "a table says nothing of the tools it means"),
    "no boards": ("boards = []\ncalls = 1", 3, "no call could match; leave it out for all boards"),
    "an impossible board": ('boards = ["-*"]\ncalls = 1', 3, "'-*' matches no name that a board"),
    "another owner": ('per = ["agent"]\ncalls = 1', 3, 'must be one of "board", "tool"'),
    "a wrong key": ("cals = 1", 3, "did you mean 'calls'?"),
    "a fraction": ("running = 1.5", 3, "must be an integer"),
}


@pytest.mark.parametrize(("text", "line", "words"), MISTAKES.values(), ids=MISTAKES.keys())
async def test_a_rule_that_makes_no_sense_is_refused_with_its_line(
    text: str, line: int, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text(f"[plugins.limits]\n[[plugins.limits.rules]]\n{text}\n")

    async with Host(file, discover=False) as host:
        info = host.plugins["limits"]

    assert info.state == "failed"
    assert f"{file}:{line}: " in str(info.error)
    assert words in str(info.error)


async def test_every_rule_that_makes_no_sense_is_told(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    rules = ["tools = ['a b']\ncalls = 1", "boards = []\ncalls = 1"]
    file.write_text("".join(f"[[plugins.limits.rules]]\n{each}\n" for each in rules))

    async with Host(file, discover=False) as host:
        error = str(host.plugins["limits"].error)

    words = (f"{file}:2: ", f"{file}:5: ", "'a b' matches no name", "no call could match")
    assert [each for each in words if each not in error] == []


async def test_two_rules_that_count_the_same_calls_are_refused() -> None:
    async with Host(
        limited({"calls": 1}, {"per": ["board"], "running": 2}), discover=False
    ) as host:
        error = str(host.plugins["limits"].error)

    assert (
        "$.rules[1] is refused: it counts the same calls; make one rule of it and rules[0]" in error
    )


async def test_wrong_rules_leave_the_old_ones_as_they_were() -> None:
    async with standing(named("free"), config=limited({"calls": 1})) as (host, board):
        await passes(board)
        report = await host.sync(limited({"calls": 0}))
        await denied(board)

    assert report.failed == ("limits",)


async def test_boards_that_are_closed_are_forgotten() -> None:
    counts = Counts()
    async with standing(named("free")) as (host, _):
        rules = {"rules": [{"calls": 1}, {"per_minute": 9, "per": ["board", "tool"]}]}
        await host.load(Limits(Ruling(counts)), name="mine", settings=rules)
        for number in range(50):
            async with host.board(f"b{number}") as board:
                await passes(board)
            del board
        gc.collect()

        assert all(len(each._boards) <= 2 for each in counts._sheets.values())


def begin(tally: Tally, at: float) -> None:
    """Count a call, and have it begin."""
    call = Body(at)
    tally.count(call)
    tally.settle(call)


def test_tools_that_are_not_called_any_more_are_forgotten() -> None:
    sheet = Counts().sheet("rule")
    for number in range(1, 1_000):
        begin(sheet.tally(None, f"tool{number}", number, is_kept=False), float(number))

    assert len(sheet._together) < 200


def test_a_tool_whose_calls_count_for_good_is_not() -> None:
    sheet = Counts().sheet("rule")
    for number in range(1, 1_001):
        begin(sheet.tally(None, f"tool{number}", number, is_kept=True), float(number))

    assert len(sheet._together) == 1_000


@pytest.mark.parametrize("most", [100, 2**53])
def test_a_tally_remembers_no_more_than_one_minute(most: int) -> None:
    tally = Tally()
    for second in range(1, 1_000):
        assert tally.wait(most, second) == 0
        begin(tally, float(second))

    assert len(tally._starts) <= 61


def test_a_tally_remembers_no_more_calls_than_may_matter() -> None:
    tally = Tally()
    for number in range(1, 2 * KEPT):
        begin(tally, 1 + number / KEPT)

    assert len(tally._starts) == KEPT
