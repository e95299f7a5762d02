"""Servers that mean harm or are broken: each ends in a clear outcome, and nothing is left behind.

That no thread, process, open file, task or timer is left is seen after every test of the plugin.
"""

import asyncio
import gzip
import socket
import zlib
from typing import Any

import pytest
from pegboard import Failure

OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"


async def for_ever(writer: Any, part: bytes, *, pause: float = 0.0) -> None:
    """Write a part again and again until the other side has gone."""
    while True:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(pause)


async def a_byte_now_and_then(writer: Any) -> None:
    writer.write(OK + b"content-length: 100000\r\n\r\n")
    await for_ever(writer, b"x", pause=0.02)


async def a_head_byte_now_and_then(writer: Any) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx: ")
    await for_ever(writer, b"x", pause=0.02)


async def silence(writer: Any) -> None:
    await asyncio.sleep(30)


async def silence_in_the_middle(writer: Any) -> None:
    writer.write(OK + b"content-length: 100\r\n\r\nhalf")
    await asyncio.sleep(30)


async def endless_headers(writer: Any) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    await for_ever(writer, b"x-more: " + b"y" * 1000 + b"\r\n")


async def one_endless_header(writer: Any) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx: ")
    await for_ever(writer, b"y" * 1000)


async def endless_interim_answers(writer: Any) -> None:
    await for_ever(writer, b"HTTP/1.1 103 Early Hints\r\n\r\n", pause=0.001)


async def endless_size_of_a_chunk(writer: Any) -> None:
    writer.write(OK + b"transfer-encoding: chunked\r\n\r\n")
    await for_ever(writer, b"1" * 1000)


async def reset(writer: Any) -> None:
    writer.transport.abort()


BROKEN = {
    "a server that closes at once": b"",
    "a server that resets": reset,
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n",
    "bytes of no protocol": bytes(range(256)) * 20,
    "half a head": b"HTTP/1.1 200 OK\r\ncontent-",
    "a status that is none": b"HTTP/1.1 2OO OK\r\n\r\n",
    "a negative length": OK + b"content-length: -1\r\n\r\nx",
    "two lengths": OK + b"content-length: 1\r\ncontent-length: 2\r\n\r\nxx",
    "a length that is longer than the body": OK + b"content-length: 100\r\n\r\nshort",
    "a chunk without a size": OK + b"transfer-encoding: chunked\r\n\r\nhello\r\n",
    "chunks without an end": OK + b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
    "a header with a NUL": b"HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n",
    "compression that is none": OK + b"content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello",
    "endless headers": endless_headers,
    "one endless header": one_endless_header,
    "an endless size of a chunk": endless_size_of_a_chunk,
}


@pytest.mark.parametrize("name", BROKEN)
async def test_an_answer_that_is_broken_is_a_failure_that_says_so(
    fetch: Any, code: Any, name: str
) -> None:
    assert code(await fetch({"/": BROKEN[name]})) == "broken_answer"


SLOW = {
    "a byte now and then": a_byte_now_and_then,
    "a byte of the head now and then": a_head_byte_now_and_then,
    "silence": silence,
    "silence in the middle": silence_in_the_middle,
    "endless interim answers": endless_interim_answers,
}


@pytest.mark.parametrize("name", SLOW)
async def test_an_answer_that_takes_too_long_is_left(fetch: Any, code: Any, name: str) -> None:
    settings = {"max_seconds": 0.5, "idle_seconds": 0.3}

    assert code(await fetch({"/": SLOW[name]}, settings=settings)) == "too_slow"


def endless(kind: str, part: bytes) -> Any:
    """An answer of a media type that never ends."""
    said = f"content-type: {kind}\r\n" if kind else ""

    async def answer(writer: Any) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\n{said}\r\n".encode())
        await for_ever(writer, part)

    return answer


@pytest.mark.parametrize("kind", ["text/plain", "text/html", ""])
async def test_of_an_endless_body_only_the_beginning_is_read(fetch: Any, kind: str) -> None:
    script = {"/": endless(kind, b"word " * 1000)}

    value = (await fetch(script, settings={"max_bytes": 50_000})).unwrap()

    assert value["total_chars"] is None
    assert 17_500 < len(value["text"]) <= 20_000
    assert value["notes"][0].startswith("only the first ")


@pytest.mark.parametrize(
    ("kind", "expected"), [("image/png", "too_large"), ("application/pdf", "unsupported_type")]
)
async def test_an_endless_image_or_other_file_is_refused(
    refusal: Any, kind: str, expected: str
) -> None:
    assert await refusal({"/": endless(kind, b"\x89PNG\r\n\x1a\n" * 1000)}) == expected


