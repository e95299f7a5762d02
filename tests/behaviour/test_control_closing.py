"""What becomes of peers when the control channel is closed, and of requests that fail."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import attrs
import pytest
from pegboard import Host
from pegboard.control import ControlServer
from pegboard.control.wire import Wire
from pegboard_control import QUICK, Listening, asked, raw, refused, request, short_folder

CUT_OFF = "the host has ended meanwhile; it may have been done"


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


@attrs.define
class Held:
    """A host whose sync waits, and then fails as a fault of ours would."""

    server: ControlServer
    listening: Listening
    begun: asyncio.Event = attrs.field(factory=asyncio.Event)
    go: asyncio.Event = attrs.field(factory=asyncio.Event)
    error: BaseException = attrs.field(factory=lambda: ValueError("a secret"))

    async def sync(self, *, dry_run: bool) -> Any:
        """Wait, and fail."""
        self.begun.set()
        await self.go.wait()
        raise self.error


@asynccontextmanager
async def holding(path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    """A control channel over such a host; a test may close it before."""
    listening = Listening()
    bounds = attrs.evolve(QUICK, patience=20.0)
    async with Host(discover=False) as host:
        server = ControlServer(host, path, listening.pegboard_event, bounds=bounds)
        held = Held(server, listening)
        monkeypatch.setattr(host, "sync", held.sync)
        await server.open()
        try:
            yield held
        finally:
            held.go.set()
            await server.close()


async def test_closing_answers_what_is_being_done_and_ends_the_rest(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with holding(path, monkeypatch) as held, raw(path) as idle, raw(path) as peer:
        peer.send(request("sync"), request("status"))
        await held.begun.wait()
        asyncio.get_running_loop().call_later(0.05, held.go.set)
        await held.server.close()

        assert [await idle.read(), await peer.kind(), await peer.read()] == [None, "internal", None]


async def test_of_what_goes_on_as_the_channel_is_closed_nobody_is_told_that_it_has_failed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with holding(path, monkeypatch) as held, raw(path) as peer:
        peer.send(request("sync"))
        await held.begun.wait()
        await held.server.close()
        answer = (await peer.read())["error"]

        assert (answer["kind"], await peer.read(), path.exists()) == ("unfinished", None, False)
    assert answer["message"] == f"sync: {CUT_OFF}"
    assert held.listening.told() == [("sync", "asked"), ("sync", "unknown")]
    assert held.listening.acts[-1].error == CUT_OFF


async def test_closing_does_not_wait_for_who_never_reads_why_there_is_no_answer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Wire, "write", lambda *_, **__: asyncio.sleep(3600))
    async with holding(path, monkeypatch) as held, raw(path) as peer:
        peer.send(request("sync"))
        await held.begun.wait()
        async with asyncio.timeout(5):
            await held.server.close()

    assert held.listening.told() == [("sync", "asked"), ("sync", "unknown")]


async def test_a_loop_that_ends_under_an_act_is_no_failure_of_it_either(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with holding(path, monkeypatch) as held, raw(path) as peer:
        peer.send(request("sync"))
        await held.begun.wait()
        for each in held.server._sessions:
            each.cancel()

        assert [await peer.kind(), await peer.read()] == ["unfinished", None]
    assert held.listening.told() == [("sync", "asked"), ("sync", "unknown")]


async def test_a_fault_of_ours_is_logged_and_told_without_its_text(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with holding(path, monkeypatch) as held:
        held.go.set()
        kind, message = await refused(path, "sync")

    assert (kind, message) == ("internal", "the host failed (ValueError); its log says more")
    assert held.listening.acts[-1].error == "ValueError"
    assert "a secret" in caplog.text


async def test_a_cancellation_that_is_not_the_peer_s_is_an_answer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with holding(path, monkeypatch) as held:
        held.error = asyncio.CancelledError()
        held.go.set()
        kind, message = await refused(path, "sync")
        after = await asked(path, "running")

    assert (kind, message, after) == ("unfinished", f"sync: {CUT_OFF}", [])


async def test_what_the_host_was_opened_in_is_no_part_of_what_peers_ask_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark: ContextVar[str] = ContextVar("mark", default="nothing")
    seen: list[str] = []
    async with Host(discover=False) as host:
        monkeypatch.setattr(host, "deny", lambda *_, **__: seen.append(mark.get()) or ())
        server = ControlServer(host, path, lambda event: None, bounds=QUICK)
        mark.set("the program")
        await server.open()
        await asked(path, "deny", selectors=["echo"])
        await server.close()

    assert seen == ["nothing"]


@pytest.mark.parametrize("turns", range(4))
async def test_who_comes_as_the_channel_is_closed_is_let_go(path: Path, turns: int) -> None:
    async with Host(discover=False) as host:
        server = ControlServer(host, path, lambda event: None, bounds=QUICK)
        await server.open()
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(path))
            for _ in range(turns):
                await asyncio.sleep(0)
            await server.close()
            peer.settimeout(5)

            with suppress(ConnectionResetError):
                assert peer.recv(1) == b""


async def test_a_channel_that_could_not_be_opened_leaves_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Host(discover=False) as host:
        monkeypatch.setattr(host, "hook", lambda **_: 1 / 0)
        server = ControlServer(host, path, lambda event: None)
        with pytest.raises(ZeroDivisionError):
            await server.open()

    assert list(path.parent.iterdir()) == []


async def test_closing_twice_or_before_opening_does_nothing(path: Path) -> None:
    async with Host(discover=False) as host:
        server = ControlServer(host, path, lambda event: None)
        await server.close()
        await server.open()
        await server.close()
        await server.close()

    assert not path.exists()
