"""Redirects: each is checked as if it were the first request, and carries no foreign header."""

from typing import Any

import pytest
from pegboard import Secret


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_followed_to_where_it_leads(
    fetch: Any, reply: Any, status: int
) -> None:
    script = {"/a/": reply(status=status, location="../b#x"), "/b": reply("there", "text/plain")}

    value = (await fetch(script, "http://127.0.0.1:PORT/a/")).unwrap()

    assert value["text"] == "there"
    assert value["url"].endswith("/b")


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("http://127.0.0.1:1/", "private_address"),
        ("http://127.0.0.2/", "private_address"),
        ("http://localhost/", "private_address"),
        ("http://[::1]/", "private_address"),
        ("http://[::ffff:127.0.0.1]/", "private_address"),
        ("http://0.0.0.0/", "private_address"),
        ("http://169.254.169.254/latest/meta-data/", "private_address"),
        ("http://[fd00:ec2::254]/", "private_address"),
        ("http://[64:ff9b::a9fe:a9fe]/", "private_address"),
        ("http://[2002:7f00:1::]/", "private_address"),
        ("//10.0.0.1/", "private_address"),
        ("http://2130706433/", "invalid_url"),
        ("file:///etc/passwd", "invalid_url"),
        ("ftp://example.org/", "invalid_url"),
        ("javascript:alert(1)", "invalid_url"),
        ("data:text/html,x", "invalid_url"),
        ("http://user:word@127.0.0.1/", "invalid_url"),
        ("http://[/", "invalid_url"),
        ("http://a b/", "invalid_url"),
        (f"/{'a' * 9_000}", "invalid_url"),
    ],
)
async def test_a_redirect_to_what_may_not_be_fetched_is_refused(
    fetch: Any, reply: Any, code: Any, location: str, expected: str
) -> None:
    assert code(await fetch({"/": reply(status=302, location=location)})) == expected


async def test_a_redirect_that_goes_round_in_circles_ends(
    serve: Any, opened: Any, reply: Any, code: Any
) -> None:
    script = {"/a": reply(status=302, location="/b"), "/b": reply(status=302, location="/a")}
    async with serve(script) as served:
        place = f"127.0.0.1:{served.port}"
        async with opened(allow_private=[place], max_redirects=3) as board:
            outcome = await board.call("web_fetch", {"url": f"http://{place}/a"})

    assert code(outcome) == "too_many_redirects"
    assert served.paths == ["/a", "/b", "/a", "/b"]


async def test_a_redirect_with_an_endless_body_is_left_at_once(fetch: Any) -> None:
    async def answer(writer: Any) -> None:
        writer.write(b"HTTP/1.1 302 Found\r\nlocation: /b\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
            await writer.drain()

    there = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1\r\n\r\ny"

    assert (await fetch({"/": answer, "/b": there})).unwrap()["text"] == "y"


async def test_headers_of_a_server_go_to_it_alone_also_over_redirects(
    serve: Any, opened: Any, reply: Any
) -> None:
    async with serve({"/": reply("other", "text/plain")}) as other:
        place = f"127.0.0.1:{other.port}"
        async with serve({"/": reply(status=302, location=f"http://{place}/")}) as served:
            origin = f"http://127.0.0.1:{served.port}"
            settings = {"allow_private": [place, origin.removeprefix("http://")]}
            headers = {origin: {"Authorization": Secret("Bearer tau")}}
            async with opened(**settings, headers=headers) as board:
                outcome = await board.call("web_fetch", {"url": f"{origin}/"})

    assert outcome.unwrap()["text"] == "other"
    assert ["tau" in each for each in (served.heads[0], other.heads[0], repr(outcome))] == [
        *(True, False, False)
    ]


async def test_headers_of_a_server_are_not_sent_by_another_scheme_or_name(
    serve: Any, opened: Any, reply: Any
) -> None:
    async with serve({"/": reply("x", "text/plain")}) as served:
        headers = {f"https://127.0.0.1:{served.port}": {"x-key": "tau"}}
        headers |= {f"http://127.0.0.2:{served.port}": {"x-key": "tau"}}
        place = f"127.0.0.1:{served.port}"
        async with opened(allow_private=[place], headers=headers) as board:
            (await board.call("web_fetch", {"url": f"http://{place}/"})).unwrap()

    assert "tau" not in served.heads[0]
