"""Section "Plugins: upgrading" of the behaviour, in the host's process."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import Ask, Config, Failure, Host, PluginLoadError, ToolCall
from pegboard_versions import Gate, Versions, gauged, started, versions_at, waiting

BROKEN = {
    "import": "raise OSError('no disk')",
    "check": "from pegboard import hookimpl\n@hookimpl\ndef pegboard_tool(): ...",
    "lifespan": (
        "import contextlib\nfrom pegboard import hookimpl\n@hookimpl\n@contextlib.contextmanager\n"
        "def pegboard_lifespan():\n    raise OSError('no port')\n    yield\n"
    ),
}


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


async def test_p_260_running_calls_end_on_the_old_code_and_new_ones_run_on_the_new(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, gate):
        running = started(board, "held")
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        waits = await waiting(host, board)
        gate.go.set()
        info = await reload

        assert (await running).unwrap() == [1, 1, 1]
        assert (await waits).unwrap() == [2, 2, 2]
        assert (info.version, info.generation, info.state) == ("2.0", 2, "loaded")


async def test_p_261_a_call_that_outlasts_grace_is_cancelled_and_waiting_ones_go_on(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, gate):
        running = started(board, "held")
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge", grace=0.2))
        waits = await waiting(host, board)
        await reload
        outcome = await running

        assert isinstance(outcome, Failure)
        assert (outcome.code, outcome.message) == ("aborted", "plugin 'gauge' is upgraded")
        assert (await waits).unwrap() == [2, 2, 2]


ONCE = """
import builtins
if hasattr(builtins, "gauge_was_here") and not __import__("sys").flags.isolated:
    raise ImportError("cannot load module more than once per process")
builtins.gauge_was_here = True
"""


async def test_p_262_what_can_t_be_imported_twice_is_answered_with_restart_needed(
    versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with gauged(versions) as (host, board, _):
        monkeypatch.setattr("builtins.gauge_was_here", True, raising=False)
        versions.install(2, more=ONCE)
        with pytest.raises(PluginLoadError, match="restart needed") as caught:
            await host.reload("gauge")

        assert "more than once per process" in str(caught.value)
        assert (await board.call("version")).unwrap()[0] == 1
        assert (host.plugins["gauge"].version, host.plugins["gauge"].state) == ("1.0", "loaded")


async def test_p_264_a_dependency_is_neither_unloaded_nor_said_to_be(versions: Versions) -> None:
    versions.site.install("ruler", files={"ruler.py": "V = 1\n"})
    reads = "\nimport ruler\n@tool\ndef ruled() -> int:\n    return ruler.V\n"
    async with gauged(versions) as (host, board, _):
        versions.install(2, more=reads)
        await host.reload("gauge")
        dependency = sys.modules["ruler"]
        versions.site.uninstall("ruler")
        versions.site.install("ruler", "2.0", files={"ruler.py": "V = 2\n"})
        versions.install(3, more=reads)
        await host.reload("gauge")

        assert sys.modules["ruler"] is dependency
        assert (await board.call("ruled")).unwrap() == 1


@pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN)
async def test_p_265_a_new_load_that_fails_leaves_the_old_one_whole(
    versions: Versions, code: str
) -> None:
    async with gauged(versions) as (host, board, _):
        before = {name: sys.modules[name] for name in ("gauge", "gauge.part")}
        versions.install(2, code=code)
        with pytest.raises(PluginLoadError, match="goes on as it was"):
            await host.reload("gauge")
        info = host.plugins["gauge"]

        assert {name: sys.modules[name] for name in before} == before
        assert (await board.call("version")).unwrap()[:2] == [1, 1]
        assert (info.state, info.version, info.generation) == ("loaded", "1.0", 1)
        assert "upgrade failed" in str(info.error)


async def test_p_265_a_new_load_that_collides_leaves_the_old_one_whole(versions: Versions) -> None:
    taken = "\n@tool\ndef taken() -> int:\n    return 2\n"
    async with gauged(versions) as (host, board, _):
        versions.site.install("other", entry_points={"other": "other"}, files={"other.py": TAKEN})
        await host.load("other")
        versions.install(2, more=taken)
        with pytest.raises(PluginLoadError, match="already registered by plugin 'other'"):
            await host.reload("gauge")

        assert (await board.call("version")).unwrap()[:2] == [1, 1]
        assert (await board.call("taken")).unwrap() == 1


TAKEN = "from pegboard import tool\n@tool\ndef taken() -> int:\n    return 1\n"


async def test_p_266_a_tool_that_is_gone_is_gone_and_a_change_moves_the_revision(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, _):
        before = board.revision
        versions.install(2, code=TAKEN.replace("taken", "version"))
        await host.reload("gauge")
        outcome = await board.call("held")

        assert list(board.tools) == ["version"]
        assert isinstance(outcome, Failure)
        assert outcome.code == "unknown_tool"
        assert board.revision != before


async def test_p_267_an_unchanged_plugin_shows_the_same_and_the_revision_stays(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, _):
        before = board.encoded_definitions("anthropic"), board.revision
        info = await host.reload("gauge")

        assert (board.encoded_definitions("anthropic"), board.revision) == before
        assert info.generation == 2


async def test_p_268_old_code_that_imports_lazily_while_it_drains_gets_its_own_modules(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, gate):
        running = started(board, "held")
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        await waiting(host, board)
        is_lazy = "gauge.later" not in sys.modules
        gate.go.set()
        await reload

        assert is_lazy
        assert (await running).unwrap() == [1, 1, 1]


async def test_p_269_sync_gives_a_new_generation_to_what_was_upgraded_only(
    versions: Versions,
) -> None:
    versions.site.install("other", entry_points={"other": "other"}, files={"other.py": TAKEN})
    versions.install(1)
    async with Host(Config(only=["gauge", "other"])) as host:
        versions.install(2)
        report = await host.sync()

        assert (report.reloaded, report.loaded, report.unloaded) == (("gauge",), (), ())
        assert [host.plugins[name].generation for name in ("gauge", "other")] == [2, 1]


SAFE = """
@tool(concurrency_safe={safe})
async def measure(context: RunContext) -> list[int]:
    context.deps.running += 1
    most = context.deps.running
    context.deps.begun.set()
    await context.deps.go.wait() if {version} == 1 else await asyncio.sleep(0.005)
    most = max(most, context.deps.running)
    context.deps.running -= 1
    return [{version}, most]
