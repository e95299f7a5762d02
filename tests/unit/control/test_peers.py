"""Who is at the other end of a socket."""

import os
import socket
import struct

import attrs
import pytest
from pegboard.control.peers import Peer, peer_of


def test_a_peer_is_who_the_system_says() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_of(one) == Peer(os.geteuid(), os.getpid())


def test_a_socket_that_says_nothing_of_its_peer_has_nobody_in_particular() -> None:
    one, other = socket.socketpair()
    one.close()
    other.close()

    assert peer_of(one) == Peer(None, None)


@pytest.mark.parametrize(
    ("user", "is_admitted"), [(1000, True), (0, True), (1001, False), (None, False)]
)
def test_one_s_own_processes_and_the_superuser_s_are_let_in(
    user: int | None, is_admitted: bool
) -> None:
    assert Peer(user, 1).is_admitted(1000) is is_admitted


@attrs.frozen
class Told:
    """A socket of another system, which says this of its peer."""

    answers: dict[int, object]

    def getsockopt(self, level: int, option: int, size: int = 0) -> object:
        """What the system says."""
        if option not in self.answers:
            raise OSError("no such option")
        return self.answers[option]


CREDENTIALS = struct.pack("IIh16I", 0, 501, 1, 20, *[0] * 15)


@pytest.mark.parametrize(
    ("system", "answers", "peer"),
    [
        ("darwin", {1: CREDENTIALS, 2: 77}, Peer(501, 77)),
        ("darwin", {1: CREDENTIALS}, Peer(501, None)),
        ("freebsd14", {1: CREDENTIALS, 2: 77}, Peer(501, None)),
        ("darwin", {1: b""}, Peer(None, None)),
        ("openbsd7", {}, Peer(None, None)),
    ],
)
def test_other_systems_are_read_as_they_tell_it(
    monkeypatch: pytest.MonkeyPatch, system: str, answers: dict[int, object], peer: Peer
) -> None:
    monkeypatch.setattr("pegboard.control.peers._SYSTEM", system)

    assert peer_of(Told(answers)) == peer  # type: ignore[arg-type]
