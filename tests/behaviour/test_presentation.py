"""How the presentation of a board is said: by the program, the configuration, or its parent."""

from pathlib import Path
from typing import Any

import pytest
from pegboard import BoardConfig, BoardError, Config, ConfigError, Host, hookimpl
from pegboard_cases import named, says
from pegboard_policies import plugin, succeeded
from pegboard_programs import Inside, Runtime, coded, nothing, running

CODE, BOTH = BoardConfig(presentation="code"), BoardConfig(presentation="both")


def names(board: Any) -> list[str]:
    """What a model is shown."""
    return [each.name for each in board.definitions()]


@pytest.mark.parametrize(
    ("presentation", "shown"),
    [
        (None, ["echo"]),
        ("native", ["echo"]),
        ("code", ["run_code"]),
        ("both", ["echo", "run_code"]),
    ],
)
async def test_a_board_shows_its_tools_as_the_program_says(
    presentation: str | None, shown: list[str]
) -> None:
    async with coded(nothing, named("echo"), presentation=presentation) as (_, board):
        assert names(board) == shown
        assert board.presentation == (presentation or "native")
        assert list(board.tools) == (["echo"] if shown == ["echo"] else ["echo", "run_code"])


@pytest.mark.parametrize("table", ["case", "*"])
async def test_a_board_shows_its_tools_as_the_configuration_says(table: str) -> None:
    config = Config(boards={table: CODE})
    async with coded(nothing, named("echo"), config=config, presentation=None) as (_, board):
        assert (board.presentation, names(board)) == ("code", ["run_code"])


async def test_what_the_configuration_says_of_others_is_not_for_a_board_with_a_table() -> None:
    config = Config(boards={"*": CODE, "case": BoardConfig(deny=("x*",))})
    async with coded(nothing, config=config, presentation=None) as (_, board):
        assert board.presentation == "native"


async def test_the_program_is_heard_before_the_configuration() -> None:
    config = Config(boards={"case": CODE})
    async with coded(nothing, named("echo"), config=config, presentation="both") as (_, board):
        assert names(board) == ["echo", "run_code"]


async def test_a_board_without_a_word_of_its_own_does_as_the_nearest_of_its_ancestors() -> None:
    async with coded(nothing, presentation="both") as (host, board):
        code = await host.board("code", parent=board, presentation="code")
        native = await host.board("native", parent=code, presentation="native")
        under = [
            await host.board(f"under-{each.name}", parent=each) for each in (board, code, native)
        ]
        again = await host.board("again", parent=under[1])

    shown = [each.presentation for each in (*under, again)]
    assert shown == ["both", "code", "native", "code"]


async def test_a_parent_of_the_configuration_is_followed_too() -> None:
    config = Config(boards={"base": CODE, "case": BoardConfig(parent="base")})
    async with coded(nothing, config=config, presentation=None) as (_, board):
        assert (board.parent, board.presentation) == ("base", "code")


@pytest.mark.parametrize("word", ["codes", "", "Native", 5])
async def test_a_presentation_that_there_is_not_is_an_error_that_names_those_there_are(
    word: Any,
) -> None:
    async with coded(nothing) as (host, _):
        with pytest.raises(BoardError, match="'native', 'code', 'both'"):
            await host.board("other", presentation=word)
        assert "other" not in host.boards
        assert (await host.board("other")).presentation == "native"


async def test_a_wrong_word_in_a_file_is_named_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text('[boards.x]\npresentation = "codes"\n')

    with pytest.raises(ConfigError, match=r"pegboard\.toml:2.*presentation"):
        Host(file, discover=False)


def test_a_wrong_word_in_a_configuration_is_refused() -> None:
    with pytest.raises(ValueError, match="presentation"):
        BoardConfig(presentation="codes")


async def test_asking_again_with_the_same_presentation_or_none_gives_the_same_board() -> None:
    async with coded(nothing) as (host, board):
        assert await host.board("case") is board
        assert await host.board("case", presentation="code") is board


async def test_asking_again_with_another_presentation_is_an_error() -> None:
    async with coded(nothing) as (host, board):
        with pytest.raises(BoardError, match="'case' exists, and its presentation is another"):
            await host.board("case", presentation="both")
        assert board.presentation == "code"


