"""Secrets in every form in which a server, the SDK or an exception may show them."""

import json
import logging
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pegboard import ConfigError, Failure, Host, PluginLoadError, Resource
from pegboard_attached import OVER_STDIO, attached, over_http
from pegboard_mcp import McpServer
from pegboard_mcp.attached.masks import Masks
from pegboard_mcp.attached.tail import Tail
from pegboard_mcp.attached.target import target_of
from pegboard_scripted import Scripted, is_alive

TOKEN = "tok-123-secret"
KEY = "-----BEGIN KEY-----\nMIIabc/SECRET+LINE\nsecond'\"\\SECRET\n-----END"
FORMS = [
    TOKEN,
    f"{TOKEN}\n",
    f"{TOKEN}\x00x",
    "pa\"ss\\wo'rd-SECRET",
    "sécrèt-SECRET",
    KEY,
]


def shown_in(secret: str, *texts: str) -> list[str]:
    """The texts that hold a line of a secret, as it is or escaped."""
    lines = [each for each in secret.replace("\x00", "\n").split("\n") if len(each) > 3]
    spelled = [f(each) for each in lines for f in (str, json.dumps, repr, ascii, quote)]
    forms = {each.strip("'\"") for each in spelled}
    return [text for text in texts if any(each in text for each in forms)]


@pytest.mark.parametrize("secret", FORMS)
@pytest.mark.parametrize("spell", [str, repr, ascii, json.dumps, quote, lambda s: repr(s.encode())])
def test_a_secret_shows_in_no_spelling(secret: str, spell: Any) -> None:
    masks = Masks([secret])
    said = f"it is {spell(secret)}, {spell(str({'a': secret}))}, {json.dumps(spell(secret))}"

    assert shown_in(secret, masks.hide(said)) == []


@given(st.text(min_size=4), st.sampled_from([str, repr, ascii, json.dumps]))
@example("'\"\\\n'\"\\\n", repr)
def test_a_whole_secret_is_gone_from_whatever_holds_it(secret: str, spell: Any) -> None:
    hidden = Masks([secret]).hide(f"<{spell(secret)}>")

    assert secret not in hidden


def test_lines_are_masked_one_by_one_and_before_they_are_cut() -> None:
    tail = Tail(logging.getLogger("test"), Masks([KEY, TOKEN]))
    tail.feed(KEY.encode() + b"\n" + b"x" * 395 + TOKEN[:6].encode())
    tail.feed(TOKEN[6:].encode() + b"\n")

    assert shown_in(KEY, tail.text) == []
    assert "tok-1" not in tail.text


@pytest.mark.parametrize("secret", [f"Bearer {TOKEN}\n", f"Bearer {TOKEN}\x00x", "Bearer tök-123"])
async def test_a_header_that_cannot_be_sent_is_refused_by_its_name(secret: str) -> None:
    with pytest.raises(ConfigError, match="'Authorization'") as given_one:
        McpServer("http://h/mcp", headers={"Authorization": secret})
    settings = {"url": "http://h/mcp", "headers": {"Authorization": secret}}
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError, match="'Authorization'") as set_one:
            await host.load(McpServer.configured(), name="s", settings=settings)

        assert host.plugins["s"].state == "failed"
    assert shown_in(secret, str(given_one.value), str(set_one.value)) == []
    assert "123" not in f"{given_one.value}{set_one.value}"


def test_a_name_that_no_header_can_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="no name of a header"):
        McpServer("http://h/mcp", headers={"A B": "c"})


def test_the_token_behind_the_scheme_and_the_parts_of_a_url_are_secrets() -> None:
    url = "https://me-user:pass%20word@h/s/0123456789abcdef0/mcp?key=URLSECRET"
    masks = Masks(target_of(url, headers={"Authorization": f"Bearer {TOKEN}"}).secrets)
    said = f"{TOKEN} me-user pass%20word pass word 0123456789abcdef0 URLSECRET Bearer mcp"

    assert masks.hide(said) == "… … … … … … Bearer mcp"


@pytest.mark.parametrize("secret", FORMS[:2] + FORMS[3:])
async def test_nothing_of_a_failing_server_shows_a_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, secret: str
) -> None:
    caplog.set_level(logging.DEBUG)
    said = f"bad {secret} and {secret!r} and {json.dumps(secret)}"
    resource = {"uri": f"x:{secret}", "text": said}
    blocks = [{"type": "resource", "resource": resource}, {"type": "odd", "x": said}]
    server = Scripted(tmp_path, "a", "b", "c", "die")
    server.change(
        replies={"a": {"content": blocks, "isError": True}, "b": {"resultType": secret}},
        errors={"c": {"code": -1, "message": said}},
        stray=["y" * 190 + secret, said],
    )
    async with attached(server, env={"TOKEN": secret}) as (_, board):
        outcomes = [await board.call(each) for each in ("s_a", "s_b", "s_c", "s_die")]

    told = [repr(each.content) for each in outcomes if isinstance(each, Failure)]
    assert len(told) == 4
    assert shown_in(secret, *map(repr, outcomes), *told, caplog.text) == []
    assert "y" * 190 + secret[:4] not in caplog.text


async def test_a_resource_of_a_failure_keeps_what_is_no_secret(tmp_path: Path) -> None:
    resource = {"uri": "x:1", "text": f"a {TOKEN}", "mimeType": "text/plain"}
    block = {"type": "resource", "resource": resource}
    server = Scripted(tmp_path, "t", replies={"t": {"content": [block], "isError": True}})
    async with attached(server, env={"TOKEN": TOKEN}) as (_, board):
        outcome = await board.call("s_t")

    assert isinstance(outcome, Failure)
    assert list(outcome.content) == [Resource("x:1", mime_type="text/plain", text="a …")]


async def test_the_last_words_of_a_server_are_masked(tmp_path: Path) -> None:
    server = Scripted(tmp_path, exits=1, says=f"{KEY}\nenv: {json.dumps({'K': KEY})} {KEY!r}")
    async with Host(discover=False) as host:
        with pytest.raises(PluginLoadError) as caught:
            await host.load(McpServer(server.command, env={"K": KEY}), name="s")

    assert shown_in(KEY, str(caught.value)) == []


async def test_the_sdks_loggers_are_masked_while_the_server_is_attached(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    sdk, http = logging.getLogger("client"), logging.getLogger("httpx2")
    async with attached(OVER_STDIO, env={"TOKEN": TOKEN}):
        sdk.warning("value %s", TOKEN, exc_info=ValueError(TOKEN))
        http.info("GET %s", f"http://h/{TOKEN}")
        masked = caplog.text
    sdk.warning("value %s", TOKEN)

    assert "GET http://h/…" in masked
    assert "ValueError: …" in masked
    assert TOKEN not in masked
    assert TOKEN in caplog.text


async def test_a_url_is_not_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with over_http() as served, attached(f"{served.url}?key={TOKEN}") as (_, board):
        assert board.tools

    assert "httpx2" in {each.name for each in caplog.records}
    assert TOKEN not in caplog.text


async def test_what_left_the_servers_group_ends_with_it(tmp_path: Path) -> None:
    async with attached(Scripted(tmp_path, "spawn")) as (_, board):
        pid = int((await board.call("s_spawn", {"detached": True})).unwrap())
        assert is_alive(pid) or sys.platform != "linux"

    assert not is_alive(pid)
