"""Watching what is installed and configured: pip, editable projects, configuration, lock file."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pegboard import Config, Host
from pegboard.testing import Site, site_at
from pegboard_versions import Versions, gauged, started, versions_at
from pegboard_watched import Author, author_at, code, install_editable, seen

ONLY = Config(only=["project"])


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """Versions of one distribution."""
    with versions_at(tmp_path) as versions:
        yield versions


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A folder on the import path, for editable installs."""
    with site_at(tmp_path / "site") as site:
        before = list(sys.path)
        yield site
        sys.path[:] = before  # the host has put the folders of projects there


@asynccontextmanager
async def author_of(project: Path, site: Site) -> AsyncIterator[Author]:
    """An author with version 1 of a project that is installed as editable, and watched."""
    module = project / "src" / "project.py"
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(code(1))
    install_editable(site, project, "project")
    async with Host(ONLY) as host, host.watch() as reports:
        yield Author(host, await host.board("desk"), module, reports)


async def test_a_version_that_pip_installs_runs_a_moment_later_and_no_call_is_mixed(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, _), host.watch() as reports:
        calls = []
        versions.install(2)
        while host.plugins["gauge"].version != "2.0":
            calls.append(started(board, "version"))
            await asyncio.sleep(0.002)
        report = await anext(reports)

        values = {tuple((await each).unwrap()) for each in calls}
        assert values <= {(1, 1, 1), (2, 2, 2)}
        assert report.sync.reloaded == ("gauge",)


async def test_what_pip_removes_is_unloaded_and_what_it_brings_back_is_loaded(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, board, _), host.watch() as reports:
        versions.site.uninstall("gauge")
        gone = await anext(reports)
        versions.install(2)
        back = await anext(reports)

        assert (gone.sync.unloaded, back.sync.loaded) == (("gauge",), ("gauge",))
        assert (await board.call("version")).unwrap() == [2, 2, 2]


async def test_nothing_is_unloaded_while_pip_puts_a_version_in_the_place_of_another(
    versions: Versions,
) -> None:
    async with gauged(versions) as (host, _, _), host.watch() as reports:
        aside = versions.site.path / "~auge-1.0.dist-info"
        (versions.site.path / "gauge-1.0.dist-info").rename(aside)
        await asyncio.sleep(0.5)
        before = host.plugins["gauge"].state
        versions.install(2)
        await asyncio.to_thread(_remove, aside)
        report = await anext(reports)

        assert (before, report.sync.unloaded, report.sync.reloaded) == ("loaded", (), ("gauge",))
        assert (host.plugins["gauge"].version, host.plugins["gauge"].generation) == ("2.0", 2)


def _remove(folder: Path) -> None:
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()


async def test_an_editable_project_is_followed(tmp_path: Path, site: Site) -> None:
    async with author_of(tmp_path / "project", site) as author:
        for version in (2, 3):
            author.write(version)
            await author.saw(version)


async def test_two_edits_of_a_project_with_one_time_and_one_size_are_two(
    tmp_path: Path, site: Site
) -> None:
    async with author_of(tmp_path / "project", site) as author:
        author.write(2)
        await author.saw(2)
        time = author.file.stat().st_mtime_ns
        author.write(3)
        os.utime(author.file, ns=(time, time))
        await author.saw(3)


async def test_a_new_file_in_a_new_folder_of_a_project_is_followed(
    tmp_path: Path, site: Site
) -> None:
    async with author_of(tmp_path / "project", site) as author:
        package = author.file.parent / "parts"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "one.py").write_text(code(2))
        author.file.write_text("from parts.one import version\n")
        await author.saw(2)
        (package / "one.py").write_text(code(3))
        await author.saw(3)


NOISE = (
    ".git/index.py",
    ".hidden/x.py",
    ".venv/lib/x.py",
    "environment/lib/x.py",
    "src/.project.py.swp",
    "src/__pycache__/project.py",
    "src/notes.txt",
    "src/project.py~",
    "node_modules/x.py",
)


