"""TLS, with certificates made for the test."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme
from pegboard import Outcome


def server_side(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """What a server needs to show a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@pytest.fixture
def authority() -> trustme.CA:
    """An authority that no system knows."""
    return trustme.CA()


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path) -> str:
    """The file of the authority's certificate."""
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    return str(tmp_path / "authority.pem")


@pytest.fixture
def fetch_tls(serve: Any, opened: Any, reply: Any, trusted: str) -> Any:
    """A call over TLS to a server with a certificate.

    `await fetch_tls(certificate)` gives the outcome, and the names that the server was asked for.
    """

    async def fetch_tls(certificate: trustme.LeafCert) -> tuple[Outcome, list[str]]:
        seen: list[str] = []
        context = server_side(certificate)
        context.sni_callback = lambda _socket, name, _context: seen.append(f"name {name}")
        async with serve({"/": reply("safe", "text/plain")}, tls=context) as served:
            place = f"localhost:{served.port}"
            async with opened(allow_private=[place], certificates=trusted) as board:
                outcome = await board.call("web_fetch", {"url": f"https://{place}/"})
        return outcome, seen[:1] + [head.split("\r\n")[1] for head in served.heads]

    return fetch_tls


async def test_an_authority_of_the_settings_is_trusted_for_the_name_that_was_asked_for(
    fetch_tls: Any, authority: trustme.CA
) -> None:
    outcome, [name, host] = await fetch_tls(authority.issue_cert("localhost"))

    assert outcome.unwrap()["text"] == "safe"
    assert name == "name localhost"
    assert host.startswith("Host: localhost:")


async def test_a_certificate_of_an_unknown_authority_is_refused(
    serve: Any, opened: Any, reply: Any, code: Any, authority: trustme.CA
) -> None:
    context = server_side(authority.issue_cert("localhost"))
    async with serve({"/": reply("unsafe")}, tls=context) as served:
        place = f"localhost:{served.port}"
        async with opened(allow_private=[place]) as board:
            outcome = await board.call("web_fetch", {"url": f"https://{place}/"})

    assert (code(outcome), served.heads) == ("tls", [])
    assert "isn't valid: unable to get local issuer certificate" in outcome.message


async def test_a_certificate_of_another_name_is_refused(
    fetch_tls: Any, code: Any, authority: trustme.CA
) -> None:
    outcome, heads = await fetch_tls(authority.issue_cert("other.example"))

    assert (code(outcome), heads) == ("tls", ["name localhost"])
    assert "isn't valid: hostname mismatch" in outcome.message


async def test_a_server_that_speaks_no_tls_is_refused(opened: Any, code: Any) -> None:
    async def answer(_reader: Any, writer: Any) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with opened(allow_private=[place]) as board:
            outcome = await board.call("web_fetch", {"url": f"https://{place}/"})

    assert code(outcome) == "tls"
