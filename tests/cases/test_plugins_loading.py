"""The rows "Plugins: loading", by id."""

import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest
from pegboard import Config, Host, PluginConfig, PluginContext, PluginLoadError, hookimpl, tool
from pegboard.configuration import read_config
from pegboard.testing import Site, site_at
from pegboard_gates import gate
from pegboard_lives import named, offering, plugin

TOOL = '''
from pegboard import tool

@tool
def {name}() -> str:
    """Answer."""
    return "{name}"
'''
NOWHERE = Config(load_timeout=0.3, stop_grace=0.3)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty folder of installed distributions."""
    with site_at(tmp_path / "site") as made:
        yield made


def install(site: Site, name: str, code: str | None = None, **options: Any) -> None:
    """Install a distribution with one plugin of its name, whose module is `<name>_mod`."""
    module = f"{name}_mod"
    code = TOOL.format(name=name) if code is None else code
    given = {"entry_points": {name: module}, "files": {f"{module}.py": code}, **options}
    site.install(f"{name}-dist", **given)


BROKEN = {
    "raises": ("1/0", "ZeroDivisionError"),
    "exits": ("exit()", "SystemExit"),
    "syntax": ("def (", "SyntaxError"),
    "attribute": ("x = 1", "missing"),
    "hangs": ("import a_gate; a_gate.pass_through()", "load_timeout"),
}


@pytest.mark.parametrize(("code", "cause"), BROKEN.values(), ids=BROKEN.keys())
async def test_p_233_a_plugin_that_cannot_be_imported_fails_and_the_others_work(
    site: Site, code: str, cause: str
) -> None:
    point = {"bad": "bad_mod:missing" if "missing" in cause else "bad_mod"}
    install(site, "bad", code, entry_points=point, version="3.2")
    install(site, "good")

    with gate("a_gate"):
        async with Host(NOWHERE) as host:
            bad = host.plugins["bad"]
            board = await host.board("a")
            answer = (await board.call("good")).unwrap()

    assert (bad.state, bad.distribution, bad.version) == ("failed", "bad-dist", "3.2")
    assert (bad.location, cause in str(bad.error)) == (str(site.path), True)
    assert "bad" in str(bad.error)
    assert answer == "good"


async def test_p_234_an_invalid_second_hook_leaves_nothing_and_the_name_loads_after_repair() -> (
    None
):
    class Half:
        @hookimpl
        def pegboard_tools(self) -> list[object]:
            return [named("ghost")]

        @hookimpl
        def pegboard_guards(self) -> list[object]:
            return [lambda execution: "closed"]

        @hookimpl
        def pegboard_reserved_names(self) -> dict[str, str]:
            return {"mine": "it is mine"}

        @hookimpl
        def pegboard_call_finished(self, no_such_argument: object) -> None: ...

    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="no_such_argument"):
            await host.load(Half(), name="p")
        state = host.plugins["p"].state
        host.register(named("mine"))
        await host.load(offering("ghost"), name="p")
        board = await host.board("a")

        assert (state, list(board.tools)) == ("failed", ["mine", "ghost"])
        assert (await board.call("mine")).unwrap() == "mine"


async def test_p_235_what_was_entered_is_left_in_reverse_order_when_a_later_step_raises() -> None:
    log: list[str] = []

    def living(name: str) -> Any:
        @contextlib.asynccontextmanager
        async def lifespan(self: object, plugin: PluginContext) -> AsyncIterator[None]:
            log.append(f"enter {name}")
            plugin.on_unload(lambda: log.append(f"callback of {name}"))
            yield
            log.append(f"leave {name}")

        return lifespan

    def tools(self: object) -> list[object]:
        raise OSError("no tools")

    living_plugin = plugin(
        pegboard_lifespan=living("p"), pegboard_board=_board(log), pegboard_tools=tools
    )
    async with Host(discover=False) as host:
        await host.board("a")
        with pytest.raises(PluginLoadError, match="no tools"):
            await host.load(living_plugin, name="p")

    assert log == ["enter p", "callback of p", "leave p"]


def _board(log: list[str]) -> Any:
    @contextlib.contextmanager
    def board(self: object, plugin: object, board: object) -> Iterator[None]:
        log.append("enter the board")
        yield
        log.append("leave the board")

    return board


@attrs.frozen
class Settings:
    """Settings of a plugin."""

    root: str
    most: int = 3
    deep: bool = False


async def test_p_236_all_mistakes_in_settings_are_told_at_once_with_their_lines(
    tmp_path: Path,
) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text('[plugins.files]\nrot = "."\nmost = "many"\n\ndeep = 1\n')
    async with Host(file, discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(plugin(pegboard_settings=lambda self: Settings), name="files")
    message = str(caught.value)

    for place, words in ((2, "'root'"), (3, "most"), (5, "deep"), (1, "root")):
        assert any(
            f"{file}:{place}: " in line and words in line for line in message.splitlines()
        ), message


async def test_p_237_what_the_configuration_blocks_is_never_imported(site: Site) -> None:
    for name in ("shell", "files", "web"):
        install(site, name)

    async with Host(Config(block=["shell"], only=["files", "shell"])) as host:
        states = {name: host.plugins[name].state for name in ("shell", "files", "web")}
        imported = {"shell_mod", "files_mod", "web_mod"} & sys.modules.keys()

    assert states == {"shell": "blocked", "files": "loaded", "web": "blocked"}
    assert imported == {"files_mod"}


async def test_p_238_one_bad_tool_among_five_fails_its_plugin_and_no_other() -> None:
    tools = [*map(named, "abcd"), "no tool"]
    async with Host(discover=False) as host:
        await host.load(offering("kept"), name="other")
        board = await host.board("x")
        before = board.definitions()
        with pytest.raises(PluginLoadError, match="no tool"):
            await host.load(plugin(pegboard_tools=lambda self: tools), name="bad")

        assert (host.plugins["bad"].state, host.plugins["bad"].tools) == ("failed", ())
        assert board.definitions() == before


async def test_p_239_everything_of_a_plugin_that_was_loaded_on_a_board_is_on_that_board_only() -> (
    None
):
    heard: list[str] = []
    module = ModuleType("for_one")
    module.__dict__["only_here"] = tool(name="only_here")(lambda: "here")

    @hookimpl
    def pegboard_call_finished(execution: Any) -> None:
        heard.append(execution.board)

    module.__dict__["pegboard_call_finished"] = pegboard_call_finished
    async with Host(discover=False) as host:
        host.register(named("both"))
        board, other = await host.board("a"), await host.board("b")
        await host.load(module, board=board)
        for each in (board, other):
            await each.call("both")

        assert (list(board.tools), list(other.tools)) == (["both", "only_here"], ["both"])
        assert heard == ["a"]


async def test_p_240_no_plugin_gets_hold_of_what_another_has_registered() -> None:
    seen: list[object] = []

    @contextlib.contextmanager
    def board_context(self: object, plugin: PluginContext, board: Any) -> Iterator[None]:
        board.register(named("own"))
        seen.extend(getattr(each, name) for each in (plugin, board) for name in _public(each))
        yield

    async with Host(discover=False) as host:
        await host.load(offering("victim"), name="other")
        await host.load(plugin(pegboard_board=board_context), name="thief")
        board = await host.board("a")
        await host.unload("thief")

        assert list(board.tools) == ["victim"]
    assert not [each for each in seen if hasattr(each, "close")]


def _public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


async def test_p_241_of_two_distributions_with_one_name_the_rule_decides_and_the_rest_is_hidden(
    site: Site,
) -> None:
    for owner in ("b", "a"):
        site.install(
            f"vend-{owner}",
            entry_points={"vend": f"vend_{owner}"},
            files={f"vend_{owner}.py": TOOL.format(name=f"of_{owner}")},
        )
    async with Host() as host:
        by_name = host.plugins["vend"]
    async with Host(Config(prefer=["vend-b"])) as host:
        by_rule = host.plugins["vend"]
    site.uninstall("vend-a")
    async with Host() as host:
        left = host.plugins["vend"]

    assert (by_name.tools, by_name.hidden) == (("of_a",), ("vend-b 1.0",))
    assert (by_rule.tools, by_rule.hidden) == (("of_b",), ("vend-a 1.0",))
    assert (left.tools, left.hidden) == (("of_b",), ())


@pytest.mark.parametrize("text", ["[pegboard]\nbad = \n", "[pegboard]\na = m\na = m\n", "]["])
async def test_p_242_broken_entry_points_cost_their_own_plugins_only(site: Site, text: str) -> None:
    install(site, "good")
    site.install("broken", entry_points=f"{text}[pegboard]\n")

    async with Host() as host:
        assert host.plugins["good"].state == "loaded"
        assert [each.distribution for each in host.problems] == ["broken-1.0.dist-info"]


async def test_p_243_left_over_metadata_is_reported_and_the_first_on_the_path_counts(
    site: Site, tmp_path: Path
) -> None:
    install(site, "up", version="1.0")
    (site.path / "old-0.9.dist-info").mkdir()
    with site_at(tmp_path / "first") as first:
        install(first, "up", version="2.0")
        async with Host() as host:
            info = host.plugins["up"]
            problems = [(each.distribution, each.reason) for each in host.problems]

    assert (info.version, info.location) == ("2.0", str(first.path))
    assert {name for name, _ in problems} == {"old-0.9.dist-info", "up-dist"}


async def test_p_392_a_file_and_a_module_without_hooks_are_plugins(tmp_path: Path) -> None:
    file = tmp_path / "my_tools.py"
    file.write_text(TOOL.format(name="mine"))
    module = ModuleType("some_module")
    module.__dict__["theirs"] = tool(name="theirs")(lambda: 1)
    async with Host(discover=False) as host:
        infos = [await host.load(str(file)), await host.load(module)]

        assert [each.name for each in infos] == ["my_tools", "some_module"]
        assert list(host.tools) == ["mine", "theirs"]


def test_the_settings_of_a_plugin_are_read_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    file.write_text('[plugins.web]\nkey = { env = "KEY" }\n')

    assert read_config(file).plugins["web"] == PluginConfig({"key": {"env": "KEY"}})