async def test_what_is_no_code_of_a_project_changes_nothing(tmp_path: Path, site: Site) -> None:
    project = tmp_path / "project"
    for each in NOISE:
        (project / each).parent.mkdir(parents=True, exist_ok=True)
    (project / "environment" / "pyvenv.cfg").touch()
    async with author_of(project, site) as author:
        for each in NOISE:
            (project / each).parent.mkdir(parents=True, exist_ok=True)
            (project / each).write_text("raise OSError")
        (author.file.parent / ".#project.py").symlink_to("somebody@somewhere.1234")
        author.write(2)
        await author.saw(2)

        assert author.host.plugins["project"].generation == 2


async def test_a_project_that_could_not_be_loaded_is_loaded_once_it_can(
    tmp_path: Path, site: Site
) -> None:
    module = tmp_path / "project" / "src" / "project.py"
    module.parent.mkdir(parents=True)
    module.write_text("x = y\n")
    install_editable(site, tmp_path / "project", "project")
    async with Host(ONLY) as host, host.watch() as reports:
        before = host.plugins["project"]
        module.write_text(code(2))
        report = await anext(reports)

        assert f"NameError: name 'y' is not defined ({module}:1)" in str(before.error)
        assert report.sync.loaded == ("project",)


async def test_metadata_that_is_being_written_ends_nothing(tmp_path: Path, site: Site) -> None:
    async with author_of(tmp_path / "project", site) as author:
        told = site.path / "project-1.0.dist-info" / "direct_url.json"
        text = told.read_text()
        told.write_text(text[:10])
        await author.told()
        told.write_text(text)
        author.write(2)
        await author.saw(2)


async def test_an_edited_configuration_is_applied(tmp_path: Path) -> None:
    config = tmp_path / "pegboard.toml"
    config.write_text("")
    async with author_at(tmp_path, config) as author:
        config.write_text('deny = ["version"]\n')
        report = await author.told()

        assert (report.is_configured, report.errors) == (True, ())
        assert list(author.board.tools) == []


async def test_a_broken_configuration_is_told_once_and_code_is_followed_meanwhile(
    tmp_path: Path,
) -> None:
    config = tmp_path / "pegboard.toml"
    config.write_text("")
    async with author_at(tmp_path, config) as author:
        config.write_text('\ndeni = ["version"]\n')
        first = await author.told()
        author.write(2)
        second = await author.told()
        config.write_text('\ndeny = ["version"]\n')
        third = await author.told()

        assert first.errors[0].startswith(f"{config}:2: deni: ")
        assert (second.errors, second.sync.reloaded) == ((), ("edited",))
        assert (third.is_configured, list(author.board.tools)) == (True, [])


async def test_a_configuration_that_comes_later_is_applied(tmp_path: Path) -> None:
    config = tmp_path / "later" / "pegboard.toml"
    async with author_at(tmp_path) as author:
        async with author.host.watch(config) as reports:
            config.parent.mkdir()
            config.write_text('deny = ["version"]\n')
            report = await anext(reports)

        assert report.is_configured
        assert list(author.board.tools) == []


async def test_a_lock_file_that_is_written_is_followed(tmp_path: Path, site: Site) -> None:
    site.install("project", entry_points={"project": "project"}, files={"project.py": code(1)})
    config = tmp_path / "pegboard.toml"
    config.write_text('only = ["project"]\nlock = "pegboard.lock"\n')
    async with Host(config) as host, host.watch() as reports:
        before = host.plugins["project"].state
        accepting = Config(only=["project"], lock=tmp_path / "pegboard.lock", accept=True)
        async with Host(accepting) as other:
            await other.lock()
        report = await anext(reports)

        assert (before, report.sync.loaded) == ("quarantined", ("project",))
        assert await seen(await host.board("desk")) == 1
