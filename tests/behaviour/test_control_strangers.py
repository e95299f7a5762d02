"""Processes of other users are turned away, and operators are told; so are their folders."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pegboard import ControlError, Host, OperatorActed
from pegboard.control import ControlServer, connect
from pegboard.control.peers import Peer
from pegboard_control import QUICK, Listening, short_folder

IS_ROOT = os.geteuid() == 0
OWN = os.geteuid()
STRANGER = 65534 if IS_ROOT else OWN
"""Who asks; where tests don't run as root, the host's owner is another in its place."""
OWNER = OWN if IS_ROOT else OWN + 1
PEER = r"""
import json, os, socket, sys
if os.geteuid() != int(sys.argv[2]):
    os.setgroups([])
    os.setgid(65534)
    os.setuid(int(sys.argv[2]))
answers = []
for _ in range(int(sys.argv[3])):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(sys.argv[1])
        try:
            peer.sendall(b'{"protocol": 1, "id": 1, "method": "status"}\n')
        except BrokenPipeError:
            pass
        answers.append(peer.makefile("rb").readline().decode())
print(json.dumps(answers))
"""


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be, and strangers will get in."""
    with short_folder() as folder:
        folder.chmod(0o755)
        yield folder / "c.sock"


async def answers_to_stranger(path: Path, times: int) -> tuple[list[str], list[OperatorActed]]:
    """What a process of another user gets at a socket that is open to everybody."""
    listening = Listening()
    async with Host(discover=False) as host:
        server = ControlServer(host, path, listening.pegboard_event, own_uid=OWNER, bounds=QUICK)
        await server.open()
        path.chmod(0o666)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PEER, str(path), str(STRANGER), str(times), stdout=subprocess.PIPE
        )
        printed, _ = await process.communicate()
        await server.close()
    return json.loads(printed), listening.acts


async def test_a_process_of_another_user_is_told_so_and_gets_nothing_else(path: Path) -> None:
    [answer], acts = await answers_to_stranger(path, 1)

    assert json.loads(answer) == {
        "protocol": 1,
        "id": None,
        "error": {"kind": "foreign_user", "message": "this host belongs to another user"},
    }
    [act] = acts
    assert (act.action, act.stage, act.user, act.details) == (
        "connect",
        "failed",
        STRANGER,
        {"times": 1},
    )
    assert act.pid not in (None, os.getpid())


async def test_one_who_tries_again_and_again_is_told_of_once_a_second_at_most(path: Path) -> None:
    answers, acts = await answers_to_stranger(path, 200)

    assert {json.loads(each)["error"]["kind"] for each in answers} == {"foreign_user"}
    assert 1 <= len(acts) <= 5


def pretending(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    """Have this process be another user's, as far as it can tell."""
    monkeypatch.setattr(os, "geteuid", lambda: user)


async def test_a_client_speaks_to_no_host_of_another_user(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.control.client.peer_of", lambda sock: Peer(4321, 1))
    async with Host(discover=False) as host:
        server = ControlServer(host, path, lambda event: None, bounds=QUICK)
        await server.open()
        pretending(monkeypatch, 1234)
        with pytest.raises(ControlError, match="is of another user: 4321") as caught:
            async with connect(path):
                pass
        monkeypatch.undo()
        await server.close()

    assert caught.value.kind == "not_ours"


ASKING = """
import asyncio, os, sys
from pegboard import ControlError
from pegboard.control import connect

async def main():
    try:
        async with connect(sys.argv[1]):
            print("connected")
    except ControlError as error:
        print(error.kind)

asyncio.run(main())  # what it imports may be another user's
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
asyncio.run(main())
"""


async def test_a_socket_that_its_mode_keeps_closed_is_said_to_be_another_s(path: Path) -> None:
    async with Host(discover=False) as host:
        server = ControlServer(host, path, lambda event: None, bounds=QUICK)
        await server.open()
        path.chmod(0o600 if IS_ROOT else 0)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ASKING, str(path), stdout=subprocess.PIPE
        )
        printed, _ = await process.communicate()
        await server.close()

    assert printed.split()[1:] == [b"not_ours"]


async def test_a_link_of_another_user_in_the_place_of_the_folder_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = path.parent / "run"
    link.symlink_to(path.parent)
    if IS_ROOT:
        os.lchown(link, STRANGER, -1)
        path.parent.chmod(0o700)
    else:
        pretending(monkeypatch, OWNER)
    async with Host(discover=False) as host:
        server = ControlServer(host, link / "c.sock", lambda event: None)
        with pytest.raises(ControlError, match=r"of another user|belongs to user"):
            await server.open()
        await server.close()
