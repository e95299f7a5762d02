"""Names and the addresses behind them.

`socket.getaddrinfo` is the one way in which this process asks the system for addresses; it is
replaced here, so that names have the addresses that a test wants, and no other look-up goes unseen.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from pegboard import Host


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[list[str]]], list[str]]:
    """`names(answers)` has look-ups answered in turn, and gives the list of what was asked."""

    def names(answers: Iterable[list[str]]) -> list[str]:
        asked: list[str] = []
        given = iter(answers)

        def getaddrinfo(host: str, port: int, *more: Any, **options: Any) -> list[Any]:
            asked.append(host)
            found = next(given)
            return [
                (socket.AF_INET6 if ":" in each else socket.AF_INET, 1, 6, "", (each, port))
                for each in found
            ]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        return asked

    return names


NAMED = "http://rebind.example:PORT/"


async def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(
    fetch: Any, reply: Any, names: Any
) -> None:
    asked = names([["127.0.0.1"], ["169.254.169.254"]])

    value = (await fetch({"/": reply("here", "text/plain")}, NAMED)).unwrap()

    assert value["text"] == "here"
    assert asked == ["rebind.example"]


async def test_a_name_that_changes_to_another_address_is_refused_the_next_time(
    serve: Any, opened: Any, reply: Any, names: Any, code: Any
) -> None:
    async with serve({"/": reply("here", "text/plain")}) as served:
        settings = {"allow_private": ["127.0.0.1"], "ports": [served.port]}
        async with opened(**settings) as board:
            names([["127.0.0.1"], ["169.254.169.254"], ["127.0.0.1", "10.0.0.1"]])
            url = f"http://rebind.example:{served.port}/"
            codes = [code(await board.call("web_fetch", {"url": url})) for _ in range(3)]

    assert codes[1:] == ["private_address"] * 2
    assert len(served.heads) == 1


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.2"],
        ["10.0.0.1"],
        ["::1"],
        ["::ffff:10.0.0.1"],
        ["64:ff9b::7f00:2"],
        ["fe80::1%eth0"],
        ["93.184.215.14", "192.168.0.1"],
    ],
)
async def test_a_name_that_leads_to_a_private_address_is_refused(
    fetch: Any, names: Any, code: Any, addresses: list[str]
) -> None:
    names([addresses])

    assert code(await fetch({}, "http://public.example/")) == "private_address"


async def test_the_systems_own_names_of_this_machine_are_refused(fetch: Any, code: Any) -> None:
    assert code(await fetch({}, "http://localhost/")) == "private_address"
    assert code(await fetch({}, "http://localhost./")) == "private_address"


async def test_a_name_may_be_private_if_it_is_named_and_the_server_sees_that_name(
    serve: Any, opened: Any, reply: Any, names: Any
) -> None:
    async with serve({"/": reply("here", "text/plain")}) as served:
        place = f"intranet.example:{served.port}"
        async with opened(allow_private=[place]) as board:
            names([["127.0.0.1"]])
            (await board.call("web_fetch", {"url": f"http://{place}/"})).unwrap()

    assert f"Host: {place}\r\n" in served.heads[0]


async def test_another_address_is_tried_where_the_first_does_not_answer(
    serve: Any, opened: Any, reply: Any, names: Any
) -> None:
    async with serve({"/": reply("here", "text/plain")}) as served:
        settings = {"allow_private": ["127.0.0.0/8"], "ports": [served.port]}
        async with opened(**settings) as board:
            names([["127.0.0.9", "127.0.0.1"]])
            url = f"http://two.example:{served.port}/"
            assert (await board.call("web_fetch", {"url": url})).unwrap()["text"] == "here"


async def test_a_name_that_is_denied_or_not_allowed_is_not_even_looked_up(
    fetch: Any, names: Any, code: Any
) -> None:
    asked = names([])

    denied = await fetch({}, "http://secret.evil.example/", {"deny": ["*.evil.example"]})
    other = await fetch({}, "http://secret.evil.example/", {"allow": ["docs.example"]})

    assert (code(denied), code(other), asked) == ("denied", "denied", [])


@pytest.mark.parametrize("found", [[], [f"9.9.9.{n}" for n in range(40)]])
async def test_a_name_with_no_address_or_absurdly_many_is_unknown(
    fetch: Any, names: Any, code: Any, found: list[str]
) -> None:
    names([found])

    assert code(await fetch({}, "http://many.example/")) == "unknown_host"


async def test_a_name_that_nobody_knows_is_unknown(fetch: Any, code: Any) -> None:
    assert code(await fetch({}, "http://nowhere.invalid/")) == "unknown_host"


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Look-ups that don't end before the test does."""
    over = threading.Event()

    def getaddrinfo(*_: Any, **__: Any) -> Any:
        over.wait(30)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
    over.set()


async def test_a_call_does_not_wait_for_a_look_up_that_hangs(hanging: None, code: Any) -> None:
    async with Host(discover=False) as host:
        await host.load("web", settings={"idle_seconds": 0.05})
        board = await host.board("tests")
        calls = [board.call("web_fetch", {"url": f"http://{n}.example/"}) for n in range(20)]
        codes = {code(each) for each in await asyncio.gather(*calls)}
        report = await host.unload("web")

    assert codes == {"too_slow"}
    assert report.leaked.count("thread pegboard-web lookup") == 16
