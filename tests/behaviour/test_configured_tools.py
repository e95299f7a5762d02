"""What an operator knows better of tools holds wherever they stand."""

import asyncio
from pathlib import Path

import pytest
from pegboard import (
    Code,
    Config,
    Failure,
    Host,
    PluginConfig,
    RunContext,
    Select,
    Success,
    Tool,
    ToolAnnotations,
    ToolConfig,
    tool,
)
from pegboard_offers import Offering, named, register


@tool
async def echo(value: str) -> str:
    """Echo it.

    Args:
        value: What to echo.
    """
    return value


async def shown(config: Config, given: Tool = echo) -> Tool:
    """The tool that a board shows."""
    async with Host(config, discover=False) as host:
        host.register(given)
        return (await host.board("a")).tools[given.name]


@pytest.mark.parametrize(
    "config",
    [
        Config(),
        Config(tools={"other*": ToolConfig(timeout=1, description="Other.")}),
        Config(tools={"echo": ToolConfig()}),
        Config(tools={"ECHO": ToolConfig(timeout=1)}),
        Config(tools={"echo": ToolConfig(max_running=1)}),
    ],
)
async def test_a_tool_of_which_nothing_is_said_stays_the_very_same(config: Config) -> None:
    assert await shown(config) is echo


async def test_what_is_said_of_a_tool_is_laid_over_what_its_author_says() -> None:
    said = ToolConfig(
        concurrency_safe=True,
        annotations=ToolAnnotations(read_only=True),
        description="Say it again.",
    )

    found = await shown(Config(tools={"t": said}), named("t", read_only=False, idempotent=True))

    assert found.annotations == ToolAnnotations(read_only=True, idempotent=True)
    assert (found.concurrency_safe, found.description) == (True, "Say it again.")


async def test_masks_judge_a_tool_by_what_the_operator_says_of_it() -> None:
    config = Config(tools={"notes_*": ToolConfig(annotations=ToolAnnotations(read_only=True))})
    async with Host(config, discover=False) as host:
        register(host, "notes_list", "shell")

        board = await host.board("a", allow=[Select(read_only=True)])

        assert list(board.tools) == ["notes_list"]


async def test_a_model_reads_the_operators_description_and_the_schema_of_the_author() -> None:
    async with Host(discover=False) as plain:
        plain.register(echo)
        author = (await plain.board("a")).definitions()[0]
    config = Config(tools={"echo": ToolConfig(description="Say it again.")})
    async with Host(config, discover=False) as host:
        host.register(echo)
        board = await host.board("a")

        (told,) = board.definitions()

    assert (told.description, told.parameters) == ("Say it again.", author.parameters)


async def test_tools_of_plugins_and_of_their_boards_are_meant_by_the_names_models_see() -> None:
    config = Config(
        plugins={"web": PluginConfig(prefix="web_", rename={"find": "search"})},
        tools={
            "web_*": ToolConfig(description="Of the web."),
            "search": ToolConfig(description="Find it."),
            "find": ToolConfig(description="Nobody sees this name."),
            "web_todo": ToolConfig(description="For this board."),
            "todo": ToolConfig(description="Nor this one."),
        },
    )
    async with Host(config, discover=False) as host:
        await host.load(Offering(("get", "find"), per_board=("todo",)), name="web")
        board = await host.board("a")

        told = {each.name: each.description for each in board.definitions()}

    assert told == {"web_get": "Of the web.", "search": "Find it.", "web_todo": "For this board."}


async def test_a_limit_of_the_operator_reaches_tools_on_the_boards_own_layer() -> None:
    config = Config(tools={"slow": ToolConfig(timeout=0.05)}, stop_grace=1)

    async def wait(arguments: object, context: RunContext) -> None:
        await asyncio.sleep(30)

    async with Host(config, discover=False) as host:
        board = await host.board("a")
        board.register(Tool(name="slow", parameters={"type": "object"}, run=wait))

        outcome = await board.call("slow")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.TIMED_OUT


async def test_what_a_file_says_of_tools_holds(tmp_path: Path) -> None:
    path = tmp_path / "pegboard.toml"
    path.write_text('[tools.echo]\ndescription = "From a file."\nmax_running = 2\n')

    async with Host(path, discover=False) as host:
        host.register(echo)
        board = await host.board("a")

        assert board.definitions()[0].description == "From a file."
        assert isinstance(await board.call("echo", {"value": "Pi"}), Success)
