"""The operator's prefix and renaming, for tools that a plugin puts on boards."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from pegboard import (
    Config,
    Host,
    PluginBoard,
    PluginConfig,
    PluginLoadError,
    hookimpl,
    tool,
)
from pegboard_cases import says


class Filling:
    """Offers `everywhere`, and `here` on each board."""

    @hookimpl
    def pegboard_tools(self) -> list[Any]:
        """Offer one."""
        return [_tool("everywhere")]

    @hookimpl
    @contextlib.contextmanager
    def pegboard_board(self, board: PluginBoard) -> Iterator[None]:
        """Put one there."""
        board.register(_tool("here"))
        yield


def _tool(name: str) -> Any:
    @tool(name=name)
    def said() -> str:
        """Say the name that its author gave it."""
        return name

    return said


def configured(**options: Any) -> Host:
    """A host whose operator says this of the plugin `filling`."""
    return Host(Config(plugins={"filling": PluginConfig(**options)}), discover=False)


@pytest.mark.parametrize("first", ["board", "plugin"])
@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["everywhere", "here"]),
        ({"prefix": "f_"}, ["f_everywhere", "f_here"]),
        ({"rename": {"here": "there"}}, ["everywhere", "there"]),
        ({"prefix": "f_", "rename": {"here": "there"}}, ["f_everywhere", "there"]),
        ({"rename": {"everywhere": "a", "here": "b"}}, ["a", "b"]),
    ],
)
async def test_models_see_the_names_that_the_operator_wants(
    first: str, options: dict[str, Any], names: list[str]
) -> None:
    seen: list[tuple[str, str]] = []
    async with configured(**options) as host:
        if first == "board":
            await host.board("b")
        await host.load(Filling(), name="filling")
        board = await host.board("b")
        host.guard(lambda execution: seen.append((execution.tool, execution.raw_tool)))
        said = [(await board.call(name)).unwrap() for name in names]

        assert list(board.tools) == names
    assert said == ["everywhere", "here"]
    assert seen == list(zip(names, said, strict=True))


async def test_a_collision_on_a_board_ends_with_a_prefix() -> None:
    async with Host(discover=False) as host:
        board = await host.board("b")
        board.register(_tool("here"))
        with pytest.raises(PluginLoadError) as caught:
            await host.load(Filling(), name="filling")
    async with configured(prefix="f_") as host:
        board = await host.board("b")
        board.register(_tool("here"))
        await host.load(Filling(), name="filling")

        assert sorted(board.tools) == ["f_everywhere", "f_here", "here"]
    assert says(str(caught.value), "'here'", "prefix")


async def test_a_name_that_a_prefix_spoils_is_refused_and_names_the_plugin() -> None:
    async with configured(prefix="x" * 64) as host:
        await host.board("b")
        with pytest.raises(PluginLoadError) as caught:
            await host.load(Filling(), name="filling")

        assert says(str(caught.value), "filling")
        assert dict(host.tools) == {}


async def test_the_board_s_masks_go_by_the_names_that_models_see() -> None:
    async with configured(prefix="f_") as host:
        await host.load(Filling(), name="filling")
        board = await host.board("b", deny=["here*"])
        narrow = await host.board("c", deny=["f_h*"])

        assert (list(board.tools), list(narrow.tools)) == (
            ["f_everywhere", "f_here"],
            ["f_everywhere"],
        )


async def test_a_name_that_is_renamed_and_that_no_tool_has_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with configured(rename={"heer": "there"}) as host:
        await host.load(Filling(), name="filling")

    (said,) = [each for each in caplog.records if "heer" in each.getMessage()]
    assert (said.levelname, says(said.getMessage(), "'heer'", "filling", "board")) == (
        "WARNING",
        True,
    )
