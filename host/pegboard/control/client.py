"""Asking a running host: `async with connect(path) as client: await client.ask("status")`."""

import asyncio
import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pegboard.control.bounds import PROTOCOL, READING, Bounds
from pegboard.control.peers import peer_of
from pegboard.control.place import check_path
from pegboard.control.wire import Wire
from pegboard.errors import ControlError, NotJSONError
from pegboard.values import JSON, Limits, decode_text, encode

_MOST = Bounds().answer
_LIMITS = Limits(max_depth=512, max_nodes=_MOST, max_bytes=_MOST)
_FULL = 0.01
_ROOT = 0


def connect(path: str | Path, *, timeout: float = 10.0) -> "Client":
    """A client of the host whose control socket this is: use it in `async with`.

    Args:
        path: the socket.
        timeout: seconds that the host may be silent; what takes longer is waited for while the
            host answers others.
    """
    return Client(Path(path), timeout=timeout)


class Client:
    """Asks one host; requests are answered one after the other.

    A connection that the host has closed meanwhile, since nothing was asked, is made again.
    """

    def __init__(self, path: Path, *, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._wire: Wire | None = None
        self._turn = asyncio.Lock()
        self._last = 0

    async def __aenter__(self) -> Self:
        """Connect.

        Raises:
            ControlError: nobody listens there, or somebody who isn't ours; says which.
        """
        self._wire = await _connected(self._path, self._timeout)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()

    async def ask(self, method: str, /, **params: JSON) -> JSON:
        """Have the host do something; gives the result.

        Args:
            method: its name.
            params: by name; those that are None are left out.

        Raises:
            ControlError: the host refused, and its kind is that of the error; or it can't be
                reached, or doesn't answer.
        """
        given = {key: each for key, each in params.items() if each is not None}
        async with self._turn:
            if self._wire is None or self._wire.is_over():
                self._close()
                self._wire = await _connected(self._path, self._timeout)
            self._last += 1
            line = _request(self._last, method, given)
            try:
                answer = await self._answer(self._wire, line)
            except BaseException as error:
                self._close()  # what came on it next would be the answer to this
                if isinstance(error, ControlError) and _is_changing(method, given):
                    message = f"{error}; {method} may still be done, or have been"
                    raise ControlError(message, kind=error.kind) from error
                raise
        return _result(answer)

    async def _answer(self, wire: Wire, line: bytes) -> bytes:
        """What the host answers, however long it works; it must answer others meanwhile."""
        waiting = asyncio.create_task(_exchanged(wire, line))
        try:
            while not (await asyncio.wait({waiting}, timeout=self._timeout / 2))[0]:
                await self._check_alive()
            return waiting.result()
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    async def _check_alive(self) -> None:
        """See whether the host answers anybody.

        Raises:
            ControlError: it doesn't.
        """
        try:
            async with asyncio.timeout(self._timeout / 2):
                with await _connected(self._path, self._timeout) as wire:
                    await _exchanged(wire, _request(0, "status", {}))
        except TimeoutError:
            raise _silent(self._path) from None
        except ControlError as error:
            if error.kind == "no_answer":
                raise
            return  # a host that is closing answers what it was asked before

    def _close(self) -> None:
        if self._wire is not None:
            self._wire.close()
            self._wire = None


async def _connected(path: Path, timeout: float) -> Wire:  # noqa: ASYNC109 - it is in the message
    check_path(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(0)
        async with asyncio.timeout(timeout):
            while not _has_connected(sock, path):  # noqa: ASYNC110 - no event tells of it
                await asyncio.sleep(_FULL)
        user = peer_of(sock).user
    except TimeoutError:
        sock.close()
        raise _silent(path) from None
    except OSError as error:
        sock.close()
        raise _unreachable(path, error) from error
    except BaseException:
        sock.close()
        raise
    own = os.geteuid()
    if own != _ROOT and user not in (own, _ROOT):
        sock.close()
        raise ControlError(f"who listens at {path} is of another user: {user}", kind="not_ours")
    return Wire(sock, _MOST)


def _has_connected(sock: socket.socket, path: Path) -> bool:
    try:
        sock.connect(os.fspath(path))
    except BlockingIOError:
        return False  # the host is behind with its peers, and this one isn't waiting yet
    return True


def _unreachable(path: Path, error: OSError) -> ControlError:
    """What is wrong with a socket that can't be connected to."""
    if isinstance(error, FileNotFoundError):
        message = f"there is no socket {path}; is the host running, with control = … configured?"
        return ControlError(message, kind="no_socket")
    if isinstance(error, ConnectionRefusedError):
        if not _is_socket(path):
            return ControlError(f"{path} is no socket", kind="no_socket")
        message = f"nobody listens at {path}: its host has ended, and will replace it when started"
        return ControlError(message, kind="stale")
    if isinstance(error, PermissionError):
        message = f"the host at {path} belongs to another user; ask as that user, or as root"
        return ControlError(message, kind="not_ours")
    return ControlError(f"{path} can't be connected to: {error.strerror or type(error).__name__}")


def _is_socket(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISSOCK(path.stat().st_mode)
    return False


def _silent(path: Path) -> ControlError:
    message = f"the host at {path} doesn't answer; its event loop may be blocked"
    return ControlError(message, kind="no_answer")


def _request(number: int, method: str, params: dict[str, JSON]) -> bytes:
    try:
        return encode({"protocol": PROTOCOL, "id": number, "method": method, "params": params})
    except NotJSONError as error:
        raise ControlError(f"params aren't JSON: {error}", kind="invalid_request") from None


def _is_changing(method: str, params: dict[str, JSON]) -> bool:
    return method not in READING and not params.get("dry_run")


async def _exchanged(wire: Wire, line: bytes) -> bytes:
    """Send a line and read one; a host that refuses may say so before it has read anything."""
    try:
        with suppress(BrokenPipeError, ConnectionResetError):
            await wire.write(line, reading=None)
        answer = await wire.read()
    except OSError:
        answer = None
    if answer is None:
        raise ControlError("the host has closed the connection without an answer", kind="closed")
    return answer


def _result(line: bytes) -> JSON:
    frame = _frame(line)
    if "result" in frame:
        return frame["result"]
    error = frame.get("error")
    if not isinstance(error, dict):
        raise _odd("holds neither a result nor an error")
    raise ControlError(str(error.get("message")), kind=str(error.get("kind")))


def _frame(line: bytes) -> dict[str, Any]:
    try:
        frame = decode_text(line.decode(), _LIMITS)
    except (UnicodeDecodeError, NotJSONError) as error:
        raise _odd(f"isn't JSON: {error}") from error
    if not isinstance(frame, dict):
        raise _odd("is no object")
    if frame.get("protocol") != PROTOCOL:
        message = f"the host speaks another protocol than {PROTOCOL}; is it of another version?"
        raise ControlError(message, kind="wrong_protocol")
    return frame


def _odd(reason: str) -> ControlError:
    return ControlError(f"the host's answer {reason}", kind="invalid_answer")
