"""What a client of a restricted board sees and reaches, over HTTP and in both eras."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from pegboard_served import Served, served

CONFIG = """
only = ["echo", "files"]
[plugins.files]
root = "{root}"
[boards.reader]
allow = [{{ read_only = true }}]
deny = ["echo"]
"""
FILE = {"path": "made.txt", "content": "made"}
eras = pytest.mark.parametrize("era", ["legacy", "2026-07-28"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder that the tools may write to."""
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def boards(tmp_path: Path, root: Path) -> Iterator[Served]:
    """A server with a board that isn't restricted, and one that is."""
    (tmp_path / "pegboard.toml").write_text(CONFIG.format(root=root))
    with served(tmp_path) as found:
        yield found


def url_of(boards: Served, board: str) -> str:
    return boards.url.replace("/mcp", f"/boards/{board}/mcp")


@eras
async def test_a_client_never_sees_a_tool_that_its_board_denies(boards: Served, era: str) -> None:
    async with Client(url_of(boards, "reader"), mode=era) as reader:
        seen = {each.name for each in (await reader.list_tools()).tools}
    async with Client(url_of(boards, "writer"), mode=era) as writer:
        others = {each.name for each in (await writer.list_tools()).tools}

    assert {"echo", "files_write"} <= others - seen
    assert "files_read" in seen


@eras
async def test_a_client_never_reaches_a_tool_that_its_board_denies(
    boards: Served, root: Path, era: str
) -> None:
    refusals = {}
    async with Client(url_of(boards, "reader"), mode=era) as reader:
        for name in ("files_write", "absent"):
            with pytest.raises(MCPError) as refused:
                await reader.call_tool(name, FILE)
            refusals[name] = (refused.value.code, str(refused.value).replace(name, "NAME"))

    assert refusals["files_write"] == refusals["absent"]
    assert not (root / "made.txt").exists()


@eras
async def test_the_same_call_reaches_the_tool_on_a_board_without_restrictions(
    boards: Served, root: Path, era: str
) -> None:
    async with Client(url_of(boards, "writer"), mode=era) as writer:
        result = await writer.call_tool("files_write", FILE)

    assert not result.is_error
    assert (root / "made.txt").read_text() == "made"