def bomb(times: int) -> bytes:
    """Compressed zeros that are a thousand times larger."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(times)), packer.flush()])


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
async def test_of_a_compression_bomb_only_the_beginning_is_unpacked(
    fetch: Any, reply: Any, kind: str
) -> None:
    answer = reply(bomb(64), kind, content_encoding="gzip")

    value = (await fetch({"/": answer}, settings={"max_decoded_bytes": 100_000})).unwrap()

    assert "only the first 100000 bytes of the answer are looked at" in value["notes"]
    assert value["total_chars"] is None


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "gzip, gzip", "deflate, gzip", "é"])
async def test_compression_that_was_not_asked_for_is_refused(
    fetch: Any, reply: Any, code: Any, coding: str
) -> None:
    answer = reply(gzip.compress(bomb(1)), "text/plain", content_encoding=coding)

    assert code(await fetch({"/": answer})) == "unsupported_type"


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (b"a\xff\xfe\xe9", "text/plain; charset=utf-8", "a\ufffd\ufffd\ufffd"),
        (b"\xe9", "text/plain; charset=no-such-set", "\ufffd"),
        (b"\xe9", "text/plain; charset=" + "x" * 5_000, "\ufffd"),
        (b"+AGE-", "text/plain; charset=utf-7", "+AGE-"),
        (b"a\0b", "text/plain", "a\0b"),
        (b"\x1b[2J", "text/plain", "\x1b[2J"),
    ],
)
async def test_bytes_that_are_no_text_are_shown_as_far_as_they_are(
    fetch: Any, reply: Any, body: bytes, kind: str, text: str
) -> None:
    assert (await fetch({"/": reply(body, kind)})).unwrap()["text"] == text


DEEP = 100_000
PAGES = {
    "deep": "<div>" * DEEP + "x",
    "deep lists": "<ul><li>" * DEEP + "x",
    "deep tables": "<table><tr><td>" * DEEP + "x",
    "deep bold": "<b>" * DEEP + "x" + "</b>" * DEEP,
    "crossed": "<b><i><p>" * 20_000 + "x" + "</b></i>" * 20_000,
    "only brackets": "<" * 1_000_000,
    "open comments": "<!--" * 250_000,
    "attributes": "<p " + " ".join(f"a{n}" for n in range(20_000)) + ">x",
    "wide": '<table><tr><td colspan="1000000000" rowspan="1000000000">x</td></tr></table>',
    "unknown characters": "<p>&#xD800;&#0;&#x110000;&#99999999999;" + "\0" * 1_000,
    "two bodies": "<body>x<body>y</html>z<html>",
    "an open script": "<p>x<script>" + "steal(a<b)" * 1_000,
}


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_that_is_built_to_break_readers_is_bounded(
    fetch: Any, reply: Any, code: Any, name: str
) -> None:
    outcome = await fetch({"/": reply(PAGES[name])})

    if outcome.is_error:
        assert code(outcome) == "not_convertible"
    else:
        assert len(outcome.unwrap()["text"]) <= 20_000
        assert "steal" not in outcome.unwrap()["text"]


async def test_what_lies_too_deep_in_a_page_is_noted(fetch: Any, reply: Any) -> None:
    value = (await fetch({"/": reply(PAGES["deep"])})).unwrap()

    assert "parts of the page that lie too deep" in value["notes"][0]


async def test_a_page_that_takes_for_ever_to_convert_is_left_and_its_process_ended(
    fetch: Any, reply: Any, code: Any
) -> None:
    page = "<dl>" * 900_000

    outcome = await fetch({"/": reply(page)}, settings={"max_seconds": 1.5, "max_bytes": 8 << 20})

    assert code(outcome) == "too_slow"


async def test_a_page_that_takes_all_memory_to_convert_ends_its_own_process_only(
    fetch: Any, reply: Any, code: Any
) -> None:
    page = "<p>x" * 2_500_000

    outcome = await fetch(
        {"/": reply(page)}, settings={"max_decoded_bytes": 1 << 26, "max_bytes": 1 << 26}
    )

    assert code(outcome) in ("not_convertible", "too_slow")


async def test_a_status_page_is_bounded_too(fetch: Any, code: Any) -> None:
    async def endless(writer: Any) -> None:
        writer.write(b"HTTP/1.1 500 No\x1b[2J\r\ncontent-type: text/plain\r\n\r\n")
        await for_ever(writer, b"sorry " * 1000)

    outcome = await fetch({"/": endless})

    assert code(outcome) in ("http_status", "broken_answer")  # h11 may refuse the phrase
    assert isinstance(outcome, Failure)
    assert len(outcome.content[0].text) < 2_200


async def test_a_server_that_is_not_there_is_unreachable(opened: Any, code: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    async with opened(allow_private=[f"127.0.0.1:{port}"]) as board:
        outcome = await board.call("web_fetch", {"url": f"http://127.0.0.1:{port}/"})

    assert code(outcome) == "unreachable"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "0.0.0.0"]
)
async def test_this_machine_is_refused_unless_it_is_allowed(
    opened: Any, code: Any, host: str
) -> None:
    async with opened() as board:
        outcome = await board.call("web_fetch", {"url": f"http://{host}/"})

    assert code(outcome) == "private_address"


async def test_an_allowed_address_is_reached_in_each_of_its_forms(fetch: Any, reply: Any) -> None:
    url = "http://[::ffff:127.0.0.1]:PORT/"

    assert (await fetch({"/": reply("here", "text/plain")}, url)).unwrap()["text"] == "here"


async def test_many_hostile_answers_at_once_leave_the_tool_as_it_was(
    serve: Any, opened: Any, reply: Any
) -> None:
    script = {f"/{number}": each for number, each in enumerate([*BROKEN.values(), *SLOW.values()])}
    async with serve({**script, "/well": reply("well", "text/plain")}) as served:
        place = f"127.0.0.1:{served.port}"
        settings = {"max_seconds": 2, "idle_seconds": 0.5, "max_connections": 30}
        async with opened(allow_private=[place], **settings) as board:
            urls = [f"http://{place}{path}" for path in script]
            outcomes = await asyncio.gather(*(board.call("web_fetch", {"url": u}) for u in urls))
            well = await board.call("web_fetch", {"url": f"http://{place}/well"})

    assert all(each.is_error for each in outcomes)
    assert well.unwrap()["text"] == "well"