"""


async def test_p_270_calls_that_have_not_started_follow_what_the_new_version_says(
    versions: Versions,
) -> None:
    versions.install(1, more=SAFE.format(safe=True, version=1))
    gate = type("Gate", (), {"running": 0, "begun": asyncio.Event(), "go": asyncio.Event()})()
    async with Host(Config(only=["gauge"])) as host:
        board = await host.board("case", deps=gate)
        calls = [ToolCall(str(number), "measure") for number in range(6)]
        batch = asyncio.create_task(board.run(calls, max_parallel=2))
        await gate.begun.wait()
        versions.install(2, more=SAFE.format(safe=False, version=2))
        reload = asyncio.create_task(host.reload("gauge"))
        await waiting(host, board)
        gate.go.set()
        await reload
        values = [each.unwrap() for each in await batch]

    assert values == [[1, 2]] * 2 + [[2, 1]] * 4


POLICY = """
from pegboard import Allow, hookimpl
@hookimpl
def pegboard_before_call(execution):
    execution.deps.asked.append(execution.call_id)
    return Allow()
"""
HOLDING = """
@tool
async def holding(context: RunContext) -> int:
    context.deps.begun.set()
    await context.deps.go.wait()
    return 1
"""


async def test_p_395_no_call_runs_without_the_hook_of_a_plugin_that_is_reloaded(
    versions: Versions,
) -> None:
    code = TAKEN.replace("tool\n@", "RunContext, tool\n@", 1) + HOLDING
    versions.site.install("other", entry_points={"other": "other"}, files={"other.py": code})
    versions.install(1, code=POLICY)
    gate = Gate()
    async with Host(Config(only=["gauge", "other"])) as host:
        board = await host.board("case", deps=gate)
        calls = [started(board, "holding")]
        await gate.begun.wait()
        reload = asyncio.create_task(host.reload("gauge"))
        calls.append(await waiting(host, board, "taken"))
        gate.go.set()
        await reload
        calls.append(started(board, "taken"))
        outcomes = [await each for each in calls]

    assert [each.unwrap() for each in outcomes] == [1, 1, 1]
    assert {each.call_id for each in outcomes} <= set(gate.asked)
    assert len(gate.asked) == len(set(gate.asked)) == int(outcomes[-1].call_id[5:])


async def test_p_396_a_call_inside_one_of_the_old_generation_runs_on_the_old_one(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, gate):
        running = started(board, "nested")
        await gate.begun.wait()
        versions.install(2)
        reload = asyncio.create_task(host.reload("gauge"))
        waits = await waiting(host, board)
        gate.go.set()
        await reload

        assert (await running).unwrap() == [1, 1, 1, 1]
        assert (await waits).unwrap() == [2, 2, 2]


async def test_p_247_sync_loads_reloads_and_unloads_what_pip_did_and_nothing_else(
    versions: Versions,
) -> None:
    async with Host(Config(only=["gauge"])) as host:
        reports = []
        for version in (1, 2, 2, None, None):
            if version is None:
                versions.site.uninstall("gauge")
            elif len(reports) < 2:
                versions.install(version)
            reports.append(await host.sync())

    fields = [(each.loaded, each.reloaded, each.unloaded, each.failed) for each in reports]
    one, none = ("gauge",), ()
    assert fields[:3] == [(one, none, none, none), (none, one, none, none), (none,) * 4]
    assert fields[3:] == [(none, none, one, none), (none,) * 4]


async def test_p_088_an_upgrade_voids_an_approval_that_is_asked_for(versions: Versions) -> None:
    async with gauged(versions) as (host, board, _):
        asked, answer = asyncio.Event(), asyncio.Event()

        async def approve(request: object) -> str:
            asked.set()
            await answer.wait()
            return "once"

        board.hook(before_call=lambda execution: Ask("sure?"), approve=approve)
        running = started(board, "version")
        await asked.wait()
        await host.reload("gauge")
        answer.set()
        outcome = await running

        assert isinstance(outcome, Failure)
        assert outcome.code == "denied"
        assert "the approval was for another digest" in outcome.message
