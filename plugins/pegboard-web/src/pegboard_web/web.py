"""The client that all fetches of one load share, and how it follows redirects."""

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

import attrs
import httpcore2
import httpx2
from pegboard import PegboardError, PluginContext, ToolError

from pegboard_web.connecting import CheckedNetwork
from pegboard_web.converting import Converter, converter
from pegboard_web.refusals import refusing
from pegboard_web.settings import Settings, headers_of, rules_of
from pegboard_web.transport import Transport
from pegboard_web.urls import host_of, origin_of, parse

_CODINGS = ("gzip", "deflate")
_IDLE_CONNECTIONS_FOR = 5.0


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
        _check_coding(answer)
        data = bytearray()
        with refusing(host_of(answer.url)):
            async with aclosing(answer.aiter_bytes()) as parts:
                async for part in parts:
                    data += part
                    is_much = answer.num_bytes_downloaded > self._settings.max_bytes
                    if is_much or len(data) > most:
                        return Body(bytes(data[:most]), is_whole=False)
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
    pool = httpcore2.AsyncConnectionPool(
        ssl_context=_trust(plugin, settings),
        max_connections=settings.max_connections,
        max_keepalive_connections=settings.max_connections,
        keepalive_expiry=_IDLE_CONNECTIONS_FOR,
        network_backend=CheckedNetwork(rules_of(settings)),
    )
    return httpx2.AsyncClient(
        transport=Transport(pool),
        trust_env=False,
        timeout=settings.idle_seconds,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        headers={
            "accept": "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5",
            "accept-encoding": ", ".join(_CODINGS),
            "user-agent": settings.user_agent or f"pegboard-web/{plugin.version or '0'}",
        },
    )


def _trust(plugin: PluginContext, settings: Settings) -> ssl.SSLContext:
    context = httpx2.create_ssl_context(trust_env=False)
    if settings.certificates is not None:
        try:
            path = Path(plugin.folder, Path(settings.certificates).expanduser())
            context.load_verify_locations(path)
        except (OSError, RuntimeError, ValueError) as error:
            raise PegboardError(f"certificates can't be read: {error}") from error
    return context


def _target(url: httpx2.URL, location: str) -> str:
    try:
        return str(url.join(location))
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolError(
            f"{host_of(url)!a} leads on to what is no URL; fetch another page", code="invalid_url"
        ) from error


def _check_coding(answer: httpx2.Response) -> None:
    said = answer.headers.get_list("content-encoding", split_commas=True)
    codings = [each.strip().lower() for each in said if each.strip().lower() != "identity"]
    if len(codings) > 1 or not set(codings) <= set(_CODINGS):
        raise ToolError(
            f"the answer is compressed as {', '.join(codings)[:80]!a}, which wasn't asked for",
            code="unsupported_type",
        )
