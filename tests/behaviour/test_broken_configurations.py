"""A configuration file that is broken changes nothing of a running host."""

import os
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pegboard import Config, ConfigError, Host, PegboardError, SyncReport
from pegboard.configuration import read_config
from pegboard_live import host_of, shown

PARTS = (
    'deny = ["*_delete"]\n',
    "max_nesting = 3\nmask_errors = true\n",
    'reserved = { own = "It is ours." }\n',
    'unknown_boards = "create"\n',
    "[plugins.repeats]\nafter = 3\n",
    '[boards.a]\nallow = ["files_*"]\ndeny = [{ destructive = true }]\n',
    '[boards."*"]\ndeny = ["files_delete"]\n',
    '[tools."files_*"]\ntimeout = 2\nannotations = { read_only = true }\n',
    '[tools.web_search]\ndescription = """\nLook it up.\n"""\n',
)
TEXTS = st.lists(st.sampled_from(range(len(PARTS))), unique=True).map(
    lambda chosen: "".join(PARTS[each] for each in sorted(chosen))
)


def truncated(text: bytes, at: int) -> bytes:
    """What stands in a file before a place."""
    return text[: at % (len(text) + 1)]


def torn(text: bytes, at: int) -> bytes:
    """A file of which a block was never written."""
    at %= len(text) + 1
    return text[:at] + bytes(min(16, len(text) - at)) + text[at + 16 :]


def flipped(text: bytes, at: int) -> bytes:
    """A file with one other byte."""
    at %= max(len(text), 1)
    return text[:at] + bytes(each ^ 0x55 for each in text[at : at + 1]) + text[at + 1 :]


def doubled(text: bytes, at: int) -> bytes:
    """A file to which its own beginning was added."""
    return text + truncated(text, at)


@asynccontextmanager
async def configured(text: str) -> AsyncIterator[tuple[Host, Path]]:
    """A host that follows a file with a text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pegboard.toml"
        file.write_text(text)
        async with host_of(read_config(file)) as host:
            await host.sync(file)
            yield host, file


async def synced(host: Host) -> PegboardError | None:
    """Why a host can't follow its file, or None."""
    try:
        await host.sync()
    except PegboardError as error:
        return error
    return None


@settings(max_examples=30, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from([truncated, torn, flipped, doubled]), st.integers(0, 999))
async def test_what_is_half_written_or_damaged_holds_as_a_whole_or_not_at_all(
    before: str, after: str, damage: Callable[[bytes, int], bytes], at: int
) -> None:
    async with configured(before) as (host, file):
        first = shown(host)
        file.write_bytes(damage(after.encode(), at))
        if await synced(host) is not None:
            assert shown(host) == first
        else:
            async with host_of(host.config) as other:
                assert shown(host) == shown(other)
        file.write_text(after or "#")
        await host.sync()
        async with host_of(read_config(file)) as other:
            assert shown(host) == shown(other)


async def test_a_file_that_ends_at_any_byte_holds_as_a_whole_or_not_at_all() -> None:
    before, after = PARTS[0] + PARTS[6], "".join((PARTS[0], PARTS[4], PARTS[7]))
    ended = {True: 0, False: 0}
    async with configured(before) as (host, file):
        for end in range(len(after.encode())):
            await host.sync(host.config)
            first = shown(host)
            file.write_bytes(after.encode()[:end])
            error = await synced(host)
            ended[error is None] += 1
            now = host.config if error is None else first["config"]
            assert (host.config, error is None or shown(host) == first) == (now, True)

    assert ended[False] > ended[True] > 0


def missing(file: Path) -> None:
    """Remove it."""
    file.unlink()


def folder(file: Path) -> None:
    """Put a folder in its place."""
    file.unlink()
    file.mkdir()


def pipe(file: Path) -> None:
    """Put a pipe in its place, to which nobody writes."""
    file.unlink()
    os.mkfifo(file)


def device(file: Path) -> None:
    """Put a device in its place that never ends."""
    file.unlink()
    file.symlink_to("/dev/zero")


def circle(file: Path) -> None:
    """Put a link to itself in its place."""
    file.unlink()
    file.symlink_to(file)


def huge(file: Path) -> None:
    """Make it larger than any configuration."""
    with file.open("ab") as growing:
        growing.truncate(2**40)


def empty(file: Path) -> None:
    """Leave nothing in it."""
    file.write_bytes(b"")


def latin(file: Path) -> None:
    """Write it in another encoding."""
    file.write_bytes("# gemäß\n".encode("latin-1"))


def wrong(file: Path) -> None:
    """Have three mistakes in it."""
    file.write_text('max_nesting = "3"\ndny = []\n[boards.a]\nparent = "nobody"\n')


BROKEN: dict[Callable[[Path], None], tuple[str, ...]] = {
    missing: ("there is no configuration file",),
    folder: ("Is a directory",),
    pipe: ("it is a pipe or a device",),
    device: ("it is a pipe or a device",),
    circle: ("can't be read",),
    huge: ("larger than 4194304 bytes",),
    empty: ("is empty; if nothing is to be configured any more",),
    latin: ("can't be read",),
    wrong: (":1: max_nesting:", ":2: dny:", ":4: boards.a.parent:"),
}


@pytest.mark.parametrize("harm", BROKEN)
async def test_a_file_that_can_t_be_read_changes_nothing_and_each_mistake_is_one_line(
    harm: Callable[[Path], None],
) -> None:
    async with configured("".join(PARTS)) as (host, file):
        before = shown(host)
        harm(file)
        for dry_run in (True, False):
            with pytest.raises(ConfigError) as caught:
                await host.sync(dry_run=dry_run)

            lines = sorted(caught.value.mistakes)
            assert len(lines) == len(BROKEN[harm])
            assert all(each in line for each, line in zip(BROKEN[harm], lines, strict=True))
            assert all(str(file) in line and "\n" not in line for line in lines)
        assert shown(host) == before


async def test_an_empty_file_is_as_good_as_any_where_nothing_was_configured() -> None:
    async with configured("") as (host, file):
        assert await host.sync() == SyncReport()

        file.write_text("max_nesting = 3\n")
        await host.sync()
        file.write_text("# nothing any more\n")
        await host.sync()

        assert host.config == Config()


async def test_a_file_to_which_somebody_writes_while_it_is_read_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with configured(PARTS[1]) as (host, file):
        before, fstat = shown(host), os.fstat

        def grows(number: int) -> os.stat_result:
            status = fstat(number)
            with file.open("a") as growing:
                growing.write("# more\n")
            return status

        with monkeypatch.context() as patched:
            patched.setattr(os, "fstat", grows)
            error = await synced(host)

        assert "it is being written" in str(error)
        assert shown(host) == before
