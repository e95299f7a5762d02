"""The cases of section Boards: revisions, snapshots, explanations, costs."""

import contextlib
import gc
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from pegboard import Host, PluginLoadError, formats
from pegboard.testing import RecordingPlugin, site_at
from pegboard_cases import says
from pegboard_offers import Offering, named, offer, register

TOML = """
[reserved]
kept = "for later"

[boards.a]
deny = ["hidden"]
"""
GREETER = """
from pegboard import tool

@tool
def greet() -> str:
    return "hello"
"""


async def test_p_225_the_revision_moves_with_the_visible_text_only() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        seen = [board.revision]

        with host.register(named("x")):
            seen.append(board.revision)
            with board.restrict(deny=["x"]):
                seen.append(board.revision)
            seen.append(board.revision)
        seen.append(board.revision)
        board.guard(lambda execution: None)
        await host.load(RecordingPlugin())

    assert seen == [0, 1, 2, 3, 4]
    assert board.revision == 4


async def test_p_226_the_revision_stays_when_a_hidden_or_shadowed_tool_changes() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a", deny=["hidden*"])
        register(board, "near")
        before, shown = board.revision, board.definitions()

        register(host, "hidden_1", "Near")
        host.register(named("hidden_2")).close()

        assert (board.revision, board.definitions()) == (before, shown)


async def test_p_227_no_number_of_a_revision_stands_for_two_texts() -> None:
    async with Host(discover=False) as host:
        board = await host.board("a")
        seen = {}
        for _ in range(3):
            await host.load(offer("x"), name="web")
            seen[board.revision] = len(board.tools)
            await host.unload("web")
            seen[board.revision] = len(board.tools)

    assert list(seen.values()) == [1, 0] * 3


@pytest.mark.parametrize("shape", sorted(formats.SHAPES))
async def test_p_228_definitions_are_the_same_bytes_while_nothing_changed(shape: str) -> None:
    async with Host(discover=False) as host:
        register(host, "a", "b", "c")
        board = await host.board("x", allow=["a", "c"])
        before = repr(formats.SHAPES[shape](board)), board.encoded_definitions(shape)

        register(host, "hidden")
        board.guard(lambda execution: None)

        assert (repr(formats.SHAPES[shape](board)), board.encoded_definitions(shape)) == before


async def test_p_229_a_kept_mapping_does_not_change_while_it_is_read() -> None:
    async with Host(discover=False) as host:
        register(host, "a", "b")
        board = await host.board("x")
        kept, read = board.tools, []

        for name in kept:
            register(board, f"new_{name}")
            read.append(name)

        assert read == list(kept) == ["a", "b"]
        assert list(board.tools) == ["a", "b", "new_a", "new_b"]


async def test_p_230_explain_says_whose_tool_it_is_and_what_hides_it(tmp_path: Path) -> None:
    async with configured(tmp_path) as host:
        board = await host.board("a")
        register(board, "shadowed")

        assert says(str(board.explain("shown")), "is visible", "global layer", "'docs'")
        assert says(str(board.explain("hidden")), "not visible", "denied", "pegboard.toml:6")
        assert says(str(board.explain("shadowed")), "is visible", "is shadowed by", "'docs'")
        assert says(str(board.explain("kept")), "reserved by", "pegboard.toml:3", "for later")


async def test_p_230_explain_names_what_is_near_and_what_could_not_be_loaded(
    tmp_path: Path,
) -> None:
    async with configured(tmp_path) as host:
        board = await host.board("a")
        with pytest.raises(PluginLoadError):
            await host.load(offer("a b"), name="broken")

        assert says(str(board.explain("hiden")), "'hidden'", "'broken'", "'a b'")
        assert [each.kind for each in board.explain("hiden").reasons] == ["unknown", "failed"]


async def test_p_230_explain_names_the_spelling_that_is_there() -> None:
    async with Host(discover=False) as host:
        register(host, "search")
        board = await host.board("a")

        assert says(str(board.explain("Search")), "not visible", "did you mean 'search'")


async def test_p_230_explain_names_distribution_and_version(tmp_path: Path) -> None:
    with site_at(tmp_path / "site") as site:
        entry, files = {"greeter": "greeter_plugin"}, {"greeter_plugin.py": GREETER}
        site.install("greeter", "2.1", entry_points=entry, files=files)
        async with Host() as host:
            explained = (await host.board("a")).explain("greet")

    assert says(str(explained), "plugin 'greeter' (greeter 2.1)", "the global layer")


async def test_p_231_a_board_that_adds_nothing_costs_less_than_two_kibibytes() -> None:
    async with Host(discover=False) as host:
        register(host, *(f"tool_{number}" for number in range(100)))
        (await host.board("warm")).definitions()
        gc.collect()
        tracemalloc.start()
        boards = [await host.board(f"b{number}") for number in range(10_000)]
        shown = {len(board.definitions()) + board.revision for board in boards}
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()

    assert shown == {100}
    assert size / len(boards) < 2048


async def test_p_232_two_hosts_share_nothing_of_one_plugin() -> None:
    plugin = Offering(("read",), per_board=("note",))
    async with Host(discover=False) as one, Host(discover=False) as other:
        for host in (one, other):
            await host.load(plugin, name="docs")
        boards = [await one.board("a"), await other.board("a")]

        await one.unload("docs")
        one.restrict(deny=["*"])

        assert [list(board.tools) for board in boards] == [[], ["read", "note"]]
        assert (await boards[1].call("read")).unwrap() == "read"


@contextlib.asynccontextmanager
async def configured(folder: Path) -> Any:
    """A host with a file, and a plugin `docs` with three tools."""
    (folder / "pegboard.toml").write_text(TOML)
    async with Host(folder / "pegboard.toml", discover=False) as host:
        await host.load(offer("shown", "hidden", "shadowed"), name="docs")
        yield host
