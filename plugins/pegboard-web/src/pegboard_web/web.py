"""The client that all fetches of one load share, and how it follows redirects."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

import attrs
import httpcore2
import httpx2
from pegboard import PluginContext, ToolError

from pegboard_web.connecting import CheckedNetwork
from pegboard_web.converting import Converter, converter
from pegboard_web.refusals import refusing
from pegboard_web.settings import Settings, headers_of, rules_of
from pegboard_web.transport import Transport
from pegboard_web.trust import Trust, nobody
from pegboard_web.unpacking import CODINGS, unpacking_of
from pegboard_web.urls import host_of, origin_of, parse


@attrs.frozen
class Body:
    """What was read of an answer.

    Attributes:
        data: the bytes, decompressed.
        is_whole: whether that is all.
    """

    data: bytes
    is_whole: bool


@attrs.frozen
class Web:
    """The web, as far as the settings open it.

    Attributes:
        converter: turns pages into Markdown.
    """

    converter: Converter
    _client: httpx2.AsyncClient
    _settings: Settings = attrs.field(repr=False)
    _headers: Mapping[str, Mapping[str, str]] = attrs.field(repr=False)

    @asynccontextmanager
    async def get(self, text: str) -> AsyncIterator[httpx2.Response]:
        """The answer at the end of all redirects, its body still to come.

        Each URL on the way is read, its host looked up and its address checked as if it were the
        first, and carries the headers of its own server only.

        Raises:
            ToolError: the URL can't be fetched, or leads on too often.
        """
        url = parse(text)
        for _ in range(self._settings.max_redirects + 1):
            with refusing(host_of(url)):
                answer = await self._send(url)
            try:
                if not answer.has_redirect_location:
                    yield answer
                    return
                url = parse(_target(url, answer.headers["location"]))
            finally:
                await answer.aclose()
        raise ToolError(
            f"the page leads on more than {self._settings.max_redirects} times; fetch another",
            code="too_many_redirects",
        )

    async def read(self, answer: httpx2.Response, *, most: int) -> Body:
        """The body of an answer, up to a number of bytes.

        Raises:
            ToolError: it is compressed in a way that wasn't asked for, or breaks off.
        """
        unpacking = unpacking_of(answer)
        data = bytearray()
        left = self._settings.max_bytes
        with refusing(host_of(answer.url)):
            async with aclosing(answer.aiter_raw()) as parts:
                async for part in parts:
                    for unpacked in unpacking.unpack(part[:left]):
                        data += unpacked
                        if len(data) > most:
                            return Body(bytes(data[:most]), is_whole=False)
                    left -= len(part)
                    if left < 0:
                        return Body(bytes(data), is_whole=False)
            unpacking.check_end()
        return Body(bytes(data), is_whole=True)

    async def _send(self, url: httpx2.URL) -> httpx2.Response:
        own = self._headers.get(origin_of(url), {})
        request = self._client.build_request("GET", url, headers=own)
        return await self._client.send(request, stream=True)


@asynccontextmanager
async def opened(plugin: PluginContext) -> AsyncIterator[Web]:
    """The web for one load of the plugin; all connections are closed when the block is left.

    Raises:
        PegboardError: the certificates can't be read, or no page could be converted here.
    """
    settings: Settings = plugin.settings
    turns = converter()
    async with _client(plugin, settings) as client:
        yield Web(turns, client, settings, headers_of(settings))


def _client(plugin: PluginContext, settings: Settings) -> httpx2.AsyncClient:
    trust = Trust(settings.certificates, Path(plugin.folder))
    pool = httpcore2.AsyncConnectionPool(
        ssl_context=nobody(),
        max_connections=settings.max_connections,
        max_keepalive_connections=0,
        network_backend=CheckedNetwork(rules_of(settings), trust),
    )
    return httpx2.AsyncClient(
        transport=Transport(pool),
        trust_env=False,
        timeout=settings.idle_seconds,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        headers={
            "accept": "text/markdown, text/html;q=0.9, application/json;q=0.8, */*;q=0.5",
            "accept-encoding": ", ".join(CODINGS),
            "connection": "close",  # what a server says beyond its answer is nobody's answer
            "user-agent": settings.user_agent or f"pegboard-web/{plugin.version or '0'}",
        },
    )


def _target(url: httpx2.URL, location: str) -> str:
    try:
        return str(url.join(location))
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolError(
            f"{host_of(url)!a} leads on to what is no URL; fetch another page", code="invalid_url"
        ) from error
