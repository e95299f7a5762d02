"""Asking a host from another process: every way in which it can go wrong says which it was."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest
from pegboard import ControlError
from pegboard.control import connect
from pegboard_control import QUICK, asked, operated, served, short_folder

PATIENT = attrs.evolve(QUICK, patience=20.0)


@pytest.fixture
def path() -> Iterator[Path]:
    """Where a control socket will be."""
    with short_folder() as folder:
        yield folder / "c.sock"


async def refusal(path: Path, *, timeout: float = 10.0) -> tuple[str, str]:
    """The kind of an error, and its words."""
    with pytest.raises(ControlError) as caught:
        async with connect(path, timeout=timeout) as client:
            await client.ask("status")
    return caught.value.kind, str(caught.value)


@asynccontextmanager
async def answering(path: Path, *answers: bytes) -> AsyncIterator[None]:
    """Somebody who answers each request with the next of these, and closes in the end."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for each in answers:
            await reader.readline()
            writer.write(each)
        writer.close()

    server = await asyncio.start_unix_server(answer, path)
    try:
        yield
    finally:
        server.close()


async def test_where_no_socket_is_the_message_says_what_to_look_at(path: Path) -> None:
    kind, message = await refusal(path)

    assert kind == "no_socket"
    assert f"there is no socket {path}; is the host running" in message


async def test_where_a_host_has_died_the_message_says_so(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))

    kind, message = await refusal(path)

    assert (kind, message) == (
        "stale",
        f"nobody listens at {path}: its host has ended, and will replace it when started",
    )


async def test_a_file_is_no_socket(path: Path) -> None:
    path.write_text("")

    assert await refusal(path) == ("no_socket", f"{path} is no socket")


async def test_a_path_that_is_too_long_is_said(path: Path) -> None:
    kind, message = await refusal(path / ("x" * 100))

    assert (kind, "a socket's has at most" in message) == ("unreachable", True)


async def test_a_path_through_a_file_is_said(path: Path) -> None:
    path.write_text("")

    assert await refusal(path / "c.sock") == (
        "unreachable",
        f"{path}/c.sock can't be connected to: Not a directory",
    )


@pytest.mark.parametrize("backlog", [5, 0], ids=["silent", "and full"])
async def test_a_host_that_does_not_answer_is_said_to_be_blocked(path: Path, backlog: int) -> None:
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as other:
        silent.bind(str(path))
        silent.listen(backlog)
        other.connect(str(path))
        kind, message = await refusal(path, timeout=0.2)

    assert (kind, message) == (
        "no_answer",
        f"the host at {path} doesn't answer; its event loop may be blocked",
    )


async def test_a_host_with_a_blocked_loop_is_noticed_and_answers_later(path: Path) -> None:
    found: list[str] = []

    def ask() -> None:
        found.append(asyncio.run(refusal(path, timeout=0.1))[0])

    async with served(path, bounds=PATIENT):
        thread = threading.Thread(target=ask)
        thread.start()
        time.sleep(0.6)
        await asyncio.to_thread(thread.join)
        found.append((await asked(path, "boards"))[0]["name"])

    assert found == ["no_answer", "desk"]


async def test_what_takes_long_is_waited_for_while_the_host_answers_others(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(path, bounds=PATIENT) as host:

        async def cancel(*_: object, **__: object) -> int:
            await asyncio.sleep(0.5)
            return 7

        monkeypatch.setattr(host, "cancel", cancel)
        async with connect(path, timeout=0.1) as client:
            assert await client.ask("cancel", board="desk") == {"cancelled": 7}


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (b"", "closed", "without an answer"),
        (b"half", "closed", "without an answer"),
        (b"nonsense\n", "invalid_answer", "isn't JSON"),
        (b"\xff\n", "invalid_answer", "isn't JSON"),
        (b"[]\n", "invalid_answer", "is no object"),
        (b'{"protocol": 1, "id": 1}\n', "invalid_answer", "neither a result nor an error"),
        (b'{"protocol": 2, "id": 1, "result": 1}\n', "wrong_protocol", "another version"),
        (
            b'{"protocol": 1, "id": null, "error": {"kind": "busy", "message": "m"}}\n',
            "busy",
            "m",
        ),
    ],
)
async def test_an_answer_that_is_none_is_said(
    path: Path, answer: bytes, kind: str, words: str
) -> None:
    async with answering(path, answer):
        found, message = await refusal(path)

    assert found == kind
    assert words in message


async def test_a_refusal_is_read_though_the_request_could_not_be_sent(path: Path) -> None:
    line = json.dumps({"protocol": 1, "id": None, "error": {"kind": "busy", "message": "full"}})
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        async with connect(path) as client:
            connection, _ = listener.accept()
            connection.sendall(line.encode() + b"\n")
            connection.close()
            client._wire.is_over = lambda: False  # type: ignore[method-assign, union-attr]
            with pytest.raises(ControlError, match="full"):
                await client.ask("unload", name="x" * 2**20)


async def test_a_client_asks_again_over_a_new_connection_once_the_host_has_let_it_go(
    path: Path,
) -> None:
    async with served(path), connect(path) as client:
        first = await client.ask("boards")
        await asyncio.sleep(0.3)

        assert await client.ask("boards") == first


async def test_a_client_can_go_on_after_it_gave_up_on_an_answer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(path, bounds=PATIENT) as host, connect(path) as client:

        async def sync(*, dry_run: bool) -> None:
            await asyncio.sleep(0.1)

        monkeypatch.setattr(host, "sync", sync)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await client.ask("sync")

        assert (await client.ask("boards"))[0]["name"] == "desk"


async def test_many_may_ask_through_one_client_at_once(path: Path) -> None:
    async with operated(path), connect(path) as client:
        names = ["echo", "wait", "none"] * 20
        told = await asyncio.gather(
            *(client.ask("explain", name=each, board="desk") for each in names)
        )

    assert [each["name"] for each in told] == names


async def test_params_that_are_none_are_left_out_and_what_is_no_json_is_refused(path: Path) -> None:
    async with operated(path), connect(path) as client:
        everywhere = await client.ask("running", board=None)
        with pytest.raises(ControlError, match="params aren't JSON") as caught:
            await client.ask("running", board={1})

    assert (everywhere, caught.value.kind) == ([], "invalid_request")