async def test_what_the_configuration_made_may_be_asked_for_by_that_word() -> None:
    config = Config(boards={"case": CODE})
    async with coded(nothing, config=config, presentation=None) as (host, board):
        assert await host.board("case", presentation="code") is board


@pytest.mark.parametrize("presentation", ["code", "both"])
async def test_without_a_runtime_opening_is_an_error_that_names_the_package(
    presentation: str,
) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(BoardError, match="pip install pegboard-code") as caught:
            await host.board("case", presentation=presentation)
        assert dict(host.boards) == {}

    assert says(str(caught.value), "board 'case'", repr(presentation), "no plugin")


async def test_the_error_says_where_the_configuration_wants_it(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text('\n[boards."*"]\npresentation = "code"\n')
    async with Host(file, discover=False) as host:
        with pytest.raises(BoardError, match=r"pegboard\.toml:3: board 'case'"):
            await host.board("case")


async def test_the_error_says_which_plugin_could_not_be_loaded() -> None:
    def fail() -> Any:
        raise OSError("no binary for this machine")

    async with Host(discover=False) as host:
        with pytest.raises(Exception, match="no binary"):
            await host.load(plugin(code_runtime=fail), name="code")
        with pytest.raises(BoardError, match=r"plugin 'code' failed: .*no binary"):
            await host.board("case", presentation="code")


@pytest.mark.parametrize("given", [object(), "text", type("Odd", (), {"run": 5})()])
async def test_a_runtime_that_runs_nothing_is_refused_when_its_plugin_is_loaded(
    given: object,
) -> None:
    async with Host(discover=False) as host:
        with pytest.raises(Exception, match="async `run`") as caught:
            await host.load(plugin(code_runtime=lambda: given), name="odd")
        assert host.plugins["odd"].state == "failed"

    assert says(str(caught.value), type(given).__name__)


async def test_a_plugin_may_give_no_runtime() -> None:
    async with Host(discover=False) as host:
        await host.load(plugin(code_runtime=lambda: None), name="none")
        with pytest.raises(BoardError, match="no plugin gives a code runtime"):
            await host.board("case", presentation="code")


async def test_the_hook_of_a_runtime_gets_the_context_of_its_plugin() -> None:
    class Aware(Runtime):
        @hookimpl
        def pegboard_code_runtime(self, plugin: Any) -> "Aware":
            seen.append(plugin.name)
            return self

    seen: list[str] = []
    async with Host(discover=False) as host:
        await host.load(Aware(nothing), name="aware")

    assert seen == ["aware"]


def giving(word: str) -> Runtime:
    """A runtime whose programs give this."""

    async def body(it: Inside) -> str:
        return word

    return Runtime(body)


async def result(board: Any) -> Any:
    """What a program on a board gives."""
    return succeeded(await running(board)).value["result"]


async def test_a_runtime_that_is_loaded_on_a_board_is_for_it_and_those_under_it() -> None:
    async with Host(discover=False) as host:
        above = await host.board("above")
        await above.load(giving("near"))
        below = await host.board("below", parent=above, presentation="code")
        with pytest.raises(BoardError, match="no plugin"):
            await host.board("beside", presentation="code")

        assert await result(below) == "near"


async def test_the_nearest_runtime_runs_the_programs_of_a_board() -> None:
    async with Host(discover=False) as host:
        await host.load(giving("far"), name="far")
        board = await host.board("case", presentation="code")
        under = await host.board("under", parent=board)
        before = await result(under)
        near = await board.load(giving("near"))
        between = [await result(each) for each in (board, under)]
        await host.unload(near.name)

        assert (before, between, await result(under)) == ("far", ["near", "near"], "far")


async def test_of_two_runtimes_on_one_layer_the_first_by_the_name_of_its_plugin_runs_programs() -> (
    None
):
    async with Host(discover=False) as host:
        for name in ("b", "a", "c"):
            await host.load(giving(name), name=name)
        board = await host.board("case", presentation="code")

        assert await result(board) == "a"
