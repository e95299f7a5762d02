"""Requests over checked connections."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import attrs
import httpcore2
import httpx2


@attrs.frozen
class Received(httpx2.AsyncByteStream):
    """The bytes of an answer, as they come."""

    _stream: httpcore2.Response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._stream.aiter_stream()) as parts:
            async for part in parts:
                yield part

    async def aclose(self) -> None:
        """Give the connection back, or close it if the answer wasn't read to its end."""
        await self._stream.aclose()


@attrs.frozen
class Transport(httpx2.AsyncBaseTransport):
    """Sends requests over the connections of a pool; its errors are those of httpcore2."""

    _pool: httpcore2.AsyncConnectionPool

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to a request, its bytes still to come."""
        url = request.url
        sent = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            extensions=request.extensions,
        )
        answer = await self._pool.handle_async_request(sent)
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=Received(answer),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()
