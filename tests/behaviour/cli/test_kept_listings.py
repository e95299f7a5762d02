"""`tools --json` is printed from what was kept, while nothing that it depends on has changed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TEA = '''
from pegboard import hookimpl, tool

@tool
async def brew(leaves: str) -> str:
    """Brew tea: ☕, thé, 茶."""
    return leaves

@hookimpl
def pegboard_tools():
    return [brew]
'''

LOUD = """
import sys
print("good morning", file=sys.{stream})
"""

BOARD = """
from pegboard import hookimpl

@hookimpl
def pegboard_board(plugin, board):
    yield
"""


def folder() -> Path:
    """Where listings are kept."""
    return Path(os.environ["XDG_CACHE_HOME"]) / "pegboard" / "listings"


def settle(desk: Any, *names: str) -> None:
    """Let in these plugins only, and have everything be an hour older, so that any change shows."""
    if names:
        desk.write("pegboard.toml", f"only = {[*names]}")
    for path in (desk.work, desk.site, *desk.work.rglob("*"), *desk.site.rglob("*")):
        was = path.stat().st_mtime - 3600
        os.utime(path, (was, was))


def edit(change: Callable[[str], str]) -> None:
    """Change what is kept."""
    for each in folder().iterdir():
        each.write_text(change(each.read_text()))


def is_repeated(desk: Any, *words: str) -> bool:
    """Whether a listing is printed from what was kept, once that is forged."""
    edit(lambda kept: kept.replace("Say one value.", "Say any value."))
    return "Say any value." in desk.answer("tools", "--json", *words).out


@pytest.fixture
def kept(desk: Any) -> Any:
    """A desk whose listing is kept."""
    settle(desk, "voice")
    desk.answer("tools")  # Python writes its bytecode once, beside what it imports
    settle(desk)
    desk.answer("tools", "--json")
    assert len(list(folder().iterdir())) == 1
    return desk


def test_a_listing_is_printed_again_from_what_was_kept(kept: Any) -> None:
    before = kept.answer("tools", "--json")

    assert kept.answer("tools", "--json") == before
    assert is_repeated(kept)


def test_each_board_and_each_configuration_has_a_listing_of_its_own(kept: Any) -> None:
    kept.write("mute.toml", 'only = ["voice"]\ndeny = ["say"]\n')
    settle(kept)
    others = (("--board", "other"), ("--config", "mute.toml"))
    shown = [len(kept.answer("tools", "--json", *words).json) for words in ((), *others)]

    assert shown == [2, 2, 1]
    assert len(list(folder().iterdir())) == 3
    assert is_repeated(kept)
    assert is_repeated(kept, *others[0])
    assert len(kept.answer("tools", "--json", *others[1]).json) == 1


def test_the_order_of_options_doesn_t_matter(kept: Any) -> None:
    kept.answer("tools", "--json", "--board", "other")
    edit(lambda text: text.replace("Say one value.", "Say any value."))

    assert "Say any value." in kept.answer("tools", "--board", "other", "--json").out


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "utf-16"])
def test_what_was_kept_is_printed_byte_for_byte(desk: Any, encoding: str) -> None:
    desk.install("tea", TEA)
    settle(desk, "tea")
    command = [sys.executable, "-m", "pegboard", "tools", "--json"]
    environment = desk.environment | {"PYTHONIOENCODING": encoding}

    found, again = (
        subprocess.run(command, cwd=desk.work, env=environment, capture_output=True, check=True)
        for _ in range(2)
    )

    assert len(list(folder().iterdir())) == 1
    assert (again.stdout, again.stderr) == (found.stdout, b"")
    assert b"brew" in found.stdout.replace(b"\0", b"")


def test_nothing_of_the_host_is_imported_for_what_was_kept(desk: Any) -> None:
    settle(desk, "voice")
    desk.run("tools", "--json")

    said = desk.run("tools", "--json", PYTHONPROFILEIMPORTTIME="1").err

    modules = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    assert {"asyncio", "attrs", "json", "typing", "pegboard.host", "pegboard_voice"}.isdisjoint(
        modules
    )
    assert {"pegboard.cache", "pegboard.cli.listed"} <= modules


def _install(desk: Any) -> None:
    desk.install("tea", TEA)


def _uninstall(desk: Any) -> None:
    next(desk.site.glob("*.dist-info")).rename(desk.site / "gone")


def _configure(desk: Any) -> None:
    desk.write("pegboard.toml", 'only = ["voice"]\ndeny = ["shout"]')


def _edit(desk: Any) -> None:
    (metadata,) = desk.site.glob("*/METADATA")
    metadata.write_text(metadata.read_text().replace("1.0", "1.1"))


@pytest.mark.parametrize("change", [_install, _uninstall, _configure, _edit])
def test_what_changes_the_listing_has_it_found_out_again(
    kept: Any, change: Callable[[Any], None]
) -> None:
    change(kept)

    assert not is_repeated(kept)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text[:-20],
        lambda text: text + "more",
        lambda text: text[20:],
        lambda text: text.replace("\0", "\n"),
        lambda text: text[:-20] + "\0" * 20,
    ],
    ids=["empty", "cut", "longer", "without its head", "without its marks", "zeros"],
)
def test_a_listing_that_was_damaged_is_found_out_again(
    kept: Any, change: Callable[[str], str]
) -> None:
    before = kept.answer("tools", "--json").out
    edit(change)

    ran = kept.answer("tools", "--json")

    assert (ran.status, ran.out, ran.err) == (0, before, "")


@pytest.mark.parametrize("mode", [0o000, 0o620, 0o602], ids=["nobody", "a group", "everybody"])
def test_a_listing_that_others_may_write_is_not_believed(kept: Any, mode: int) -> None:
    (file,) = folder().iterdir()
    file.write_text(file.read_text().replace("Say one value.", "Say any value."))
    file.chmod(mode)

    is_believed = "Say any value." in kept.answer("tools", "--json").out

    assert is_believed == (mode == 0 and os.geteuid() == 0)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_listing_with_a_message_is_not_kept(desk: Any, stream: str) -> None:
    desk.install("loud", LOUD.format(stream=stream) + TEA)
    settle(desk, "loud")

    said = desk.answer("tools", "--json").err

    assert said == "good morning\n"
    assert not folder().exists()


def test_a_listing_with_a_plugin_that_failed_is_not_kept(desk: Any) -> None:
    desk.install("broken", "raise OSError('no')")
    settle(desk, "broken", "voice")

    for _ in range(2):
        assert "'broken' could not be loaded" in desk.answer("tools", "--json").err

    assert not folder().exists()


def test_a_listing_to_which_a_plugin_of_boards_may_add_is_not_kept(desk: Any) -> None:
    desk.install("desks", BOARD)
    settle(desk, "desks", "voice")

    desk.answer("tools", "--json")

    assert not folder().exists()


def test_a_listing_of_what_changed_a_moment_ago_is_not_kept(desk: Any) -> None:
    desk.write("pegboard.toml", 'only = ["voice"]')

    desk.answer("tools", "--json")

    assert not folder().exists()


@pytest.mark.parametrize(
    "words",
    [("tools",), ("tools", "--json", "--matrix"), ("tools", "--json", "--sdk"), ("plugins",)],
)
def test_nothing_else_is_kept(desk: Any, words: tuple[str, ...]) -> None:
    settle(desk, "voice")

    desk.answer(*words)

    assert not folder().exists()


@pytest.mark.parametrize("place", ["", "file/below"], ids=["none", "one that can't be made"])
def test_without_a_cache_folder_every_listing_is_found_out(desk: Any, place: str) -> None:
    desk.write("file", "")
    settle(desk, "voice")

    ran = [desk.run("tools", "--json", PEGBOARD_CACHE=place) for _ in range(2)]

    assert ran[0] == ran[1]
    assert (ran[0].status, ran[0].err) == (0, "")


def test_forty_listings_are_kept_and_the_oldest_go_first(kept: Any) -> None:
    for number in range(60):
        file = folder() / f"{number:02}"
        file.write_text("")
        os.utime(file, (number, number))

    kept.answer("tools", "--json", "--board", "another")

    names = {each.name for each in folder().iterdir()}
    assert len(names) == 40
    assert {f"{number:02}" for number in range(22, 60)} <= names


def test_a_reader_that_goes_away_ends_a_kept_listing_without_a_word(kept: Any) -> None:
    for _ in range(2):
        kept.run("tools", "--json")
    line = f"{sys.executable} -m pegboard tools --json | true; exit ${{PIPESTATUS[0]}}"

    ran = subprocess.run(
        ["bash", "-c", line], cwd=kept.work, env=kept.environment, capture_output=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (141, b"")


def test_a_kept_listing_that_can_t_be_written_is_said_and_exit_status_1(kept: Any) -> None:
    for _ in range(2):
        kept.run("tools", "--json")
    line = f"ulimit -f 0; {sys.executable} -m pegboard tools --json >results"

    ran = subprocess.run(
        ["bash", "-c", line], cwd=kept.work, env=kept.environment, capture_output=True, check=False
    )

    assert ran.returncode == 1
    assert ran.stderr.startswith(b"pegboard: the results can't be written: ")
    assert ran.stderr.count(b"\n") == 1
