"""An extension module that a process has loaded is never said to be the one that took its place."""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec._core
import pytest
from pegboard import Config, Failure, Host, PluginLoadError, SyncReport
from pegboard_versions import Versions, versions_at

GAUGE = Config(only=["gauge"])
REAL = Path(msgspec._core.__file__)
EAGER = "from gauge import _core\n"
LAZY = """
from pegboard import tool
@tool
async def version() -> str:
    from gauge import _core
    return "imported"
"""


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Versions]:
    """Versions of one distribution; what the process knows of it is forgotten afterwards."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    with versions_at(tmp_path) as versions:
        yield versions


def install(versions: Versions, version: int, code: str = EAGER) -> None:
    """Put a version that has an extension module in the place of another."""
    versions.install(version, code=code + LAZY)
    file = versions.site.path / "gauge" / REAL.name
    file.unlink(missing_ok=True)
    file.write_bytes(REAL.read_bytes() + b"\0" * version)
    record = versions.site.path / f"gauge-{version}.0.dist-info/RECORD"
    record.write_text(record.read_text() + f"gauge/{file.name},,\n")


async def test_what_has_not_changed_is_loaded_again_and_said_to_have_stayed(
    versions: Versions,
) -> None:
    install(versions, 1)
    async with Host(GAUGE) as host:
        board = await host.board("b")
        report = await host.unload("gauge")
        info = await host.load("gauge")

        assert report.leaked == ("1 objects still held: gauge._core",)
        assert (info.version, info.state) == ("1.0", "loaded")
        assert (await board.call("version")).unwrap() == "imported"


async def test_what_has_changed_while_it_was_unloaded_needs_a_restart(versions: Versions) -> None:
    install(versions, 1)
    async with Host(GAUGE) as host:
        await host.unload("gauge")
        install(versions, 2)
        with pytest.raises(PluginLoadError, match=r"restart needed: .*'gauge._core' has changed"):
            await host.load("gauge")

        assert host.plugins["gauge"].state == "failed"
        assert "restart needed" in str(host.plugins["gauge"].error)


async def test_another_host_of_the_process_is_told_the_same(versions: Versions) -> None:
    install(versions, 1)
    async with Host(GAUGE):
        pass
    install(versions, 2)
    async with Host(GAUGE) as host:
        infos = [host.plugins["gauge"]]
        install(versions, 3, "")
        report = await host.sync()
        board = await host.board("b")
        outcome = await board.call("version")

    assert (infos[0].state, report) == ("failed", SyncReport(loaded=("gauge",)))
    assert isinstance(outcome, Failure)
    assert "restart needed" in outcome.message


async def test_a_sync_exchanges_none(versions: Versions) -> None:
    install(versions, 1)
    async with Host(GAUGE) as host:
        install(versions, 2)
        report = await host.sync()

        assert report == SyncReport(failed=("gauge",))
        assert host.plugins["gauge"].version == "1.0"
        assert "restart needed" in str(host.plugins["gauge"].error)


async def test_a_call_imports_none_that_came_after_its_plugin(versions: Versions) -> None:
    install(versions, 1, "")
    async with Host(GAUGE) as host:
        board = await host.board("b")
        install(versions, 2, "")
        outcomes = [await board.call("version")]
        await host.reload("gauge")
        outcomes.append(await board.call("version"))

    assert isinstance(outcomes[0], Failure)
    assert "another by now" in outcomes[0].message
    assert outcomes[1].unwrap() == "imported"


async def test_one_that_was_imported_in_a_call_is_known_when_its_plugin_is_unloaded(
    versions: Versions,
) -> None:
    install(versions, 1, "")
    async with Host(GAUGE) as host:
        board = await host.board("b")
        await board.call("version")
        await host.unload("gauge")
        install(versions, 2)
        with pytest.raises(PluginLoadError, match="restart needed"):
            await host.load("gauge")


async def test_a_version_without_it_is_loaded(versions: Versions) -> None:
    install(versions, 1)
    async with Host(GAUGE) as host:
        board = await host.board("b")
        await host.unload("gauge")
        (versions.site.path / "gauge" / REAL.name).unlink()
        versions.install(2)
        info = await host.load("gauge")

        assert info.version == "2.0"
        assert (await board.call("version")).unwrap() == [2, 2, 2]


async def test_one_that_its_plugin_can_do_without_needs_no_restart(versions: Versions) -> None:
    install(versions, 1)
    async with Host(GAUGE) as host:
        board = await host.board("b")
        await host.unload("gauge")
        install(versions, 2, "try:\n    from gauge import _core\nexcept ImportError:\n    pass\n")
        info = await host.load("gauge")

        assert info.version == "2.0"
        assert isinstance(await board.call("version"), Failure)
