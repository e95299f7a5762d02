"""A relative path begins in the folder of the configuration, wherever the host is started."""

from pathlib import Path

import pegboard_audit
import pytest
from pegboard import Host, PluginLoadError
from pegboard_audit import AuditError, Settings, default_path, read_events, record_path


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that is another one than the configuration's."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("named", ["audit.sqlite3", "./deep/../audit.sqlite3"])
async def test_a_path_in_a_file_begins_at_the_file(
    elsewhere: Path, tmp_path: Path, named: str
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "pegboard.toml").write_text(f'[plugins.audit]\npath = "{named}"\n')

    async with Host(Path("..", "pegboard.toml"), discover=False) as host:
        await host.load(pegboard_audit, name="audit")
        await host.board("one")

    assert list(elsewhere.iterdir()) == []
    assert [each.board for each in read_events(tmp_path / "audit.sqlite3", board="one")] != []


@pytest.mark.parametrize("settings", [{"path": "a.sqlite3"}, Settings(path="a.sqlite3")])
async def test_one_of_the_program_begins_in_the_working_folder(
    elsewhere: Path, settings: object
) -> None:
    async with Host(discover=False) as host:
        await host.load(pegboard_audit, name="audit", settings=settings)

    assert (elsewhere / "a.sqlite3").is_file()


def test_without_a_path_it_is_the_default(tmp_path: Path) -> None:
    assert record_path(None, tmp_path) == default_path()


def test_a_whole_path_is_taken_as_it_is(tmp_path: Path) -> None:
    whole = str(tmp_path / "a" / "r.sqlite3")

    assert record_path(whole, tmp_path / "b") == Path(whole)


@pytest.mark.parametrize("path", ["a\0b", "~nobody-of-that-name/x"])
async def test_what_is_no_path_is_said(tmp_path: Path, path: str) -> None:
    with pytest.raises(AuditError, match=r"path in \[plugins.audit\] can't be used"):
        record_path(path, tmp_path)

    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match=r"path in \[plugins.audit\] can't be used"):
            await host.load(pegboard_audit, settings={"path": path})
