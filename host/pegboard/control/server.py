"""The control channel of one host: a Unix socket at which operators reach it."""

import asyncio
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from functools import partial
from pathlib import Path

from pegboard.control.bounds import Bounds
from pegboard.control.controlled import Controlled
from pegboard.control.door import Door
from pegboard.control.frames import error_line
from pegboard.control.peers import Peer, peer_of
from pegboard.control.place import Place, take
from pegboard.control.session import Session
from pegboard.control.wire import Wire
from pegboard.errors import ControlError
from pegboard.events import OperatorActed
from pegboard.registry import Registration

_FOREIGN = "this host belongs to another user"


class ControlServer:
    """Serves the control channel of a host; `docs/reference/control.md` is its protocol.

    Args:
        host: the host.
        path: where the socket stands.
        tell: gets every event.
        own_uid: whose processes are let in, beside the superuser's; this process's if None.
        bounds: what peers may take.
    """

    def __init__(
        self,
        host: Controlled,
        path: Path,
        tell: Callable[[object], None],
        *,
        own_uid: int | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        from pegboard.control.asking import Served  # late: who only asks a host needs none of it
        from pegboard.control.methods import Desk
        from pegboard.control.traffic import Traffic

        self._host = host
        self._path = Path(path).absolute()
        self._own = own_uid
        self._bounds = bounds or Bounds()
        self._traffic = Traffic()
        self._desk = Desk(Served(host, self._traffic), tell)
        self._sessions: dict[asyncio.Task[None], Session] = {}
        self._turned_away = TurnedAway(tell)
        self._counting: Registration | None = None
        self._place: Place | None = None
        self._door: Door | None = None
        self._most = 0

    async def open(self) -> None:
        """Let peers in from now on, and count calls.

        Raises:
            ControlError: the path can't be used, or a host listens there; says what to do.
        """
        self._place = place = await take(self._path)
        try:
            self._desk.warm()
            if self._own is None:
                self._own = os.geteuid()
            self._most = min(self._bounds.connections, _spared())
            self._counting = self._host.hook(call_finished=self._traffic.count)
            self._door = Door(place.sock, self._admit)
            self._door.open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Remove the socket, answer what is being done, and end; a second time does nothing."""
        if self._door is not None:
            self._door.close()
        if self._place is not None:
            self._place.leave()
        if self._counting is not None:
            self._counting.close()
        self._place = self._door = self._counting = None
        for task, session in self._sessions.items():
            session.is_ending = True
            if not session.is_busy:
                task.cancel()
        await self._end()

    async def _end(self) -> None:
        left = list(self._sessions)
        if left:
            _, late = await asyncio.wait(left, timeout=self._bounds.leaving)
            for task in late:
                task.cancel()
            _, mute = await asyncio.wait(left, timeout=self._bounds.leaving)
            for task in mute:  # it was told why it has no answer, and doesn't read
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def _admit(self, connection: socket.socket) -> None:
        connection.settimeout(0)
        peer = peer_of(connection)
        if self._own is None or not peer.is_admitted(self._own):
            _refuse(connection, "foreign_user", _FOREIGN)
            self._turned_away.note(peer)
        elif len(self._sessions) >= self._most:
            message = f"{self._most} connections are open, which is the most; try again"
            _refuse(connection, "busy", message)
        else:
            self._serve(connection, peer)
        if self._door is not None:
            self._door.restock()

    def _serve(self, connection: socket.socket, peer: Peer) -> None:
        session = Session(
            Wire(connection, self._bounds.request),
            partial(self._desk.perform, peer=peer),
            self._bounds,
            self._host.config.limits,
        )
        # A context of its own: whatever the host was opened in is no part of what peers ask for.
        task = asyncio.get_running_loop().create_task(session.run(), context=Context())
        self._sessions[task] = session
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._sessions.pop(task).wire.close()  # a task that is cancelled at once has not begun
        if self._door is not None:
            self._door.restock()


class TurnedAway:
    """Tells of foreign users that were turned away: of each at most once a second."""

    def __init__(self, tell: Callable[[object], None]) -> None:
        self._tell = tell
        self._last: tuple[int | None, int] | None = None
        self._untold = 0

    def note(self, peer: Peer) -> None:
        """Tell of a peer, unless it was told of just now."""
        now = peer.user, int(time.monotonic())
        self._untold += 1
        if now == self._last:
            return
        details = {"times": self._untold}
        self._last, self._untold = now, 0
        self._tell(OperatorActed("connect", details, peer.user, peer.pid, "failed", _FOREIGN))


def _refuse(connection: socket.socket, kind: str, message: str) -> None:
    """Tell a peer why it isn't served; what it may have sent isn't read."""
    with connection, suppress(OSError):
        connection.send(error_line(None, ControlError(message, kind=kind)) + b"\n")


def _spared() -> int:
    """How many connections leave the process enough descriptors."""
    import resource  # late: not every system has it

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 2**20 if most == resource.RLIM_INFINITY else max(1, most // 4)
