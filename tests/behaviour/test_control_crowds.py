"""A crowd at the control socket: told to come again, and no descriptor or call is lost to it."""

import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard.control import connect
from pegboard_control import QUICK, asked, raw, refused, request, served, short_folder

FEW = attrs.evolve(QUICK, connections=3, patience=20.0)

HOST = """
import asyncio, resource, sys
from pathlib import Path
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]), hard))
from pegboard_control import operated

async def main():
    async with operated(Path(sys.argv[1])) as host:
        board, slowest, calls = host.boards["desk"], 0.0, 0
        print("ready", flush=True)
        loop = asyncio.get_running_loop()
        ended = loop.run_in_executor(None, sys.stdin.readline)
        while not ended.done():
            started = loop.time()
            await asyncio.sleep(0)
            (await board.call("echo", {"value": "x"})).unwrap()
            slowest, calls = max(slowest, loop.time() - started), calls + 1
            await asyncio.sleep(0.001)
        print(slowest, calls, flush=True)

asyncio.run(main())
"""
CROWD = """
import json, resource, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard if 0 < hard < 4096 else 4096, hard))
peers = []
for _ in range(int(sys.argv[2])):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(sys.argv[1])
    peers.append(peer)
kinds = []
for peer in peers:
    try:
        peer.sendall(b'{"protocol": 1, "id": 1, "method": "boards"}\\n')
    except BrokenPipeError:
        pass
    line = peer.makefile("rb").readline()
    frame = json.loads(line)
    kinds.append(frame["error"]["kind"] if "error" in frame else "result")
print(json.dumps(kinds))
"""


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


def started(program: str, *arguments: str) -> "subprocess.Popen[str]":
    """A process with the libraries of the tests."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def crowd(path: Path, size: int) -> Counter[str]:
    """What each of many peers that are there at once gets."""
    with started(CROWD, str(path), str(size)) as peers:
        answers: list[str] = json.loads(peers.communicate(timeout=50)[0])
    return Counter(answers)


def answered(path: Path) -> Any:
    """What one who asks for the boards gets."""
    return asyncio.run(asked(path, "boards"))


@pytest.mark.parametrize(("limit", "most"), [(128, 32), (1024, 64)])
def test_of_a_thousand_at_once_some_are_served_and_the_rest_told_to_come_again(
    path: Path, limit: int, most: int
) -> None:
    with started(HOST, str(path), str(limit)) as host:
        assert host.stdout is not None
        host.stdout.readline()
        kinds = crowd(path, 1000)
        after = answered(path)
        slowest, calls = map(float, host.communicate("\n", timeout=20)[0].split())

    assert kinds == {"result": most, "busy": 1000 - most}
    assert [each["name"] for each in after] == ["desk"]
    assert (host.returncode, slowest < 0.5, calls > 10) == (0, True, True)


async def test_a_place_that_becomes_free_is_given_again(path: Path) -> None:
    async with served(path, bounds=FEW):
        async with raw(path), raw(path), raw(path) as third:
            third.send(request("boards"))
            await third.read()
            kind, message = await refused(path, "boards")
        await asyncio.sleep(0.05)
        boards = await asked(path, "boards")

    assert (kind, message) == ("busy", "3 connections are open, which is the most; try again")
    assert boards[0]["name"] == "desk"


def socket_to(taken: ExitStack) -> socket.socket:
    """A socket that is not connected yet."""
    peer = taken.enter_context(socket.socket(socket.AF_UNIX))
    peer.settimeout(0)
    return peer


def _take_all(taken: ExitStack) -> None:
    """Leave this process no descriptor."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = max(int(each.name) for each in Path("/dev/fd").iterdir()) + 20
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    while True:
        try:
            taken.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError:
            return


async def test_a_host_without_a_descriptor_left_can_still_be_reached(
    path: Path,
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with served(path, bounds=FEW), connect(path) as first:
        await first.ask("boards")
        with ExitStack() as taken:
            taken.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
            peer = socket_to(taken)
            _take_all(taken)
            peer.connect(str(path))
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(peer, json.dumps(request("boards")).encode() + b"\n")
            answer = await loop.sock_recv(peer, 2**16)
        await asyncio.sleep(0.3)
        again = await asked(path, "boards")

    assert json.loads(answer)["result"] == again
