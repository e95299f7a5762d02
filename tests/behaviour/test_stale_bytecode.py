"""An edit within the second of an import is run by the next load, whichever way that comes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import Config, Host
from pegboard_versions import Versions, gauged, versions_at


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Versions]:
    """Versions of one distribution, whose bytecode is written."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    with versions_at(tmp_path) as versions:
        yield versions


@pytest.mark.parametrize("is_installed_first", [False, True])
async def test_a_plugin_that_is_unloaded_and_loaded_runs_what_was_installed_at_once(
    versions: Versions, is_installed_first: bool
) -> None:
    async with gauged(versions) as (host, board, _):
        for version in range(2, 8):
            if is_installed_first:
                versions.install(version)
            await host.unload("gauge")
            if not is_installed_first:
                versions.install(version)
            await host.load("gauge")

            assert (await board.call("version")).unwrap() == [version] * 3


async def test_a_plugin_that_failed_is_loaded_as_it_was_repaired_at_once(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, _):
        for version in range(2, 6):
            await host.unload("gauge")
            versions.install(version, more="raise OSError('no disk')")
            with pytest.raises(Exception, match="no disk"):
                await host.load("gauge")
            versions.install(version + 1)
            await host.load("gauge")

            assert (await board.call("version")).unwrap() == [version + 1] * 3


async def test_bytecode_that_another_process_wrote_of_what_was_there_before_is_not_run(
    versions: Versions, tmp_path: Path
) -> None:
    versions.install(1)
    program = "import sys; sys.path.insert(0, sys.argv[1]); import gauge.late, gauge.later"
    subprocess.run([sys.executable, "-c", program, str(versions.site.path)], check=True)
    versions.install(2)

    async with Host(Config(only=["gauge"])) as host:
        board = await host.board("case")

        assert (await board.call("version")).unwrap() == [2, 2, 2]
