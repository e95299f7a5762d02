"""Where a control socket may stand, and who may take its place."""

import asyncio
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard.control.place import take
from pegboard.errors import ControlError
from pegboard_control import short_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket."""
    with short_folder() as folder:
        yield folder


def left_over(path: Path) -> None:
    """The socket of a host that was killed."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
        dead.listen()


async def refusal(path: Path) -> str:
    with pytest.raises(ControlError) as caught:
        await take(path)
    return str(caught.value)


async def test_the_socket_and_the_folders_that_were_missing_are_their_owner_s_alone(
    folder: Path,
) -> None:
    before = os.umask(0)
    try:
        place = await take(folder / "a" / "b" / "c.sock")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (folder / "a", folder / "a/b")]
    modes.append(stat.S_IMODE(place.path.stat().st_mode))
    place.leave()

    assert modes == [0o700, 0o700, 0o600]


async def test_leaving_removes_the_socket_and_nothing_else_is_left(folder: Path) -> None:
    place = await take(folder / "c.sock")
    place.leave()
    place.leave()

    assert list(folder.iterdir()) == []


async def test_leaving_leaves_what_somebody_else_has_put_there(folder: Path) -> None:
    place = await take(folder / "c.sock")
    place.path.unlink()
    place.path.write_text("mine")
    place.leave()

    assert place.path.read_text() == "mine"


async def test_leaving_a_folder_that_is_gone_does_nothing(folder: Path) -> None:
    place = await take(folder / "run" / "c.sock")
    place.path.unlink()
    place.path.parent.rmdir()
    place.leave()

    assert place.sock.fileno() == -1


async def test_the_socket_of_a_dead_host_is_replaced(folder: Path) -> None:
    left_over(folder / "c.sock")
    place = await take(folder / "c.sock")
    place.leave()

    assert not (folder / "c.sock").exists()


async def test_the_socket_of_a_living_host_is_not_and_its_process_is_named(folder: Path) -> None:
    place = await take(folder / "c.sock")
    message = await refusal(folder / "c.sock")
    is_there = place.path.is_socket()
    place.leave()

    assert message.startswith(f"process {os.getpid()} listens at {folder / 'c.sock'}; end it")
    assert is_there


async def test_a_host_that_is_behind_with_its_peers_is_alive(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as waiting:
        busy.bind(str(folder / "c.sock"))
        busy.listen(0)
        waiting.connect(str(folder / "c.sock"))

        assert "another host listens at" in await refusal(folder / "c.sock")


async def test_of_many_that_want_a_dead_host_s_path_at_once_one_gets_it(folder: Path) -> None:
    left_over(folder / "c.sock")
    found = await asyncio.gather(
        *(take(folder / "c.sock") for _ in range(20)), return_exceptions=True
    )
    places = [each for each in found if not isinstance(each, BaseException)]
    errors = {type(each) for each in found if isinstance(each, BaseException)}
    for place in places:
        place.leave()

    assert (len(places), errors) == (1, {ControlError})


@pytest.mark.parametrize("kind", ["file", "folder", "link", "link to a socket", "pipe"])
async def test_what_is_no_socket_is_never_replaced(folder: Path, kind: str) -> None:
    path, target = folder / "c.sock", folder / "target"
    match kind:
        case "file":
            path.write_text("mine")
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(target)
        case "link to a socket":
            left_over(target)
            path.symlink_to(target)
        case _:
            os.mkfifo(path)

    assert "is no socket, and isn't replaced" in await refusal(path)
    assert os.path.lexists(path)


async def test_a_socket_of_another_kind_is_not_replaced(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(folder / "c.sock"))

        assert "no control socket can be made" in await refusal(folder / "c.sock")


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
async def test_a_folder_in_which_others_may_write_is_refused_with_the_way_out(
    folder: Path, mode: int
) -> None:
    (folder / "run").mkdir()
    (folder / "run").chmod(mode)

    message = await refusal(folder / "run" / "c.sock")

    assert message.endswith(f"chmod go-w {folder / 'run'}")


async def test_a_folder_that_others_only_read_will_do(folder: Path) -> None:
    (folder / "run").mkdir()
    (folder / "run").chmod(0o755)
    place = await take(folder / "run" / "c.sock")
    place.leave()


async def test_a_file_in_the_place_of_the_folder_is_said(folder: Path) -> None:
    (folder / "run").write_text("")

    assert "which is no folder" in await refusal(folder / "run" / "c.sock")


async def test_a_folder_that_can_t_be_made_is_said(folder: Path) -> None:
    (folder / "run").symlink_to(folder / "nowhere")

    message = await refusal(folder / "run" / "c.sock")

    assert (
        message
        == f"no control socket can be made at {folder}/run/c.sock: No such file or directory"
    )


async def test_a_link_of_one_s_own_to_a_folder_of_one_s_own_is_followed(folder: Path) -> None:
    (folder / "real").mkdir(mode=0o700)
    (folder / "run").symlink_to(folder / "real")
    place = await take(folder / "run" / "c.sock")
    is_there = (folder / "real" / "c.sock").is_socket()
    place.leave()

    assert is_there


async def test_a_link_to_a_folder_in_which_others_write_is_refused(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real").chmod(0o777)
    (folder / "run").symlink_to(folder / "real")

    assert "others may write" in await refusal(folder / "run" / "c.sock")


async def test_a_path_that_is_too_long_is_refused_before_anything_is_made(folder: Path) -> None:
    path = folder / ("x" * 100) / "c.sock"

    message = await refusal(path)

    assert f"has {len(os.fsencode(path))} bytes, and a socket's has at most 10" in message
    assert list(folder.iterdir()) == []


async def test_the_longest_path_works(folder: Path) -> None:
    path = folder / "x".ljust(103 - len(os.fsencode(folder)) - 1, "x")
    place = await take(path)
    place.leave()

    assert len(os.fsencode(path)) == 103


def pretending(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    """Have this process be another user's, as far as it can tell."""
    monkeypatch.setattr(os, "geteuid", lambda: user)


async def test_a_foreign_folder_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretending(monkeypatch, os.geteuid() + 1)

    message = await refusal(folder / "c.sock")

    assert (
        f"belongs to user {os.getuid()}, and this process is of user {os.getuid() + 1}" in message
    )
    assert list(folder.iterdir()) == []


async def test_a_folder_that_is_locked_by_another_process_for_long_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr("pegboard.control.place._ATTEMPTS", 3)
    number = os.open(folder, os.O_RDONLY)
    fcntl.flock(number, fcntl.LOCK_EX)
    try:
        assert "another process holds the lock" in await refusal(folder / "c.sock")
    finally:
        os.close(number)
