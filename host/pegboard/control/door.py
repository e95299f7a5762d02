"""Letting peers in, one at a time, so that no number of them takes all descriptors."""

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress

_log = logging.getLogger("pegboard.control")

_PASSING = (BlockingIOError, InterruptedError, ConnectionAbortedError)
_SCARCE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_PAUSE = 0.2


class Door:
    """Accepts connections from a listening socket.

    One descriptor is kept in reserve, so that a host that has run out of them can be reached.

    Args:
        listener: never blocks.
        admit: gets each connection, and owns it.
    """

    def __init__(self, listener: socket.socket, admit: Callable[[socket.socket], None]) -> None:
        self._listener = listener
        self._admit = admit
        self._loop = asyncio.get_running_loop()
        self._reserve: int | None = None
        self._pause: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Accept connections from now on."""
        self._pause = None
        self.restock()
        self._loop.add_reader(self._listener, self._accept)

    def close(self) -> None:
        """Accept none any more; the listener stays open."""
        self._loop.remove_reader(self._listener)
        if self._pause is not None:
            self._pause.cancel()
        if self._reserve is not None:
            os.close(self._reserve)
            self._reserve = None

    def restock(self) -> None:
        """Keep a descriptor in reserve, if there is one to be had."""
        if self._reserve is None:
            with suppress(OSError):
                self._reserve = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def _accept(self) -> None:
        """Let one peer in: the loop asks again while there are more, and others have their turn."""
        try:
            connection, _ = self._listener.accept()
        except _PASSING:
            return
        except OSError as error:
            self._make_room(error)
            return
        self._admit(connection)

    def _make_room(self, error: OSError) -> None:
        if error.errno in _SCARCE and self._reserve is not None:
            os.close(self._reserve)
            self._reserve = None
            return
        _log.warning("the control channel lets nobody in for a moment: %s", error)
        self._loop.remove_reader(self._listener)
        self._pause = self._loop.call_later(_PAUSE, self.open)
