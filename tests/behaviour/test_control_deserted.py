"""A request whose peer has gone is not begun, and who gives up on a change is told what is so."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pegboard import ControlError
from pegboard.control import Client, connect
from pegboard.control.bounds import READING
from pegboard.control.methods import METHODS
from pegboard.values import encode
from pegboard_control import asked, operated, raw, request, served, short_folder

CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("deny", {"selectors": ["echo"]}),
    ("allow", {"selectors": ["echo"], "board": "desk"}),
    ("sync", {}),
    ("load", {"name": "nobody"}),
    ("unload", {"name": "nobody"}),
    ("reload", {"name": "nobody"}),
    ("cancel", {"board": "desk"}),
]


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


def send(path: Path, *lines: bytes) -> socket.socket:
    """A connection over which requests were sent, while the host's loop is blocked."""
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(str(path))
    peer.sendall(b"".join(lines))
    return peer


@pytest.mark.parametrize(("method", "params"), CHANGES)
async def test_what_a_peer_that_has_hung_up_wanted_is_not_begun(
    path: Path, method: str, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    async with operated(path) as host:
        monkeypatch.setattr(host, method, lambda *_, **__: begun.append(method))
        line = encode(request(method, **params)) + b"\n"
        send(path, line, line).close()
        await asked(path, "status")
        await asyncio.sleep(0.05)

    assert begun == []


async def test_one_that_only_sends_no_more_is_served(path: Path) -> None:
    async with served(path) as host, raw(path) as peer:
        peer.send(request("deny", selectors=["echo"])).writer.write_eof()

        assert await peer.read() == {"protocol": 1, "id": 1, "result": {"remarks": []}}
        assert "echo" not in host.boards["desk"].tools


async def test_of_several_requests_those_behind_the_hang_up_are_not_begun(path: Path) -> None:
    async with operated(path) as host:
        lines = (encode(request("deny", selectors=[name])) + b"\n" for name in ("echo", "wait"))
        peer = send(path, *lines)
        while "echo" in host.boards["desk"].tools:
            await asyncio.sleep(0)
        peer.close()
        await asked(path, "status")

        assert "wait" in host.boards["desk"].tools


def blocked(function: Callable[..., str], *arguments: Any) -> str:
    """What a function gives in a thread, while the loop of this one stands still."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


def ask_and_give_up(path: Path, method: str, params: dict[str, Any]) -> str:
    """What a client says of a host that doesn't answer it in time."""

    async def ask() -> str:
        async with connect(path, timeout=0.2) as client:
            with pytest.raises(ControlError) as caught:
                await client.ask(method, **params)
            assert caught.value.kind == "no_answer"
            return str(caught.value)

    return asyncio.run(ask())


@pytest.mark.parametrize(("method", "params"), CHANGES)
async def test_who_gives_up_on_a_change_is_told_that_it_may_be_done(
    path: Path, method: str, params: dict[str, Any]
) -> None:
    async with operated(path):
        told = blocked(ask_and_give_up, path, method, params)

    assert told.endswith(f"may be blocked; {method} may still be done, or have been")


@pytest.mark.parametrize(
    ("method", "params"), [*((each, {}) for each in sorted(READING)), ("sync", {"dry_run": True})]
)
async def test_who_gives_up_on_a_look_is_told_of_nothing_else(
    path: Path, method: str, params: dict[str, Any]
) -> None:
    async with operated(path):
        told = blocked(ask_and_give_up, path, method, params)

    assert told.endswith("its event loop may be blocked")


async def test_a_host_that_ends_the_connection_under_a_change_may_have_done_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ended(_self: Client, *_: object) -> bytes:
        raise ControlError("the host has closed the connection without an answer", kind="closed")

    monkeypatch.setattr(Client, "_answer", ended)
    async with operated(path):
        with pytest.raises(ControlError, match=r"; unload may still be done, or have been$"):
            await asked(path, "unload", name="nobody")


def test_the_methods_that_change_nothing_are_those_that_say_so() -> None:
    reading = {name for name, each in METHODS.items() if each.is_changing is False}

    assert reading == READING
