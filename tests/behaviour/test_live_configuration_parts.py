"""Each part of a configuration that a running host takes over."""

import asyncio
import threading
from pathlib import Path

import pytest
from pegboard import (
    BoardConfig,
    Code,
    Config,
    ConfigError,
    Failure,
    Host,
    PluginConfig,
    PluginLoadError,
    ReservedNameError,
    ToolConfig,
    tool,
)
from pegboard_live import files_read, host_of, shown, web_search
from pegboard_lives import Database, offering, until


async def test_reserved_names_come_and_go() -> None:
    async with host_of(Config(reserved={"old": "Ours."})) as host:
        await host.sync(Config(reserved={"new": "Ours, too."}))
        with pytest.raises(PluginLoadError, match="Ours, too"):
            await host.load(offering("NEW"))
        await host.load(offering("old"))

        assert "old" in host.tools


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (Config(reserved={"Files_Read": "Ours."}), "the program has registered 'files_read'"),
        (Config(reserved={"kept": "Ours."}), "plugin 'Plugin' has registered 'kept' on board 'a'"),
        (Config(reserved={"run_code": "Ours."}), "a name can be reserved once"),
        (Config(reserved={"x": "One.", "X": "Two."}), "a name can be reserved once"),
        (Config(reserved={"x": "One."}, deny=["x"]), "no restriction may name 'x'"),
        (
            Config(reserved={"x": "One."}, boards={"z": BoardConfig(allow=["x"])}),
            "no restriction may name 'x'",
        ),
    ],
)
async def test_a_name_that_can_t_be_reserved_refuses_the_whole_configuration(
    after: Config, why: str
) -> None:
    async with host_of(Config(mask_errors=True)) as host:
        await host.load(offering("kept"), name="Plugin", board="a")
        before = shown(host)
        with pytest.raises(ReservedNameError, match=why):
            await host.sync(after)

        assert shown(host) == before
        await host.load(offering("x"), name="later")


async def test_a_name_of_a_plugin_that_goes_by_the_same_configuration_can_be_reserved() -> None:
    before = Config(plugins={"repeats": PluginConfig()})
    after = Config(reserved={"files_read": "Ours."})
    async with Host(before, discover=False) as host:
        report = await host.sync(after)

        assert (report.unloaded, host.config.reserved) == (("repeats",), after.reserved)


async def test_values_are_bounded_anew_for_tools_that_have_run_and_for_those_that_come() -> None:
    @tool
    def later(text: str) -> str:
        return text

    async with host_of(Config(max_bytes=100)) as host:
        board = host.boards["a"]
        before = await board.call("files_read", {"path": "x" * 200})
        await host.sync(Config())
        host.register(later)
        after = [await board.call(name, {key: "x" * 200}) for name, key in CALLS]

        assert before.is_error
        assert [each.is_error for each in after] == [False, False]


CALLS = (("files_read", "path"), ("later", "text"))


@tool
def held(gate: int) -> int:
    """Hold a thread until the gate is open."""
    SEEN.append(gate)
    OPEN.wait(10)
    return gate


SEEN: list[int] = []
OPEN = threading.Event()


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1)])
async def test_a_plugin_has_as_many_threads_as_is_said_now(before: int, after: int) -> None:
    SEEN.clear()
    OPEN.clear()
    async with Host(Config(max_threads=before), discover=False) as host:
        host.register(held)
        board = await host.board("a")
        calls = [asyncio.create_task(board.call("held", {"gate": n})) for n in range(6)]
        await until_seen(before)
        await host.sync(Config(max_threads=after))
        await until_seen(max(before, after))
        OPEN.set()
        outcomes = await asyncio.gather(*calls)
        pool = host.status().pools[0]

    assert [each.unwrap() for each in outcomes] == list(range(6))
    assert (pool.most, pool.threads <= after) == (after, True)


async def until_seen(many: int) -> None:
    """Wait until that many bodies hold a thread, and see that no more do."""
    async with asyncio.timeout(5):
        while len(SEEN) < many:
            await asyncio.sleep(0.005)
    await asyncio.sleep(0.05)
    assert len(SEEN) == many


async def test_the_pauses_of_a_plugin_that_is_not_ready_follow() -> None:
    async with Host(Config(retry_after=0.1), discover=False) as host:
        with pytest.raises(Exception, match="not ready"):
            await host.load(Database(3), name="database")
        await host.sync(Config(retry_after=0.001, retry_at_most=0.001))

        assert (await until(host, "database", "loaded")).error is None


async def test_the_time_that_a_hook_has_follows() -> None:
    async def slow(execution: object) -> None:
        await asyncio.sleep(5)

    async with host_of(Config()) as host:
        host.hook(before_call=slow)
        await host.sync(Config(hook_timeout=0.05, stop_grace=0.05))
        outcome = await host.boards["a"].call("files_read")

    assert isinstance(outcome, Failure)
    assert outcome.code is Code.POLICY_FAILED
    assert "within 0.05 s" in outcome.message


async def test_patterns_in_another_order_say_something_else_of_tools() -> None:
    one, other = ToolConfig(timeout=1.0), ToolConfig(timeout=2.0)
    async with host_of(Config(tools={"files_*": one, "*_read": other})) as host:
        report = await host.sync(Config(tools={"*_read": other, "files_*": one}))

        assert [each.path for each in report.changes] == ["tools"]
        assert host.tools["files_read"].timeout == 1.0


async def test_explaining_names_the_line_on_which_it_is_said_now(tmp_path: Path) -> None:
    file = tmp_path / "pegboard.toml"
    text = 'deny = ["web_*"]\n[boards.a]\ndeny = ["files_*"]\n'
    file.write_text(text)
    async with Host(file, discover=False) as host:
        host.register(files_read)
        host.register(web_search)
        board = await host.board("a")
        file.write_text(f"# moved\n{text}")
        report = await host.sync()
        told = [str(board.explain(name)) for name in ("files_read", "web_search")]

    assert (report.changes, report.boards) == ((), ())
    assert f"({file}:4)" in told[0]
    assert f"({file}:2)" in told[1]


async def test_a_plugin_that_is_required_anew_and_can_t_be_there_refuses_the_configuration() -> (
    None
):
    async with Host(Config(), discover=True) as host:
        await host.load(offering("ask"), name="judge")
        for required in (["jugde"], ["limits"]):
            with pytest.raises(ConfigError, match=f"required: plugin '{required[0]}'"):
                await host.sync(Config(required=required))
        with pytest.raises(ConfigError, match="is kept out by block"):
            await host.sync(Config(required=["limits"], block=["limits"]))
        await host.sync(Config(required=["judge"]))

        assert not (await (await host.board("a")).call("ask")).is_error
