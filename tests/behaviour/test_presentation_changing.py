"""Boards whose presentation, runtime or limits change while they are open."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pegboard import BoardConfig, Code, CodeConfig, Config, Host, Outcome, ToolConfig
from pegboard_batches import ask
from pegboard_cases import named, says
from pegboard_policies import Held, failed, kind, succeeded, turns
from pegboard_programs import Inside, Runtime, asked, coded, nothing, running

CODE, BOTH = BoardConfig(presentation="code"), BoardConfig(presentation="both")


def shown(board: Any) -> list[str]:
    """What a model is shown."""
    return [each.name for each in board.definitions()]


async def test_a_board_whose_runtime_is_unloaded_shows_no_run_code_until_it_is_back() -> None:
    async with coded(nothing, named("echo")) as (host, board):
        seen, revisions = [shown(board)], [board.revision]
        await host.unload("runtime")
        seen, revisions = [*seen, shown(board)], [*revisions, board.revision]
        await host.load(Runtime(nothing), name="runtime")
        seen, revisions = [*seen, shown(board)], [*revisions, board.revision]
        outcome = await running(board)

    assert seen == [["run_code"], [], ["run_code"]]
    assert revisions == [0, 1, 2]
    assert kind(outcome) == "ok"


async def test_a_call_of_run_code_without_a_runtime_says_what_to_install() -> None:
    async with coded(nothing, named("echo")) as (host, board):
        await host.unload("runtime")
        outcome, explanation = await running(board), board.explain("run_code")
        direct = await board.call("echo")

    message = failed(outcome, Code.UNKNOWN_TOOL).message
    assert says(message, "'run_code'", "'case'", "pip install pegboard-code")
    assert not explanation.visible
    assert says(str(explanation), "'code'", "pip install pegboard-code")
    assert "'echo'" in failed(direct, Code.UNKNOWN_TOOL).message


async def test_hooks_are_told_that_run_code_has_gone_and_come() -> None:
    told: list[str] = []
    async with coded(nothing) as (host, board):
        host.hook(tools_changed=lambda board: told.append(board.name))
        board.definitions()
        await host.unload("runtime")
        await turns(3)
        board.definitions()
        await host.load(Runtime(nothing), name="runtime")
        await turns(3)

    assert told == ["case", "case"]


async def test_hooks_are_told_of_a_change_that_shows_in_the_sdk_only() -> None:
    told: list[str] = []
    async with coded(nothing) as (host, board):
        host.hook(tools_changed=lambda board: told.append(board.name))
        board.definitions()
        host.register(named("echo"))
        await turns(3)

    assert told == ["case"]


async def test_a_board_follows_a_configuration_with_another_presentation_in_one_step() -> None:
    async with coded(nothing, named("echo"), presentation=None) as (host, board):
        seen = [shown(board)]
        for config in (CODE, BOTH, BoardConfig()):
            report = await host.sync(Config(boards={"case": config}))
            assert report.boards == ("case",)
            seen.append(shown(board))

    assert seen == [["echo"], ["run_code"], ["echo", "run_code"], ["echo"]]


async def test_a_dry_run_says_what_would_change_and_changes_nothing() -> None:
    config = Config(boards={"case": CODE}, code=CodeConfig(wall_time=5))
    async with coded(nothing, presentation=None) as (host, board):
        report = await host.sync(config, dry_run=True)
        unchanged = (board.presentation, shown(board))

    assert unchanged == ("native", [])
    changes = {each.path: (each.before, each.after, each.is_applied) for each in report.changes}
    assert changes["boards.case.presentation"] == (None, "code", True)
    assert changes["code.wall_time"] == (300.0, 5, True)
    assert report.boards == ("case",)


async def test_what_the_program_said_holds_whatever_the_configuration_says_later() -> None:
    async with coded(nothing, presentation="both") as (host, board):
        report = await host.sync(Config(boards={"case": CODE}))
        assert board.presentation == "both"

    assert [each.path for each in report.changes] == ["boards.case.presentation"]


async def test_boards_under_one_that_changes_follow_it() -> None:
    async with coded(nothing, named("echo"), presentation=None) as (host, board):
        under = await host.board("under", parent=board)
        await host.sync(Config(boards={"case": CODE, "under": BoardConfig()}))
        seen = (under.presentation, shown(under))
        await host.sync(Config())

        assert seen == ("code", ["run_code"])
        assert (under.presentation, shown(under)) == ("native", ["echo"])


async def test_boards_that_are_opened_later_follow_the_configuration_of_then() -> None:
    async with coded(nothing, presentation=None) as (host, _):
        await host.sync(Config(boards={"*": CODE}))
        assert (await host.board("later")).presentation == "code"


async def test_an_open_board_that_is_told_to_show_programs_without_a_runtime_says_so() -> None:
    async with Host(discover=False) as host:
        host.register(named("echo"))
        board = await host.board("case")
        await host.sync(Config(boards={"case": CODE}))
        outcome = await running(board)
        native = await board.call("echo")
        await host.load(Runtime(nothing), name="runtime")

        assert says(failed(outcome, Code.UNKNOWN_TOOL).message, "pip install pegboard-code")
        assert kind(native) == "unknown_tool"
        assert kind(await running(board)) == "ok"


async def test_programs_follow_the_limits_of_the_configuration_of_their_beginning() -> None:
    seen: list[float] = []

    async def body(it: Inside) -> None:
        seen.append(it.limits.wall_time)

    async with coded(body) as (host, board):
        for wall_time in (5, 7):
            await host.sync(Config(code=CodeConfig(wall_time=wall_time)))
            await running(board)

    assert seen == [5, 7]


async def test_what_the_operator_says_of_run_code_is_followed_live() -> None:
    async with coded(nothing) as (host, board):
        before, revision = board.definitions(), board.revision
        tools = {"run_code": ToolConfig(description="Run it.", timeout=9, max_running=3)}
        await host.sync(Config(tools=tools))
        changed, moved = board.definitions(), board.revision
        timeout = board.tools["run_code"].timeout
        await host.sync(Config())
        assert board.definitions() == before

    assert changed[0].description.startswith("Run it.\n")
    assert (moved != revision, timeout) == (True, 9)


async def test_a_configuration_that_says_nothing_new_moves_no_revision() -> None:
    async with coded(nothing, named("echo"), config=Config(boards={"case": CODE})) as (host, board):
        revision = board.revision
        for close_grace in (1, 2):
            await host.sync(Config(boards={"case": CODE}, close_grace=close_grace))
        assert board.revision == revision


async def test_a_program_that_runs_when_its_presentation_goes_runs_to_its_end() -> None:
    held = Held()

    async def body(it: Inside) -> Any:
        return await it.make("held")

    config = Config(boards={"case": CODE})
    async with coded(body, held.tool(), config=config, presentation=None) as (host, board):
        program = asyncio.create_task(running(board))
        await held.started.wait()
        await host.sync(Config())
        gone = await running(board, "q")
        held.released.set()
        outcome = await program

    assert succeeded(outcome).value["result"] == "late"
    assert kind(gone) == "unknown_tool"


async def test_an_approval_of_run_code_is_void_once_it_is_offered_no_more() -> None:
    asking, answers = asyncio.Event(), asyncio.Event()

    async def approve() -> str:
        asking.set()
        await answers.wait()
        return "once"

    config = Config(boards={"case": CODE})
    async with coded(nothing, config=config, presentation=None) as (host, board):
        host.hook(before_call=ask, approve=approve)
        program = asyncio.create_task(running(board))
        await asking.wait()
        await host.sync(Config())
        answers.set()
        outcome = await program

    assert says(failed(outcome, Code.DENIED).message, "changed since")


FILE = '[boards.case]\npresentation = "{}"\n[code]\nwall_time = {}\n'


async def test_a_file_is_followed_and_a_broken_one_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text(FILE.format("native", 5))
    async with Host(file, discover=False) as host:
        await host.load(Runtime(nothing), name="runtime")
        board = await host.board("case")
        file.write_text(FILE.format("code", 6))
        report = await host.sync()
        file.write_text(FILE.format("codes", 0))
        with pytest.raises(Exception, match="presentation"):
            await host.sync()
        assert board.presentation == "code"

    places = {each.path: each.place for each in report.changes}
    assert places["boards.case.presentation"] == f"{file}:2"
    assert places["code.wall_time"] == f"{file}:4"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("interpreter_time", "0"),
        ("wall_time", "-1"),
        ("memory", "0"),
        ("output", "1.5"),
        ("max_parallel", "true"),
        ("wall_tim", "5"),
    ],
)
async def test_a_mistake_in_the_limits_of_programs_is_named_with_its_place(
    tmp_path: Path, key: str, value: str
) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text(f"[code]\n{key} = {value}\n")

    with pytest.raises(Exception, match=rf"pegboard\.toml:2.*{key}"):
        Host(file, discover=False)


async def test_a_runtime_that_is_exchanged_while_a_program_runs_lets_it_end_by_the_old_one() -> (
    None
):
    held = Held()

    async def body(it: Inside) -> Any:
        return await it.make("held")

    async with coded(body, held.tool()) as (_, board):
        program = asyncio.create_task(running(board))
        await held.started.wait()
        await board.load(Runtime(nothing), name="nearer")
        second: Outcome = await board.call(asked("q"))
        held.released.set()
        first = await program

    assert succeeded(first).value["result"] == "late"
    assert succeeded(second).value["result"] is None
