"""Calls and the host are measured with OpenTelemetry, for as long as the plugin is loaded."""

import asyncio
import gc
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, InMemoryMetricReader
from pegboard import Config, Deny, PluginConfig, RunContext, Signal, tool
from pegboard.plugins.builtin.metrics import Metrics
from pegboard_batches import Gated, ask
from pegboard_cases import named, raw
from pegboard_policies import gate, plugin_with, standing, until

ON = Config(plugins={"metrics": PluginConfig()}, stop_grace=0.02)
DELTA = dict.fromkeys((Counter, Histogram), AggregationTemporality.DELTA)


@pytest.fixture(scope="module")
def provided() -> Iterator[InMemoryMetricReader]:
    """What reads the metrics of this process, whose provider can be set once."""
    reader = InMemoryMetricReader(preferred_temporality=DELTA)
    provider = MeterProvider([reader], shutdown_on_exit=False)
    metrics.set_meter_provider(provider)
    yield reader
    provider.shutdown()


@pytest.fixture
def reader(provided: InMemoryMetricReader) -> InMemoryMetricReader:
    """The same without what other tests have counted."""
    provided.get_metrics_data()
    return provided


def points(reader: InMemoryMetricReader, name: str) -> dict[str, Any]:
    """The points of one instrument, by their attributes in one line."""
    data = reader.get_metrics_data()
    scopes = [
        each for found in (data.resource_metrics if data else ()) for each in found.scope_metrics
    ]
    mine = [each for each in scopes if each.scope.name == "pegboard"]
    return {
        ", ".join(
            f"{key}={value}" for key, value in sorted((point.attributes or {}).items())
        ): point
        for each in mine
        for metric in each.metrics
        if metric.name == name
        for point in metric.data.data_points
    }


def values(reader: InMemoryMetricReader, name: str) -> dict[str, Any]:
    """Their values."""
    return {key: point.value for key, point in points(reader, name).items()}


OK = "gen_ai.operation.name=execute_tool, gen_ai.tool.name="


async def test_calls_are_counted_by_tool_plugin_and_code(reader: InMemoryMetricReader) -> None:
    async with standing(named("mine"), config=ON) as (host, board):
        await host.load(plugin_with(named("brought")), name="it")
        for name in ("mine", "mine", "brought"):
            await board.call(name)
        host.hook(before_call=lambda: Deny("no"))
        await board.call("brought")

    assert values(reader, "pegboard.calls") == {
        f"{OK}mine": 2,
        f"{OK}brought, pegboard.plugin=it": 1,
        f"error.type=denied, {OK}brought, pegboard.plugin=it": 1,
    }


async def test_names_that_a_model_has_made_up_are_one(reader: InMemoryMetricReader) -> None:
    async with standing(named("mine"), config=ON) as (_, board):
        for number in range(5):
            await board.call(f"made_up_{number}")

    assert values(reader, "pegboard.calls") == {f"error.type=unknown_tool, {OK}_OTHER": 5}


