"""What the hooks of a plugin learn of their own plugin, of a call's tool and of a board."""

from typing import Annotated, Any

import attrs
import pytest
from pegboard import Config, Execution, Host, PegboardError, PluginConfig, Secret, tool
from pegboard_policies import plugin


@attrs.frozen
class Settings:
    """Settings of a plugin under test."""

    word: str = ""


@tool
async def login(name: str, password: Annotated[str, Secret]) -> str:
    """Take a secret."""
    return name


async def seen_by(arguments: Any, called: str = "login", config: Config | None = None) -> Execution:
    """The execution of one call that an observer sees."""
    seen: list[Execution] = []
    async with Host(config, discover=False) as host:
        await host.load(plugin(tools=lambda: [login]), name="web")
        host.hook(call_finished=lambda execution: seen.append(execution))  # noqa: PLW0108 - names it
        await (await host.board("one")).call(called, arguments)
    return seen[0]


async def test_every_hook_of_a_plugin_may_ask_for_its_own_context_in_any_place() -> None:
    said: list[tuple[str, str]] = []

    def hooks(word: str) -> object:
        async def around(call_next: Any, plugin: Any, execution: Any) -> Any:
            said.append((plugin.settings.word, execution.tool))
            return await call_next()

        return plugin(
            settings=lambda: Settings,
            before_call=lambda plugin: said.append((word, plugin.settings.word)),
            around_call=around,
            after_call=lambda outcome, plugin: said.append((plugin.settings.word, outcome.tool)),
            call_finished=lambda execution, plugin: said.append((plugin.name, execution.tool)),
            event=lambda event, plugin: None,
        )

    async with Host(discover=False) as host:
        host.register(login)
        await host.load(hooks("a"), name="a", settings={"word": "first"})
        await (await host.board("one")).call("login", {"name": "me", "password": "x"})

    own = ("first", "login")
    assert said == [("a", "first"), own, own, ("a", "login")]


async def test_one_plugin_loaded_by_two_hosts_gets_the_context_of_each() -> None:
    said: list[str] = []
    shared = plugin(
        settings=lambda: Settings, call_finished=lambda plugin: said.append(plugin.settings.word)
    )

    async with Host(discover=False) as one, Host(discover=False) as other:
        for host, word in ((one, "one"), (other, "other")):
            await host.load(shared, settings={"word": word})
        await (await one.board("b")).call("missing")
        await (await other.board("b")).call("missing")

    assert said == ["one", "other"]


async def test_a_function_of_the_program_has_no_plugin_to_ask_for() -> None:
    async with Host(discover=False) as host:
        with pytest.raises(PegboardError, match="names 'plugin'; it may name execution, call_next"):
            host.hook(before_call=lambda plugin: None)


async def test_an_execution_has_the_name_that_the_author_gave_the_tool() -> None:
    config = Config(plugins={"web": PluginConfig(rename={"login": "enter"})})

    execution = await seen_by({"name": "me", "password": "x"}, "enter", config)

    assert (execution.tool, execution.raw_tool) == ("enter", "login")


async def test_an_execution_gives_its_arguments_with_secret_ones_hidden() -> None:
    execution = await seen_by({"password": "hunter2"})
    unknown = await seen_by({"password": "hunter2"}, "missing")

    assert execution.secret_arguments == {"password"}
    assert execution.masked_arguments == {"password": "…"}
    assert (unknown.secret_arguments, unknown.raw_tool) == (frozenset(), "")


async def test_a_board_tells_plugins_from_which_boards_it_inherits() -> None:
    seen: dict[str, tuple[str, ...]] = {}

    def note(plugin: Any, board: Any) -> None:
        seen[board.name] = board.parents

    async with Host(discover=False) as host:
        await host.load(plugin(board=note))
        top = await host.board("top")
        await host.board("low", parent=await host.board("mid", parent=top))

    assert seen == {"top": (), "mid": ("top",), "low": ("mid", "top")}
