"""The rows "Plugins: loading" on the catalogue, by id."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard.testing import Site, site_at
from pegboard_deferred import GREET, hosted, install, known

LISTING = """
import sys
from pegboard.cli import main
sys.path.insert(0, sys.argv.pop(1))
main()
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with `greet` in it."""
    with site_at(tmp_path / "site") as site:
        install(site)
        yield site


def listed(site: Site, tmp_path: Path, *words: str) -> str:
    """What `pegboard tools` prints in a process of its own."""
    command = [sys.executable, "-c", LISTING, str(site.path), "tools", *words]
    ran = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, check=True)
    assert ran.stderr == ""
    return ran.stdout


@pytest.mark.parametrize("words", [(), ("--json",), ("--json", "--board", "a"), ("--matrix",)])
def test_p_244_with_a_fresh_catalogue_the_tools_are_listed_and_no_plugin_is_imported(
    site: Site, tmp_path: Path, words: tuple[str, ...]
) -> None:
    note = tmp_path / "imported"
    install(site, code=f"open({str(note)!r}, 'a').write('once')\n{GREET}")
    first, second, third = (listed(site, tmp_path, *words) for _ in range(3))

    assert note.read_text() == "once"
    assert first == second == third
    assert "greet" in first


async def test_p_244_with_a_fresh_catalogue_definitions_are_shown_and_no_plugin_is_imported(
    site: Site,
) -> None:
    async with hosted("greet") as host:
        wanted = (await host.board("a")).definitions()
    async with hosted("greet") as host:
        board = await host.board("a")

        assert board.definitions() == wanted
        assert (host.plugins["greet"].state, "greet" in sys.modules) == ("deferred", False)


async def test_p_245_the_first_call_imports_the_plugin_and_nothing_that_is_shown_changes(
    site: Site,
) -> None:
    await known("greet")
    async with hosted("greet") as host:
        board = await host.board("a")
        before = (board.definitions(), board.revision)
        outcome = await board.call("greet", {"name": "Ada"})

        assert outcome.unwrap() == ["hello Ada"]
        assert (board.definitions(), board.revision) == before
        assert (host.plugins["greet"].state, "greet" in sys.modules) == ("loaded", True)


async def test_p_246_a_catalogue_that_no_longer_agrees_is_rebuilt_and_the_revision_moves(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site, code=f"import os\n{GREET}\n{CHANGING}")
    await known("greet")
    monkeypatch.setenv("LANGUAGE_OF_GREET", "fr")
    async with hosted("greet") as host:
        board = await host.board("a")
        shown, revision = list(board.tools), board.revision
        outcome = await board.call("greet", {"name": "Ada"})
        called, moved = list(board.tools), board.revision
    async with hosted("greet") as host:
        rebuilt = (host.plugins["greet"].state, list(host.tools))

    assert outcome.unwrap() == ["hello Ada"]
    assert (shown, called) == (["greet", "leave"], ["greet", "leave", "saluer"])
    assert moved == revision + 1
    assert rebuilt == ("deferred", called)


CHANGING = '''
if "LANGUAGE_OF_GREET" in os.environ:
    @tool
    def saluer() -> str:
        """Saluer."""
        return "bonjour"
'''
