"""Two hosts on one path, hosts that were killed, and what a configuration says of the socket."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import Config, ControlError, Host
from pegboard_control import asked, operated, short_folder

HOST = """
import asyncio, sys
from pathlib import Path
from pegboard import Config, Host

async def main():
    async with Host(Config(control=Path(sys.argv[1])), discover=False):
        print("ready", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for a control socket."""
    with short_folder() as folder:
        yield folder


async def test_a_second_host_on_a_path_does_not_open_and_the_first_goes_on(folder: Path) -> None:
    path = folder / "c.sock"
    async with operated(path):
        with pytest.raises(ControlError, match=f"process {os.getpid()} listens at") as caught:
            await Host(Config(control=path), discover=False).open()
        boards = await asked(path, "boards")

    assert boards[0]["name"] == "desk"
    assert caught.value.kind == "unreachable"


async def test_a_host_that_could_not_open_leaves_nothing_and_can_be_opened_later(
    folder: Path,
) -> None:
    path = folder / "c.sock"
    late = Host(Config(control=path), discover=False)
    async with operated(path):
        with pytest.raises(ControlError):
            await late.open()
    async with late:
        status = await asked(path, "status")

    assert (status["is_ready"], path.exists()) == (True, False)


async def test_the_socket_of_a_killed_host_is_stale_and_the_next_one_replaces_it(
    folder: Path,
) -> None:
    path = folder / "run" / "c.sock"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOST, str(path), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    with pytest.raises(ControlError) as caught:
        await asked(path, "status")
    async with operated(path):
        status = await asked(path, "status")

    assert (caught.value.kind, status["pid"]) == ("stale", os.getpid())


async def test_two_hosts_at_two_paths_of_one_process_share_nothing(folder: Path) -> None:
    async with operated(folder / "a.sock") as one, operated(folder / "b.sock") as other:
        await one.board("more")
        await asked(folder / "a.sock", "deny", selectors=["echo"])
        names = [
            [each["name"] for each in await asked(folder / name, "boards")]
            for name in ("a.sock", "b.sock")
        ]
        tools = [set(host.boards["desk"].tools) for host in (one, other)]

    assert names == [["desk", "more"], ["desk"]]
    assert tools == [{"wait"}, {"echo", "wait"}]


async def test_a_path_in_a_file_begins_at_the_file_s_folder(folder: Path) -> None:
    (folder / "pegboard.toml").write_text('control = "run/c.sock"\n')
    async with Host(folder / "pegboard.toml", discover=False):
        status = await asked(folder / "run" / "c.sock", "status")

    assert status["pid"] == os.getpid()


async def test_opening_and_closing_a_hundred_times_leaves_nothing_open(folder: Path) -> None:
    path = folder / "c.sock"
    async with operated(path):
        await asked(path, "status")
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(100):
        async with operated(path):
            await asked(path, "boards")

    assert len(list(Path("/dev/fd").iterdir())) <= before
    assert list(folder.iterdir()) == []
