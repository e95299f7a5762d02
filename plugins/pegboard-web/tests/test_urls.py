"""URLs, without a network."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pegboard import ToolError
from pegboard_web.urls import MOST_CHARACTERS, host_of, origin_of, parse

pieces = st.sampled_from(
    [*"/:@[]%?#.\\ \r\n", "http://", "https://", "127.0.0.1", "a", "0x7f", "é"]
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "begin with https://"),
        ("example.org", "begin with https://"),
        ("//example.org", "begin with https://"),
        ("file:///etc/passwd", "only http:// and https://"),
        ("ftp://example.org/", "only http:// and https://"),
        ("data:text/html,hello", "only http:// and https://"),
        ("javascript:alert(1)", "only http:// and https://"),
        ("view-source:http://example.org", "only http:// and https://"),
        ("http:///path", "names no host"),
        ("http:example.org", "names no host"),
        ("http://a@example.org/", "a user or a password"),
        ("http://a:b@example.org/", "a user or a password"),
        ("http://example.org\\@127.0.0.1/", "a user or a password"),
        ("http://example.org%2f@127.0.0.1/", "a user or a password"),
        ("http://2130706433/", "no address"),
        ("http://017700000001/", "no address"),
        ("http://0177.0.0.1/", "no URL"),
        ("http://0x7f.0.0.1/", "no address"),
        ("http://0x7f000001/", "no address"),
        ("http://127.1/", "no address"),
        ("http://127.0.0.1.2/", "no address"),
        ("http://0/", "no address"),
        ("http://[::1/", "no"),
        ("http://[::g]/", "no"),
        ("http://[fe80::1%25eth0]/", "zone"),
        ("http://%31%32%37.0.0.1/", "no address"),
        ("http://example.org%00.test/", "no name"),
        ("http://example.org\\.test/", "no name"),
        ("http://a..b/", "no name"),
        (f"http://{'a' * 64}.org/", "no name"),
        (f"http://{'a.' * 130}org/", "no name"),
        ("http://①②⑦.⓪.⓪.①/", "no URL"),
        ("http://1\uff127.0.0.1/", "no URL"),
        ("http://\u202eexample.org/", "control character"),
        ("http://example.org:0/", "port that there isn't"),
        ("http://example.org:65536/", "port that there isn't"),
        ("http://example.org:-1/", "port that there isn't"),
        ("http://example.org:http/", "no URL"),
        ("http://example.org/\r\nHost: 127.0.0.1", "control character"),
        ("http://exam\nple.org/", "control character"),
        (" http://example.org/", "a space"),
        ("http://example.org/a b", "a space"),
        ("http://example.org/\0", "control character"),
        ("http://example.org/\ud800", "control character"),
        (f"http://example.org/{'a' * MOST_CHARACTERS}", "longer than 8192"),
    ],
)
def test_what_cannot_be_fetched_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(ToolError, match=words) as raised:
        parse(text)

    assert raised.value.code == "invalid_url"
    assert raised.value.message.isascii()
    assert len(raised.value.message) < 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTP://Example.ORG", "http://example.org:80"),
        ("https://example.org./", "https://example.org:443"),
        ("https://example.org:8443/a?b#c", "https://example.org:8443"),
        ("http://münchen.example/ü?q=é", "http://xn--mnchen-3ya.example:80"),
        ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:127.0.0.1]:80"),
        ("http://127.0.0.1/%0d%0a", "http://127.0.0.1:80"),
        ("http://127。0。0。1/", "http://127.0.0.1:80"),
        ("http://a_b.example/", "http://a_b.example:80"),
    ],
)
def test_a_url_names_one_server_however_it_is_written(text: str, expected: str) -> None:
    assert origin_of(parse(text)) == expected


def test_a_fragment_is_not_sent() -> None:
    assert str(parse("https://example.org/a?b#c")) == "https://example.org/a?b"


@given(text=st.text() | st.lists(pieces, max_size=12).map("".join))
@example("http://[")
@example("http://a:\u0663/")
def test_any_text_is_a_url_with_a_plain_host_or_refused(text: str) -> None:
    url = None
    with suppress(ToolError):
        url = parse(text)

    if url is not None:
        assert not set(host_of(url)) & set("/\\@%?# []")
        assert url.raw_path.isascii()
        assert not set(url.raw_path) & set(b" \r\n")