async def test_names_beyond_the_first_few_thousand_are_one(
    reader: InMemoryMetricReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.plugins.builtin.metrics._MOST", 2)
    async with standing(*map(named, "abcd"), config=ON) as (_, board):
        for name in "abcda":
            await board.call(name)

    assert values(reader, "pegboard.calls") == {f"{OK}a": 2, f"{OK}b": 1, f"{OK}_OTHER": 2}


async def test_how_long_a_call_took_and_waited_is_measured_in_seconds(
    reader: InMemoryMetricReader,
) -> None:
    @tool
    async def slow() -> None:
        """Take some time."""
        await asyncio.sleep(0.03)

    async with standing(slow, config=ON) as (_, board):
        await board.call("slow")
    (found,) = points(reader, "pegboard.call.duration").values()

    assert found.count == 1
    assert 0.03 <= found.sum < 3
    assert found.explicit_bounds[0] == 0.001


async def test_waiting_is_measured_by_itself(reader: InMemoryMetricReader) -> None:
    async def approve() -> str:
        await asyncio.sleep(0.03)
        return "once"

    async with standing(named("mine"), config=ON) as (host, board):
        host.hook(before_call=ask, approve=approve)
        await board.call("mine")
    (found,) = points(reader, "pegboard.call.waited").values()

    assert found.sum >= 0.03


async def test_boards_are_told_apart_on_request_only(reader: InMemoryMetricReader) -> None:
    config = Config(plugins={"metrics": PluginConfig(settings={"boards": True})})
    async with standing(named("mine"), config=config) as (_, board):
        await board.call("mine")

    assert values(reader, "pegboard.calls") == {f"{OK}mine, pegboard.board=case": 1}


async def test_the_host_is_observed(reader: InMemoryMetricReader) -> None:
    signal, ran = Signal(), []
    with gate() as let:

        def stay(arguments: Any, context: RunContext) -> None:
            ran.append(context.call_id)
            let.wait(30)

        config = Config(plugins=ON.plugins, stop_grace=0.02, max_threads=2)
        async with standing(raw(stay, name="stay"), config=config) as (host, board):
            await host.board("second")
            first = asyncio.ensure_future(board.call("stay", id="1", signal=signal))
            await until(lambda: ran)
            signal.cancel()
            await first
            others = [asyncio.ensure_future(board.call("stay", id=each)) for each in ("2", "3")]
            await until(lambda: len(ran) == 2)
            names = ("calls.running", "calls.abandoned", "calls.parked", "boards", "pool.threads")
            found = {name: values(reader, f"pegboard.{name}") for name in names}
            waiting = values(reader, "pegboard.pool.waiting")
            limit = values(reader, "pegboard.pool.limit")
            states = values(reader, "pegboard.plugins")
            let.set()
            await asyncio.gather(*others)

    assert found == {
        "calls.running": {"": 2},
        "calls.abandoned": {"": 1},
        "calls.parked": {"": 0},
        "boards": {"": 2},
        "pool.threads": {
            "pegboard.thread_state=busy": 1,
            "pegboard.thread_state=idle": 0,
            "pegboard.thread_state=stuck": 1,
        },
    }
    assert (waiting, limit) == ({"": 1}, {"": 2})
    assert states["pegboard.plugin_state=loaded"] == 3


async def test_an_unloaded_plugin_is_silent_and_a_loaded_one_reports_again(
    reader: InMemoryMetricReader,
) -> None:
    async with standing(named("mine"), config=ON) as (host, board):
        assert (await host.unload("metrics")).leaked == ()
        await board.call("mine")
        silent = (values(reader, "pegboard.calls"), values(reader, "pegboard.boards"))
        await host.load("metrics")
        await host.reload("metrics")
        await board.call("mine")
        again = values(reader, "pegboard.calls")
        boards = values(reader, "pegboard.boards")

    assert silent == ({}, {})
    assert (again, boards) == ({f"{OK}mine": 1}, {"": 1})


async def test_a_host_that_is_closed_is_silent(reader: InMemoryMetricReader) -> None:
    async with standing(named("mine"), config=ON):
        pass

    assert values(reader, "pegboard.boards") == {}


async def test_the_figures_of_all_hosts_of_a_process_are_added(
    reader: InMemoryMetricReader,
) -> None:
    async with standing(config=ON) as (one, _), standing(config=ON) as (_, _):
        await one.board("second")

        assert values(reader, "pegboard.boards") == {"": 3}


async def test_a_host_that_is_reported_twice_is_counted_once(reader: InMemoryMetricReader) -> None:
    async with standing(config=ON) as (host, board):
        await host.load("metrics", board=board)

        assert values(reader, "pegboard.boards") == {"": 1}


async def test_calls_and_boards_count_once_while_the_calls_of_an_earlier_load_go_on(
    reader: InMemoryMetricReader,
) -> None:
    gated = Gated()
    async with standing(gated.tool("mine"), config=ON) as (host, board):
        running = []
        for at in "123":
            running.append(asyncio.ensure_future(board.call("mine", id=at)))
            await gated.started(at)
            await host.reload("metrics")
        boards = values(reader, "pegboard.boards")
        gated.let(*"123")
        await asyncio.gather(*running)

    assert (boards, values(reader, "pegboard.calls")) == ({"": 1}, {f"{OK}mine": 3})


async def test_loads_leave_nothing_in_the_instruments(reader: InMemoryMetricReader) -> None:
    async with standing(named("mine"), config=ON) as (host, board):
        kept = []
        for _ in range(20):
            plugin = Metrics()
            kept.append(weakref.ref(plugin))
            await host.load(plugin, name="other")
            await board.call("mine")
            assert (await host.unload("other")).leaked == ()
            del plugin
        gc.collect()

    assert [each() for each in kept] == [None] * 20


def run(code: str) -> list[str]:
    """What a process prints that has no provider yet."""
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], text=True, capture_output=True, check=True
    )
    return ran.stdout.splitlines()


def test_a_provider_may_be_set_after_the_plugin_was_loaded() -> None:
    printed = run("""
        import asyncio
        from opentelemetry import metrics
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from pegboard import Config, Host, PluginConfig, tool

        @tool
        async def mine() -> int:
            return 1

        async def main():
            async with Host(Config(plugins={"metrics": PluginConfig()}), discover=False) as host:
                host.register(mine)
                board = await host.board("a")
                await board.call("mine")
                await host.reload("metrics")
                reader = InMemoryMetricReader()
                metrics.set_meter_provider(MeterProvider([reader]))
                await board.call("mine")
                await host.reload("metrics")
                await board.call("mine")
                (found,) = reader.get_metrics_data().resource_metrics
                for each in found.scope_metrics[0].metrics:
                    if each.name in ("pegboard.calls", "pegboard.boards"):
                        print(each.name, [point.value for point in each.data.data_points])

        asyncio.run(main())
    """)

    assert sorted(printed) == ["pegboard.boards [1]", "pegboard.calls [2]"]


def test_without_the_package_the_error_names_the_way_out() -> None:
    printed = run("""
        import asyncio, sys
        sys.modules["opentelemetry"] = None
        from pegboard import Config, Host, PluginConfig

        async def main():
            async with Host(Config(plugins={"metrics": PluginConfig()}), discover=False) as host:
                print(host.plugins["metrics"].state, host.plugins["metrics"].error)

        asyncio.run(main())
    """)

    (line,) = printed
    assert line.startswith(
        "failed PluginLoadError: plugin 'metrics' needs the package opentelemetry"
    )
    assert line.endswith("which isn't installed: pip install 'pegboard[otel]'")


async def test_figures_are_read_in_another_thread_while_the_host_changes(
    reader: InMemoryMetricReader, caplog: pytest.LogCaptureFixture
) -> None:
    over = threading.Event()
    read: list[dict[str, Any]] = []

    def collect() -> None:
        while not over.is_set():
            read.append(values(reader, "pegboard.plugins"))

    async with standing(named("mine"), config=ON) as (host, board):
        collecting = asyncio.ensure_future(asyncio.to_thread(collect))
        for number in range(40):
            await host.load(plugin_with(named(f"brought{number}")), name=f"p{number}")
            await asyncio.gather(*(board.call(f"brought{number}") for _ in range(5)))
        over.set()
        await collecting

    assert all(read)
    assert not [each for each in caplog.records if "opentelemetry" in each.name]
